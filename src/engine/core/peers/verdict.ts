/** Decides whether a silent peer is down, given what the others say they hear of it. */
import { spanInWords } from '../tell/words.ts';
import { saysDown } from './silence.ts';
import type { PeerState } from './state.ts';

/** What one other node says of the peer in question. */
export interface Testimony {
  /** The name of the witness. */
  readonly by: string;
  /** `unanswered`: it was not reached, or does not let this node know. */
  readonly saw: 'up' | 'not_up' | 'unanswered';
  /** How long ago the witness heard it; null: it does not say. */
  readonly ageMs: number | null;
}

export type PeerVerdict =
  | { readonly kind: 'down'; readonly reason: string }
  | { readonly kind: 'link_degraded'; readonly seenBy: readonly string[]; readonly reason: string };

export interface Silent {
  readonly state: PeerState;
  readonly expectEveryMs: number;
  readonly hearingSinceAt: number;
  readonly nowAt: number;
}

/** What others were asked, when they were. */
export interface Hearsay {
  readonly testimonies: readonly Testimony[];
  /** The peer itself was asked, and answered that all is well with it. */
  readonly isItselfWell: boolean;
}

/** For the jitter of a heartbeat, and ages that are told in whole seconds. */
const slack = { factor: 1.1, ms: 1000 } as const;

/** `hearsay` null: nobody is to be asked. What the peer says of itself needs no witness. */
export function judgePeer(silent: Silent, hearsay: Hearsay | null): PeerVerdict {
  const { state, hearingSinceAt } = silent;
  if (saysDown(state, hearingSinceAt)) {
    const said = state.message === null ? '' : `: ${state.message}`;
    return { kind: 'down', reason: `it says itself that it is down${said}` };
  }
  const silence = silenceInWords(silent);
  if (hearsay === null) return { kind: 'down', reason: silence };
  const { testimonies, isItselfWell } = hearsay;
  const seenBy = testimonies.filter((each) => seesItNow(each, silent)).map(({ by }) => by);
  if (isItselfWell) return { kind: 'link_degraded', seenBy, reason: `${silence}, though it answers itself` };
  if (seenBy.length > 0) return { kind: 'link_degraded', seenBy, reason: silence };
  return { kind: 'down', reason: `${silence}${corroboration(testimonies)}` };
}

/**
 * Whether the witness hears the peer at present. One that heard it last before it fell silent here believes it up until
 * its own deadline, which says nothing: so it has to have heard it within the time that a heartbeat takes to come.
 */
function seesItNow({ saw, ageMs }: Testimony, { state, expectEveryMs }: Silent): boolean {
  if (saw !== 'up') return false;
  return ageMs === null || ageMs <= (state.everyMs ?? expectEveryMs) * slack.factor + slack.ms;
}

function silenceInWords({ state, expectEveryMs, hearingSinceAt, nowAt }: Silent): string {
  const expected = `one is expected every ${spanInWords(expectEveryMs)}`;
  const silentMs = Math.max(0, nowAt - (state.heardAt ?? hearingSinceAt));
  return state.heardAt === null
    ? `it was never heard; ${expected}`
    : `no heartbeat for ${spanInWords(silentMs)}; ${expected}`;
}

function corroboration(testimonies: readonly Testimony[]): string {
  const answered = testimonies.filter(({ saw }) => saw !== 'unanswered').length;
  if (testimonies.length === 0) return '';
  if (answered === 0) return '; no other node answered';
  const others =
    answered === 1 ? 'the other node that answered does' : `the ${answered} nodes that answered do`;
  return `; ${others} not hear it either`;
}
