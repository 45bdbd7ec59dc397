import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { watchedMs, type SampleHistory } from '../../../../src/engine/core/sample-history.ts';
import { replay } from '../../../../src/engine/alerting/replay/replay.ts';
import { failuresOf } from '../../../../src/engine/views/tune/failure.ts';
import {
  adviseThreshold,
  latestOf,
  type ThresholdAdvice,
} from '../../../../src/engine/views/tune/threshold.ts';
import { trialOf, type Trial } from '../../../../src/engine/views/tune/trial.ts';
import { checkProperty } from '../../../support/property.ts';
import { historyOf, minuteMs, policy } from '../../alerting/replay/letters.ts';

const holdMs = 82_000;
const dayMs = 86_400_000;

function judge(
  history: SampleHistory,
  {
    present = 3,
    windowMs = 30_000,
    stepMs = minuteMs,
  }: { present?: number; windowMs?: number; stepMs?: number } = {},
): { trials: Trial[]; advice: ThresholdAdvice; now: Trial; then: Trial } {
  const forgetAfterMs = Math.max(900_000, 3 * stepMs);
  const under = (failThreshold: number) =>
    replay(history, {
      policy: { ...policy, failThreshold, forgetAfterMs },
      holdMs: Math.max(holdMs, stepMs),
      graceMs: 0,
    }).outages;
  const failureRuns = failuresOf(under(1), history.ats.at(-1) ?? 0);
  const thresholds = [...new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, present])];
  const trials = thresholds.map((threshold) =>
    trialOf({ threshold, episodes: under(threshold), failures: failureRuns, windowMs }),
  );
  const advice = adviseThreshold({ trials, present, days: Math.max(30, watchedMs(history, holdMs) / dayMs) });
  const of = (wanted: number) => trials.find(({ threshold }) => threshold === wanted) ?? assert.fail();
  return { trials, advice, now: of(present), then: of(advice.threshold) };
}

describe('recommending a fail_threshold', () => {
  it('takes the smallest that absorbs the flaps and keeps every outage', () => {
    const { advice, now, then } = judge(historyOf('u99 f3 u99 f4 u99 f3 u99 f4 u99 f30 u99'));
    assert.deepEqual(advice, { threshold: 5, reason: 'quieter' });
    assert.deepEqual([now.alerts, now.flaps, now.kept], [5, 4, 1]);
    assert.deepEqual([then.alerts, then.flaps, then.kept], [1, 0, 1]);
  });

  it('lets a flap a month pass rather than delay everything', () => {
    assert.deepEqual(judge(historyOf('u99 f3 u99 f30 u99')).advice, { threshold: 3, reason: 'fits' });
  });

  it('goes no further than every outage allows, however much it flaps', () => {
    const { advice } = judge(historyOf('u99 f4 u99 f4 u99 f4 u99 f4 u99 f5 u99'), { windowMs: 0 });
    assert.deepEqual(advice, { threshold: 5, reason: 'quieter' });
  });

  it('delays no outage beyond twice as long as now, or five minutes', () => {
    const trial = (threshold: number, flaps: number, delay: number): Trial => {
      return { threshold, flaps, alerts: 9, kept: 1, delays: [delay], medianMs: delay, worstMs: delay };
    };
    const advised = (delay: number) =>
      adviseThreshold({
        trials: [trial(1, 9, 0), trial(2, 9, 200_000), trial(3, 5, delay), trial(4, 0, delay + 1)],
        present: 2,
        days: 30,
      });
    assert.deepEqual(advised(399_999), { threshold: 4, reason: 'quieter' });
    assert.deepEqual(advised(400_000), { threshold: 3, reason: 'quieter' });
    assert.deepEqual(advised(400_001), { threshold: 2, reason: 'as_good_as_it_gets' });
    assert.deepEqual([latestOf(10_000), latestOf(200_000), latestOf(null)], [300_000, 400_000, Infinity]);
  });

  it('goes down when outages are lost', () => {
    const tenMinutes = 600_000;
    const { advice, now, then } = judge(historyOf('u50 f2 u50 f2 u50', tenMinutes), { stepMs: tenMinutes });
    assert.deepEqual(advice, { threshold: 2, reason: 'keeps_outages' });
    assert.deepEqual([now.kept, then.kept], [0, 2]);
  });

  it('goes down to notify sooner, but only with a check in reserve', () => {
    const two = 'f20 u99 f20 u99';
    assert.deepEqual(judge(historyOf(`u99 ${two}`), { present: 5 }).advice, {
      threshold: 2,
      reason: 'sooner',
    });
    assert.deepEqual(judge(historyOf(`u99 f1 u99 ${two}`), { present: 5 }).advice, {
      threshold: 3,
      reason: 'sooner',
    });
    assert.equal(judge(historyOf('u99 f20 u99'), { present: 5 }).advice.threshold, 5);
  });

  it('never recommends that one failed check is enough', () => {
    assert.equal(judge(historyOf('u99 f20 u99 f20 u99'), { present: 2 }).advice.threshold, 2);
    assert.equal(judge(historyOf('u99'), { present: 1 }).advice.threshold, 1);
  });

  it('leaves alone what nothing can mend, and a threshold that fits', () => {
    const lost = judge(historyOf('u99 f6 u99'), { windowMs: 3_600_000 });
    assert.deepEqual(lost.advice, { threshold: 3, reason: 'fits' });
    assert.deepEqual(judge(historyOf('u99'), { present: 15 }).advice, { threshold: 15, reason: 'fits' });
  });

  it('takes a failure for an outage from five minutes and two checks on, gaps not counted', () => {
    const isOutage = (text: string, stepMs = minuteMs) => {
      const history = historyOf(text, stepMs);
      const { outages } = replay(history, {
        policy: { ...policy, failThreshold: 1 },
        holdMs: Math.max(holdMs, stepMs),
        graceMs: 0,
      });
      return failuresOf(outages, history.ats.at(-1) ?? 0).map((failureRun) => failureRun.isOutage);
    };
    assert.deepEqual(isOutage('u f4 u f5 u'), [false, true]);
    assert.deepEqual(isOutage('u f u f2 u', 3_600_000), [false, true]);
    assert.deepEqual(isOutage('u f2 .30 u'), [false]);
  });

  it('keeps its word on any history', () => {
    checkProperty(
      fc.property(
        anyText,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(0, 30_000, 300_000),
        (text, present, windowMs) => {
          const { trials, advice, now, then } = judge(historyOf(text), { present, windowMs });
          if (advice.threshold === present) return;
          const single = trials[0] ?? assert.fail();
          assert.ok(advice.threshold >= 2 && advice.threshold <= 10);
          then.delays.forEach((delay, index) => {
            if (single.delays[index] === null) return;
            assert.ok(delay !== null, 'an outage is lost');
            assert.ok(delay <= latestOf(now.delays[index] ?? null), 'an outage is told too late');
          });
          assert.ok(then.flaps <= now.flaps || advice.reason === 'keeps_outages');
          assert.ok(advice.threshold < present || then.flaps < now.flaps);
        },
      ),
      100,
    );
  });
});

const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 1, max: 40 }).map((times) => `u${times}`),
      fc.integer({ min: 1, max: 5 }).map((times) => `u f${times} u`),
      fc.integer({ min: 5, max: 25 }).map((times) => `u f${times} u`),
      fc.constantFrom('s', '?3', 'w2', '.3', '.30'),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((parts) => parts.join(' '));
