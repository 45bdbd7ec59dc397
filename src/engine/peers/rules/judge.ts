/** Decides whether a silent peer is down, given what the other peers report of it. */
import { durationText } from '../../core/duration.ts';
import { saysDown } from './silence.ts';
import type { PeerState } from './state.ts';

/** What one other node says of the peer in question. */
export interface PeerReport {
  /** The name of the peer that reports. */
  readonly by: string;
  /** `unanswered`: it was not reached, or does not let this node know. */
  readonly saw: 'up' | 'not_up' | 'unanswered';
  /** How long ago that peer received its heartbeat; null: it does not say. */
  readonly ageMs: number | null;
}

export type PeerVerdict =
  | { readonly kind: 'down'; readonly reason: string }
  | { readonly kind: 'link_degraded'; readonly seenBy: readonly string[]; readonly reason: string };

export interface SilentPeer {
  readonly state: PeerState;
  readonly expectEveryMs: number;
  readonly hearingSinceAt: number;
  readonly nowAt: number;
}

/** What others were asked, when they were. */
export interface PeerReports {
  readonly reports: readonly PeerReport[];
  /** The peer itself was asked, and answered that it is healthy. */
  readonly isItselfUp: boolean;
}

/** For the jitter of a heartbeat, and ages that are given in whole seconds. */
const slack = { factor: 1.1, ms: 1000 } as const;

/** `hearsay` null: no peer is to be asked. What the peer says of itself needs no report of another. */
export function judgePeer(silentPeer: SilentPeer, heard: PeerReports | null): PeerVerdict {
  const { state, hearingSinceAt } = silentPeer;
  if (saysDown(state, hearingSinceAt)) {
    const said = state.message === null ? '' : `: ${state.message}`;
    return { kind: 'down', reason: `it says itself that it is down${said}` };
  }
  const silence = silenceInWords(silentPeer);
  if (heard === null) return { kind: 'down', reason: silence };
  const { reports, isItselfUp } = heard;
  const seenBy = reports.filter((each) => seesItNow(each, silentPeer)).map(({ by }) => by);
  if (isItselfUp) return { kind: 'link_degraded', seenBy, reason: `${silence}, though it answers itself` };
  if (seenBy.length > 0) return { kind: 'link_degraded', seenBy, reason: silence };
  return { kind: 'down', reason: `${silence}${corroboration(reports)}` };
}

/**
 * Whether the reporting peer receives its heartbeats at present. One that received the last before it fell silent here
 * takes it for up until its own deadline, which says nothing: so the last has to be as recent as a heartbeat can be.
 */
function seesItNow({ saw, ageMs }: PeerReport, { state, expectEveryMs }: SilentPeer): boolean {
  if (saw !== 'up') return false;
  return ageMs === null || ageMs <= (state.everyMs ?? expectEveryMs) * slack.factor + slack.ms;
}

function silenceInWords({ state, expectEveryMs, hearingSinceAt, nowAt }: SilentPeer): string {
  const expected = `one is expected every ${durationText(expectEveryMs)}`;
  const silentMs = Math.max(0, nowAt - (state.heardAt ?? hearingSinceAt));
  return state.heardAt === null
    ? `it never sent a heartbeat; ${expected}`
    : `no heartbeat for ${durationText(silentMs)}; ${expected}`;
}

function corroboration(reports: readonly PeerReport[]): string {
  const answered = reports.filter(({ saw }) => saw !== 'unanswered').length;
  if (reports.length === 0) return '';
  if (answered === 0) return '; no other node answered';
  const others =
    answered === 1 ? 'the other node that answered does' : `the ${answered} nodes that answered do`;
  return `; ${others} not hear it either`;
}
