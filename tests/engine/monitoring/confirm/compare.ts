/** Runs random histories through the state machine and the reference model, and tells where they differ (A1). */
import type { confirm } from '../../../../src/engine/monitoring/confirm/confirm.ts';
import { resume, type RecordedIncident } from '../../../../src/engine/monitoring/confirm/resume.ts';
import { freshState, readState } from '../../../../src/engine/monitoring/confirm/state.ts';
import { randomOf } from '../../../support/random.ts';
import { randomHistory, type Step } from './random-histories.ts';
import { modelOf } from './reference-model.ts';

export type Confirm = typeof confirm;

export interface Comparison {
  readonly seed: number;
  readonly subject: Confirm;
  /** In all histories together. */
  readonly steps: number;
}

const stepsInOne = 500;

/** What differed first, or null. */
export function firstDifference({ seed, subject, steps }: Comparison): string | null {
  const random = randomOf(seed);
  for (let history = 0; history < steps / stepsInOne; history++) {
    const difference = differenceOf(randomHistory(random), subject);
    if (difference !== null) return `history ${history}: ${difference}`;
  }
  return null;
}

function differenceOf(steps: Iterator<Step, never>, subject: Confirm): string | null {
  const model = modelOf();
  let state = freshState;
  let open: RecordedIncident | null = null;
  for (let index = 0; index < stepsInOne; index++) {
    const step = steps.next().value;
    if (step.kind === 'restart') {
      const stored = step.keeps === 'all' ? readState(JSON.parse(JSON.stringify(state))) : freshState;
      if (stored === null) return `step ${index}: a stored state cannot be read`;
      state = resume(stored, open);
      if (step.keeps === 'record') model.forget();
      continue;
    }
    const confirmation = subject(state, step.sample, step.policy);
    const notified = model.step(step.sample, step.policy);
    state = confirmation.state;
    for (const transition of confirmation.transitions) {
      if (transition.kind === 'incident_opened' || transition.kind === 'unknown_confirmed') {
        if (open !== null) return `step ${index}: a second open incident`;
        open = transition;
      }
      if (transition.kind === 'incident_closed' || transition.kind === 'unknown_ended') {
        if (open === null) return `step ${index}: closed what was not open`;
        open = null;
      }
    }
    const [mine, theirs] = [confirmation.transitions, notified].map((each) =>
      JSON.stringify(each.map(sorted)),
    );
    if (mine !== theirs || state.status !== model.status())
      return `step ${index} ${JSON.stringify(step)}: ${state.status} ${String(mine)} but should be ${model.status()} ${String(theirs)}`;
    if ((state.status === 'down') !== (state.incident !== null))
      return `step ${index}: down without incident`;
    if (state.recoveries > 0 && state.incident === null && state.degradation === null)
      return `step ${index}: recovering from nothing`;
  }
  return null;
}

function sorted(transition: object): unknown {
  return Object.entries(transition).sort(([a], [b]) => a.localeCompare(b));
}
