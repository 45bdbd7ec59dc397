import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirm } from '../../../../src/engine/monitoring/confirm/confirm.ts';
import type { MonitorState } from '../../../../src/engine/monitoring/confirm/state.ts';
import { type Confirm, firstDifference } from './compare.ts';

const steps = 50_000;

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
  'a standstill counts as a fault to report': (state, sample, policy) =>
    confirm(
      state,
      sample.kind === 'check' && sample.outcome === 'unknown' ? { ...sample, ownFault: 'resolver' } : sample,
      policy,
    ),
  'a failure leaves it unchecked': (state, sample, policy) => {
    const confirmation = confirm(state, sample, policy);
    return confirmation.why.finding === 'failed' && state.unchecked !== null
      ? changed(confirmation, { unchecked: state.unchecked })
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

function changed(confirmation: ReturnType<Confirm>, change: Partial<MonitorState>): ReturnType<Confirm> {
  return { ...confirmation, state: { ...confirmation.state, ...change } };
}

describe('the state machine', () => {
  const seed = Number(process.env['STATUSD_SEED'] ?? Date.now() % 2 ** 31);

  it(`equals the reference model over ${steps} random steps (A1)`, () => {
    console.log(`  seed ${seed}`);
    assert.equal(firstDifference({ seed, subject: confirm, steps }), null, `seed ${seed}`);
  });

  it('differs where it stores what cannot be read again', () => {
    const subject = broken['a failure leaves it unchecked'] as Confirm;
    assert.match(firstDifference({ seed: 519, subject, steps }) ?? '', /a stored state cannot be read$/u);
  });

  for (const [fault, subject] of Object.entries(broken)) {
    it(`would not equal it if ${fault}`, () => {
      // A rare fault may not come up in one run of so many steps.
      const seeds = Array.from({ length: 10 }, (_, index) => seed + index);
      assert.ok(
        seeds.some((each) => firstDifference({ seed: each, subject, steps }) !== null),
        `seed ${seed}`,
      );
    });
  }
});
