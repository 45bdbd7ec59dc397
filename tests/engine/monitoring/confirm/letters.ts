/** Histories written as letters, one sample a minute. */
import { confirm, type Confirmation } from '../../../../src/engine/monitoring/confirm/confirm.ts';
import type { CheckPolicy, ConfirmSample } from '../../../../src/engine/core/sample.ts';
import { freshState, type MonitorState } from '../../../../src/engine/monitoring/confirm/state.ts';
import type { Transition } from '../../../../src/engine/monitoring/confirm/transition.ts';

export const policy: CheckPolicy = {
  failThreshold: 3,
  recoverThreshold: 1,
  degradedOverMs: 1000,
  forgetAfterMs: null,
};

/** u up, s slow, w warned, f failed, ? unknown, r unknown for a dead resolver, l late, m missed; at epoch 60,000 × `minute`. */
export function sampleOf(letter: string, minute: number): ConfirmSample {
  const at = minute * 60_000;
  const check = { kind: 'check' as const, at, latencyMs: 80 };
  switch (letter) {
    case 'u':
      return { ...check, outcome: 'healthy' };
    case 's':
      return { ...check, outcome: 'healthy', latencyMs: 1001 };
    case 'w':
      return { ...check, outcome: 'degraded' };
    case 'f':
      return { ...check, outcome: 'failed', latencyMs: null };
    case '?':
      return { ...check, outcome: 'unknown', latencyMs: null };
    case 'r':
      return { ...check, outcome: 'unknown', latencyMs: null, ownFault: 'resolver' };
    case 'l':
      return { kind: 'late', at, dueAt: at - 1000 };
    case 'm':
      return { kind: 'missed', at, dueAt: at - 90_000 };
    default:
      throw new Error(`no sample is written ${letter}`);
  }
}

export interface Run {
  readonly state: MonitorState;
  /** The status shown after each sample: u, d(egraded), D(own), ?. */
  readonly shown: string;
  readonly transitions: readonly Transition[];
  readonly last: Confirmation | null;
}

/** Feeds a history, the first sample at minute `from`. */
export function run(
  letters: string,
  {
    given = policy,
    start = freshState,
    from = 0,
  }: { given?: CheckPolicy; start?: MonitorState; from?: number } = {},
): Run {
  let state = start;
  let shown = '';
  let last: Confirmation | null = null;
  const transitions: Transition[] = [];
  for (const [index, letter] of letters.split('').entries()) {
    last = confirm(state, sampleOf(letter, from + index), given);
    state = last.state;
    shown += { up: 'u', degraded: 'd', down: 'D', unknown: '?' }[state.status];
    transitions.push(...last.transitions);
  }
  return { state, shown, transitions, last };
}

/** The transitions of a history, but for the status shown: `opened 3-5` is started in minute 3, confirmed in minute 5. */
export function notified(transitions: readonly Transition[]): string[] {
  const minute = (at: number) => String(at / 60_000);
  return transitions.flatMap((transition) => {
    switch (transition.kind) {
      case 'incident_opened':
        return [`opened ${minute(transition.startedAt)}-${minute(transition.confirmedAt)}`];
      case 'incident_closed':
        return [`closed ${minute(transition.startedAt)}-${minute(transition.endedAt)}`];
      case 'degraded_confirmed':
        return [`degraded ${minute(transition.startedAt)}-${minute(transition.confirmedAt)}`];
      case 'degraded_ended':
        return [
          `degraded until ${minute(transition.endedAt)}${transition.by === 'outage' ? ', then down' : ''}`,
        ];
      case 'unknown_confirmed':
        return [`unknown ${minute(transition.startedAt)}-${minute(transition.confirmedAt)}`];
      case 'unknown_ended':
        return [`checked again ${minute(transition.startedAt)}-${minute(transition.endedAt)}`];
      case 'status_changed':
        return [];
    }
  });
}
