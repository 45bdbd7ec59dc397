/** The comparison with peers: a row a monitor, a column a node. */
import type { PeerVerdictRow } from '../../db/tables/peers.ts';
import type { Monitor, Peer } from '../../engine/config/config.ts';
import type { Status } from '../../engine/core/status.ts';
import type { VerdictAnswer, PeerHealthAnswer } from '../../engine/peers/client/clients.ts';
import type { PeerView } from '../../engine/views/peers.ts';

/** How a monitor looks from one peer. */
export type PeerCell =
  | {
      readonly kind: 'seen';
      readonly source: 'live' | 'stored';
      readonly status: Status;
      readonly latencyMs: number | null;
      readonly error: string | null;
      readonly at: number;
    }
  /** The peer does not watch it. */
  | { readonly kind: 'unwatched' }
  /** There is nothing to ask: it has no target. */
  | { readonly kind: 'without_target' }
  /** There is no way to ask this peer. */
  | { readonly kind: 'unasked' }
  | { readonly kind: 'unknown'; readonly error: string | null };

export interface MatrixRow {
  readonly id: string;
  readonly name: string;
  /** As it is here; `at` null: never checked. */
  readonly here: { readonly status: Status; readonly latencyMs: number | null; readonly at: number | null };
  /** By id of the peer. */
  readonly views: ReadonlyMap<string, PeerCell>;
}

export interface Node {
  readonly id: string;
  readonly name: string;
  /** What is known of its heartbeats; null: it is not watched. */
  readonly heard: Pick<PeerView, 'state' | 'age'> | null;
  /** `null`: there is no way to ask it, for it has no ping_url. */
  readonly isReachable: boolean | null;
  readonly error: string | null;
  readonly skewMs: number | null;
}

export interface Matrix {
  /** What this node calls itself. */
  readonly node: string | null;
  readonly at: number;
  readonly rows: readonly MatrixRow[];
  readonly nodes: readonly Node[];
}

/** The result of asking one peer. */
export interface AskedPeer {
  readonly peer: Peer;
  /** Null: it has no address to ask. */
  readonly health: PeerHealthAnswer | null;
  /** By id of the monitor; what is missing was not asked in time. */
  readonly verdicts: ReadonlyMap<string, VerdictAnswer>;
}

export function viewOf(
  monitor: Monitor,
  { health, verdicts }: AskedPeer,
  { stored, nowAt }: { readonly stored: PeerVerdictRow | null; readonly nowAt: number },
): PeerCell {
  if (monitor.kind === 'push' || monitor.kind === 'exec') return { kind: 'without_target' };
  const answer = verdicts.get(monitor.id) ?? null;
  if (answer?.kind === 'unknown_target') return { kind: 'unwatched' };
  if (answer?.kind === 'answered') {
    const { status, latencyMs, error } = answer;
    return { kind: 'seen', source: 'live', status, latencyMs, error, at: nowAt };
  }
  if (stored !== null) {
    const { status, latencyMs, error, at } = stored;
    return { kind: 'seen', source: 'stored', status, latencyMs, error, at };
  }
  if (health === null) return { kind: 'unasked' };
  return { kind: 'unknown', error: answer === null ? troubleOf(health) : troubleOf(answer) };
}

export function nodeOf({ peer, health, verdicts }: AskedPeer, heard: PeerView | null): Node {
  const answers = [...verdicts.values()];
  const failed = answers.find(({ kind }) => kind === 'refused' || kind === 'unreachable') ?? null;
  const skews = [health, ...answers].flatMap((answer) =>
    answer?.kind === 'answered' && answer.skewMs !== null ? [answer.skewMs] : [],
  );
  const error = troubleOf(health) ?? troubleOf(failed);
  return {
    id: peer.id,
    name: peer.name,
    heard: heard === null ? null : { state: heard.state, age: heard.age },
    isReachable: health === null ? null : error === null,
    error,
    skewMs: skews[0] ?? heard?.clock_skew_ms ?? null,
  };
}

/** Why there is no answer, in words; null: there is one, or it is only busy. */
function troubleOf(answer: PeerHealthAnswer | VerdictAnswer | null): string | null {
  switch (answer?.kind) {
    case 'refused':
      return answer.status === 401
        ? 'it does not accept the token'
        : `it refused the question (${answer.status})`;
    case 'unreachable':
      return answer.error;
    case 'answered':
    case 'busy':
    case 'unknown_target':
    case undefined:
      return null;
  }
}
