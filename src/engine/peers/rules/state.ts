/** The stored state of a peer, decoded by `readPeerState`. */
import { aCount, aText, fieldsOf, oneOf, readAs, readList } from '../../core/decode.ts';
import { type HeartbeatStatus, heartbeatStatuses } from '../../monitoring/heartbeats/silence.ts';

/**
 * `unknown`: not heard yet, or not watched. `down`: silent, or it says itself that it is down. `link_degraded`: silent
 * here, while another node still receives its heartbeats.
 */
export const peerStatuses = ['unknown', 'up', 'down', 'link_degraded'] as const;
export type PeerStatus = (typeof peerStatuses)[number];

/** Instants are epoch ms. */
export interface PeerState {
  readonly state: PeerStatus;
  /** Since when it is in this state; null: it never was in another. */
  readonly sinceAt: number | null;
  /** The last heartbeat, whatever it said; null: never one. */
  readonly heardAt: number | null;
  /** The time between two heartbeats as it was measured, never above what is expected; null: not measured. */
  readonly everyMs: number | null;
  /** What the last heartbeat said of its sender; null: none received. */
  readonly says: HeartbeatStatus | null;
  /** The first of the heartbeats in a row that said `down`; null: the last one did not. */
  readonly saysDownSinceAt: number | null;
  /** The words of the last heartbeat: one line without secrets. */
  readonly message: string | null;
  /** When the trouble that was notified began, which also names it; null: there is none. */
  readonly troubleAt: number | null;
  /** What was last found out about the trouble, a sentence for the operator without a full stop. */
  readonly reason: string | null;
  /** Names of the peers that still receive its heartbeats (`link_degraded`). */
  readonly seenBy: readonly string[];
}

export const freshPeer: PeerState = {
  state: 'unknown',
  sinceAt: null,
  heardAt: null,
  everyMs: null,
  says: null,
  saysDownSinceAt: null,
  message: null,
  troubleAt: null,
  reason: null,
  seenBy: [],
};

const aPeerStatus = oneOf(peerStatuses);
const aHeartbeatStatus = oneOf(heartbeatStatuses);

/** A stored document as a PeerState. What another version wrote, or nobody, is read as far as it can be. */
export function readPeerState(document: unknown): PeerState {
  const fields = fieldsOf(document);
  const instant = (key: string) => readAs(fields[key], aCount);
  const text = (key: string) => readAs(fields[key], aText);
  const state = readAs(fields['state'], aPeerStatus) ?? 'unknown';
  const troubleAt = instant('troubleAt');
  // A trouble without a name cannot be ended: it is found again, if it lasts.
  const isWhole = (state !== 'down' && state !== 'link_degraded') || troubleAt !== null;
  return {
    state: isWhole ? state : 'unknown',
    sinceAt: instant('sinceAt'),
    heardAt: instant('heardAt'),
    everyMs: instant('everyMs'),
    says: readAs(fields['says'], aHeartbeatStatus),
    saysDownSinceAt: instant('saysDownSinceAt'),
    message: text('message'),
    troubleAt: isTroubled(state) ? troubleAt : null,
    reason: text('reason'),
    seenBy: readList(fields['seenBy'], aText),
  };
}

/** Whether something was notified that has to end. */
export function isTroubled(state: PeerStatus): state is 'down' | 'link_degraded' {
  return state === 'down' || state === 'link_degraded';
}
