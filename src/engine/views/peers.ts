/** The watched peers as a viewer gets them: each of them, or only how many. */
import { durationText, wholeSecs } from '../core/duration.ts';
import type { Peer } from '../config/config.ts';
import { peerStatuses, readPeerState, type PeerStatus } from '../peers/rules/state.ts';
import type { Status } from '../core/status.ts';

/** A peer as the summary has it. */
export interface PeerView {
  readonly id: string;
  readonly name: string;
  readonly state: PeerStatus;
  /** Seconds since its last heartbeat; null: none yet. */
  readonly age: number | null;
  /** Its clock minus this node's, as it was when it last answered; null: not known. */
  readonly clock_skew_ms: number | null;
  /** Why it is not up, for the operator; null: nothing is to be said. */
  readonly reason: string | null;
  /** The names of the nodes that still receive its heartbeats. */
  readonly seen_by: readonly string[];
}

export type PeerCounts = Readonly<Record<PeerStatus, number>>;

/** What is stored. */
export interface PeerFacts {
  readonly rows: readonly { readonly id: string; readonly state: unknown }[];
  /** The last known of each peer. */
  readonly skews: readonly { readonly peer: string; readonly skewMs: number }[];
}

/** The peers that are watched, in the order of the configuration. */
export function peerViews(
  peers: readonly Pick<Peer, 'id' | 'name' | 'expect_every_secs'>[],
  { rows, skews }: PeerFacts,
  nowAt: number,
): PeerView[] {
  const skewOf = new Map(skews.map(({ peer, skewMs }) => [peer, skewMs]));
  const documents = new Map(rows.map((row) => [row.id, row.state]));
  return peers
    .filter(({ expect_every_secs }) => expect_every_secs !== null)
    .map(({ id, name }) => {
      const { state, heardAt, reason, seenBy } = readPeerState(documents.get(id) ?? null);
      const age = heardAt === null ? null : wholeSecs(nowAt - heardAt);
      return {
        id,
        name,
        state,
        age,
        clock_skew_ms: skewOf.get(id) ?? null,
        reason: state === 'up' ? null : reason,
        seen_by: seenBy,
      };
    });
}

/** The peer that a person means by a word: its `listen_id`, else its `id`; null: there is none. */
export function peerNamed<P extends Pick<Peer, 'id' | 'listen_id'>>(
  word: string,
  peers: readonly P[],
): P | null {
  return peers.find((peer) => peer.listen_id === word) ?? peers.find(({ id }) => id === word) ?? null;
}

export function peerCounts(views: readonly Pick<PeerView, 'state'>[]): PeerCounts {
  const counts: Record<PeerStatus, number> = { up: 0, down: 0, link_degraded: 0, unknown: 0 };
  for (const { state } of views) counts[state] += 1;
  return counts;
}

export const peerWords: Readonly<Record<PeerStatus, string>> = {
  up: 'Up',
  down: 'Down',
  link_degraded: 'Link broken',
  unknown: 'No heartbeat yet',
};

/** The status whose shape and colour a peer has. */
export const peerTones: Readonly<Record<PeerStatus, Status>> = {
  up: 'up',
  down: 'down',
  link_degraded: 'degraded',
  unknown: 'unknown',
};

/** `2 of 3 are heard`; null when none is watched. */
export function peersHeard(counts: PeerCounts): string | null {
  const all = peerStatuses.reduce((sum, state) => sum + counts[state], 0);
  return all === 0 ? null : `${counts.up} of ${all} ${counts.up === 1 ? 'is' : 'are'} heard`;
}

/** Clocks this far apart are no worth mentioning: a Date header counts whole seconds. */
const toleratedSkewMs = 2000;

/** `clock 4s ahead`; null when it is near enough, or not known. */
export function skewWords(skewMs: number | null): string | null {
  if (skewMs === null || Math.abs(skewMs) < toleratedSkewMs) return null;
  return `clock ${skewText(skewMs)} ${skewMs > 0 ? 'ahead' : 'behind'}`;
}

/** How far two clocks are apart, to the nearest second: a Date header says no more. */
export function skewText(skewMs: number): string {
  return durationText(Math.round(Math.abs(skewMs) / 1000) * 1000);
}
