import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirm } from '../../../../src/engine/core/confirm/confirm.ts';
import { resume } from '../../../../src/engine/core/confirm/resume.ts';
import { freshState, readState, type State } from '../../../../src/engine/core/confirm/state.ts';
import { randomOf } from '../../../support/random.ts';
import { randomHistory, type Step } from './random-histories.ts';
import { modelOf } from './reference-model.ts';

type Confirm = typeof confirm;

const stepsInAll = 50_000;
const stepsInOne = 500;

/** Runs random histories through both; answers what differed first, or null. */
function firstDifference(seed: number, subject: Confirm): string | null {
  const random = randomOf(seed);
  for (let history = 0; history < stepsInAll / stepsInOne; history++) {
    const difference = differenceOf(randomHistory(random), subject);
    if (difference !== null) return `history ${history}: ${difference}`;
  }
  return null;
}

function differenceOf(steps: Iterator<Step, never>, subject: Confirm): string | null {
  const model = modelOf();
  let state = freshState;
  let open: { readonly startedAt: number; readonly confirmedAt: number } | null = null;
  for (let index = 0; index < stepsInOne; index++) {
    const step = steps.next().value;
    if (step.kind === 'restart') {
      const stored = step.keeps === 'all' ? readState(JSON.parse(JSON.stringify(state))) : freshState;
      assert.ok(stored, 'a stored state can be read');
      state = resume(stored, open);
      if (step.keeps === 'record') model.forget();
      continue;
    }
    const confirmation = subject(state, step.sample, step.policy);
    const told = model.step(step.sample, step.policy);
    state = confirmation.state;
    for (const transition of confirmation.transitions) {
      if (transition.kind === 'incident_opened') {
        if (open !== null) return `step ${index}: a second open incident`;
        open = transition;
      }
      if (transition.kind === 'incident_closed') {
        if (open === null) return `step ${index}: closed what was not open`;
        open = null;
      }
    }
    const [mine, theirs] = [confirmation.transitions, told].map((each) => JSON.stringify(each.map(sorted)));
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

/** Each of them does one thing wrong. */
const broken: Readonly<Record<string, Confirm>> = {
  'one failure too late': (state, sample, policy) =>
    confirm(state, sample, { ...policy, failThreshold: policy.failThreshold + 1 }),
  'an unknown sample breaks the failures': (state, sample, policy) => {
    const confirmation = confirm(state, sample, policy);
    return sample.kind === 'check' && sample.outcome === 'unknown'
      ? changed(confirmation, { failures: null })
      : confirmation;
  },
  'an unknown sample is a failure': (state, sample, policy) =>
    confirm(
      state,
      sample.kind === 'check' && sample.outcome === 'unknown' ? { ...sample, outcome: 'failed' } : sample,
      policy,
    ),
  'a slow answer keeps the failures': (state, sample, policy) => {
    const confirmation = confirm(state, sample, policy);
    return confirmation.why.finding === 'slow'
      ? changed(confirmation, { failures: state.failures })
      : confirmation;
  },
  'a failure keeps the recoveries': (state, sample, policy) => {
    const confirmation = confirm(state, sample, policy);
    return confirmation.why.finding === 'failed'
      ? changed(confirmation, { recoveries: state.recoveries })
      : confirmation;
  },
  'nothing is ever forgotten': (state, sample, policy) =>
    confirm(state, sample, { ...policy, forgetAfterMs: null }),
  'a re-attached incident waits for the threshold': (state, sample, policy) =>
    confirm(
      state.incident === null ? state : { ...state, incident: { ...state.incident, isReattached: false } },
      sample,
      policy,
    ),
};

function changed(confirmation: ReturnType<Confirm>, change: Partial<State>): ReturnType<Confirm> {
  return { ...confirmation, state: { ...confirmation.state, ...change } };
}

describe('the state machine', () => {
  const seed = Number(process.env['STATUSD_SEED'] ?? Date.now() % 2 ** 31);

  it(`equals the reference model over ${stepsInAll} random steps (A1)`, () => {
    console.log(`  seed ${seed}`);
    assert.equal(firstDifference(seed, confirm), null, `seed ${seed}`);
  });

  for (const [fault, subject] of Object.entries(broken)) {
    it(`would not equal it if ${fault}`, () => {
      assert.notEqual(firstDifference(seed, subject), null, `seed ${seed}`);
    });
  }
});
