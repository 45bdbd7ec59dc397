/** Takes a peer from one state to the next: a heartbeat, or what was decided about its silence. */
import type { HeartbeatStatus } from '../../monitoring/heartbeats/silence.ts';
import { freshPeer, isTroubled, type PeerState } from './state.ts';
import type { PeerVerdict } from './judge.ts';

export interface PeerBeat {
  readonly status: HeartbeatStatus;
  /** One line without secrets. */
  readonly message: string | null;
}

/** What a heartbeat ended. */
export interface TroubleOver {
  readonly from: 'down' | 'link_degraded';
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface PeerHeartbeatEffect {
  readonly state: PeerState;
  /** Null: there was no trouble, or it is not over yet. */
  readonly over: TroubleOver | null;
}

/** A measured rhythm forgets an unusually long pause slowly, an extra heartbeat at once. */
const forgetting = 0.9;

/** A heartbeat at `at`. `expectEveryMs` null: the peer is not watched, so nothing is made of it. */
export function applyPeerHeartbeat(
  before: PeerState,
  { status, message }: PeerBeat,
  { at, expectEveryMs }: { readonly at: number; readonly expectEveryMs: number | null },
): PeerHeartbeatEffect {
  const said = { heardAt: at, says: status, message };
  const isDown = status === 'down';
  const saysDownSinceAt = isDown ? (before.saysDownSinceAt ?? at) : null;
  if (expectEveryMs === null)
    return { state: { ...unwatched(before), ...said, saysDownSinceAt }, over: null };
  const everyMs = scheduleOf(before, at, expectEveryMs);
  const state = { ...before, ...said, saysDownSinceAt, everyMs };
  if (isDown) return { state, over: null };
  return {
    state: {
      ...state,
      state: 'up',
      sinceAt: before.state === 'up' ? before.sinceAt : at,
      troubleAt: null,
      reason: null,
      seenBy: [],
    },
    over:
      isTroubled(before.state) && before.troubleAt !== null
        ? { from: before.state, startedAt: before.troubleAt, endedAt: Math.max(at, before.troubleAt) }
        : null,
  };
}

export interface SettledPeer {
  readonly state: PeerState;
  /** Whether it is news: a broken link that is still broken is none. */
  readonly isNews: boolean;
}

/** What was decided at `at` about a silence that is due since `lateAt`. */
export function settlePeer(
  before: PeerState,
  verdict: PeerVerdict,
  { at, lateAt }: { readonly at: number; readonly lateAt: number },
): SettledPeer {
  const isNews = before.state !== verdict.kind;
  return {
    state: {
      ...before,
      state: verdict.kind,
      sinceAt: isNews ? at : before.sinceAt,
      troubleAt: before.troubleAt ?? lateAt,
      reason: verdict.reason,
      seenBy: verdict.kind === 'link_degraded' ? verdict.seenBy : [],
    },
    isNews,
  };
}

/** The same, with nothing heard later than now: the clock was set back. */
export function notAfter(state: PeerState, now: number): PeerState {
  const { heardAt, saysDownSinceAt } = state;
  if ((heardAt ?? now) <= now && (saysDownSinceAt ?? now) <= now) return state;
  return {
    ...state,
    heardAt: heardAt === null ? null : Math.min(heardAt, now),
    saysDownSinceAt: saysDownSinceAt === null ? null : Math.min(saysDownSinceAt, now),
  };
}

/** What stays known of a peer that is no longer watched: when its last heartbeat came. */
export function unwatched({ heardAt, says, message, saysDownSinceAt }: PeerState): PeerState {
  return { ...freshPeer, heardAt, says, message, saysDownSinceAt };
}

function scheduleOf(
  { state, heardAt, everyMs }: PeerState,
  at: number,
  expectEveryMs: number,
): number | null {
  if (heardAt === null || isTroubled(state)) return everyMs;
  const known = forgetting * (everyMs ?? 0);
  return Math.round(Math.min(expectEveryMs, Math.max(at - heardAt, known, 0)));
}
