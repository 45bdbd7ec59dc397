/** Decides when the silence of a watched peer is overdue. Instants are epoch ms. */
import type { PeerState } from './state.ts';

export interface PeerSilenceTerms {
  /** How long it may be silent. */
  readonly expectEveryMs: number;
  /** How long the first heartbeat may take. */
  readonly graceMs: number;
  /** How long it may be late before anything is decided. */
  readonly windowMs: number;
  /** Since when this node could hear without a break: its start, the end of a standstill, the return of its network. */
  readonly hearingSinceAt: number;
  /** When it was last decided about; null: never since this process began. */
  readonly decidedAt: number | null;
}

/** `lookAt`: when it will mean something else, unless a heartbeat comes first. */
export type PeerSilence =
  | { readonly kind: 'heard'; readonly lookAt: number }
  | { readonly kind: 'late'; readonly lateAt: number; readonly lookAt: number }
  /** It is to be decided about now. */
  | { readonly kind: 'due'; readonly lateAt: number }
  /** It is down, and that is decided: only a heartbeat changes it. */
  | { readonly kind: 'decided' };

export function judgeSilence(state: PeerState, terms: PeerSilenceTerms, nowAt: number): PeerSilence {
  if (state.state === 'down') return { kind: 'decided' };
  const dueAt = dueAtOf(state, terms);
  const lateAt = Math.min(lateAtOf(state, terms), dueAt);
  if (nowAt < lateAt) return { kind: 'heard', lookAt: lateAt };
  return nowAt < dueAt ? { kind: 'late', lateAt, lookAt: dueAt } : { kind: 'due', lateAt };
}

/** Whether it says itself that it is down, said often enough to be heard since this node can hear. */
export function saysDown({ saysDownSinceAt, heardAt }: PeerState, hearingSinceAt: number): boolean {
  return saysDownSinceAt !== null && heardAt !== null && heardAt >= hearingSinceAt;
}

/** A link that is broken is looked at again, in case the peer is down by now. */
function dueAtOf(state: PeerState, terms: PeerSilenceTerms): number {
  const { hearingSinceAt, decidedAt, expectEveryMs, windowMs } = terms;
  if (state.state !== 'link_degraded' || saysDown(state, hearingSinceAt))
    return lateAtOf(state, terms) + windowMs;
  return Math.max(decidedAt ?? hearingSinceAt, hearingSinceAt) + expectEveryMs;
}

/** When it is late, unless it is heard before. */
export function lateAtOf(
  state: PeerState,
  { hearingSinceAt, expectEveryMs, graceMs }: Omit<PeerSilenceTerms, 'windowMs' | 'decidedAt'>,
): number {
  const { state: status, heardAt, saysDownSinceAt, troubleAt } = state;
  if (saysDownSinceAt !== null && saysDown(state, hearingSinceAt))
    return Math.max(saysDownSinceAt, hearingSinceAt);
  if (status === 'link_degraded' && troubleAt !== null) return troubleAt;
  if (heardAt === null) return hearingSinceAt + Math.max(graceMs, expectEveryMs);
  return Math.max(heardAt, hearingSinceAt) + expectEveryMs;
}
