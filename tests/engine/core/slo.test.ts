import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  burnRate,
  type BurnRule,
  burnRules,
  burnThreshold,
  errorBudget,
  judgeBurn,
  knownUntil,
  reachableSlo,
  type StatusSecs,
  unreachableRules,
} from '../../../src/engine/core/slo.ts';

const [fast, slow] = burnRules as readonly [BurnRule, BurnRule];
const slo = { uptimePercent: 99.9, windowDays: 30 };

/** A window of `secs` seconds of which `down` were down. */
const of = (secs: number, down: number): StatusSecs => ({ up: secs - down, degraded: 0, down, unknown: 0 });
const nothing: StatusSecs = { up: 0, degraded: 0, down: 0, unknown: 3600 };

function judge(rule: BurnRule, long: StatusSecs, more: { short?: StatusSecs; failedChecks?: number } = {}) {
  const { short = of(rule.shortSecs, rule.shortSecs), failedChecks = 3 } = more;
  const decision = judgeBurn(rule, { slo, failThreshold: 3 }, { long, short, failedChecks });
  return decision.kind === 'calm' ? decision.why : decision.kind;
}

describe('the error budget', () => {
  it('of 99.9 % in 30 days is 43.2 minutes', () => {
    assert.deepEqual(errorBudget(slo, of(2_592_000, 600)), {
      totalMinutes: 43.2,
      spentMinutes: 10,
      leftMinutes: 33.2,
    });
  });
  it('is spent by down alone', () => {
    const secs = { up: 1000, degraded: 90_000, down: 60, unknown: 90_000 };
    assert.equal(errorBudget(slo, secs).spentMinutes, 1);
  });
  it('goes below zero when the promise is broken', () => {
    assert.ok(errorBudget(slo, of(2_592_000, 3000)).leftMinutes < 0);
  });
});

describe('the rate it burns at', () => {
  it('is 1 when exactly as much fails as is allowed', () => {
    assert.equal(burnRate(99.9, of(100_000, 100)), 1);
    assert.equal(burnRate(99.9, of(3600, 3600)), 1000);
    assert.equal(burnRate(50, of(3600, 3600)), 2);
  });
  it('is unknown without data', () => {
    assert.equal(burnRate(99.9, nothing), null);
  });
  it('leaves out time nothing is known of', () => {
    assert.equal(burnRate(90, { up: 900, degraded: 0, down: 100, unknown: 5000 }), 1);
    // Slow is not down, and it is known.
    assert.equal(burnRate(90, { up: 500, degraded: 400, down: 100, unknown: 5000 }), 1);
  });
});

describe('the thresholds', () => {
  const rows: readonly (readonly [days: number, fast: number, slow: number])[] = [
    [30, 14.4, 6],
    [28, 13.44, 5.6],
    [7, 3.36, 1.4],
    [1, 1, 1],
    [365, 175.2, 73],
  ];
  for (const [days, fastRate, slowRate] of rows) {
    it(`in a window of ${days} days are ${fastRate} and ${slowRate}`, () => {
      assert.ok(Math.abs(burnThreshold(fast, days) - fastRate) < 1e-9);
      assert.ok(Math.abs(burnThreshold(slow, days) - slowRate) < 1e-9);
    });
  }
});

describe('a burn', () => {
  it('is fast when an hour used 2 % of the budget and the last five minutes go on', () => {
    assert.equal(judge(fast, of(3600, 52)), 'burning');
    assert.equal(judge(fast, of(3600, 51)), 'below_threshold');
  });
  it('is slow when six hours used 5 % of it and the last half hour goes on', () => {
    assert.equal(judge(slow, of(21_600, 130)), 'burning');
    assert.equal(judge(slow, of(21_600, 129)), 'below_threshold');
  });
  it('is over when the short window no longer shows it', () => {
    assert.equal(judge(fast, of(3600, 600), { short: of(300, 0) }), 'is_over');
    assert.equal(judge(fast, of(3600, 600), { short: of(300, 4) }), 'is_over');
    assert.equal(judge(fast, of(3600, 600), { short: nothing }), 'is_over');
    assert.equal(judge(fast, of(3600, 600), { short: of(300, 5) }), 'burning');
  });
  it('begins at the threshold itself, in the long window as in the short one', () => {
    const daily = { uptimePercent: 99.9, windowDays: 1 };
    const decision = judgeBurn(
      fast,
      { slo: daily, failThreshold: 1 },
      { long: of(3000, 3), short: of(1000, 1), failedChecks: 1 },
    );
    assert.deepEqual(decision, { pace: 'fast', rate: 1, threshold: 1, kind: 'burning' });
  });
  it('needs as many failed checks in the window as confirm a monitor down', () => {
    assert.equal(judge(fast, of(3600, 3600), { failedChecks: 2 }), 'too_few_failures');
    assert.equal(judge(fast, of(3600, 3600), { failedChecks: 3 }), 'burning');
  });
  it('needs samples for half of its long window, however bad they are', () => {
    assert.equal(judge(fast, of(120, 120)), 'too_little_data');
    assert.equal(judge(fast, of(1799, 1799)), 'too_little_data');
    assert.equal(judge(fast, of(1800, 1800)), 'burning');
    assert.equal(judge(slow, of(10_799, 10_799)), 'too_little_data');
    assert.equal(judge(slow, of(10_800, 10_800)), 'burning');
    assert.equal(judge(fast, { up: 0, degraded: 0, down: 1000, unknown: 2600 }), 'too_little_data');
  });
  it('counts what went on since the last outage with messages of its own: flaps have none', () => {
    const outage = (confirmedAt: number, endedAt: number | null) => ({ confirmedAt, endedAt });
    assert.equal(knownUntil([], 30_000), -Infinity);
    assert.equal(knownUntil([outage(0, 29_999), outage(50_000, null)], 30_000), -Infinity);
    assert.equal(knownUntil([outage(90_000, 100_000), outage(10_000, 40_000)], 30_000), 40_000);
    assert.equal(knownUntil([outage(10_000, 10_001)], 0), 10_001);
  });
  it('is never seen without data', () => {
    assert.equal(judge(fast, nothing), 'no_data');
  });
  it('of a promise that allows more than can burn at that pace is never fast', () => {
    const decision = judgeBurn(
      fast,
      { slo: { uptimePercent: 90, windowDays: 30 }, failThreshold: 1 },
      { long: of(3600, 3600), short: of(300, 300), failedChecks: 60 },
    );
    assert.deepEqual(decision, {
      pace: 'fast',
      rate: 10,
      threshold: 14.4,
      kind: 'calm',
      why: 'below_threshold',
    });
  });
  it('that no outage is enough for is known beforehand, with the SLO and the window that would do', () => {
    for (const [uptimePercent, windowDays, paces] of [
      [99.9, 30, []],
      [93.06, 30, []],
      [93.05, 30, ['fast']],
      [90, 20, []],
      [90, 21, ['fast']],
      [80, 30, ['fast', 'slow']],
      [1, 1, []],
    ] as const) {
      const slo = { uptimePercent, windowDays };
      const missed = unreachableRules(slo);
      assert.deepEqual(
        missed.map(({ pace }) => pace),
        paces,
        `${uptimePercent} ${windowDays}`,
      );
      for (const rule of missed) {
        const cure = reachableSlo(rule, slo);
        const raised = unreachableRules({ ...slo, uptimePercent: cure.uptimePercent });
        const shortened = unreachableRules({ ...slo, windowDays: cure.windowDays });
        assert.ok(![...raised, ...shortened].includes(rule));
      }
    }
  });
  it('says the rate and the threshold it was held against', () => {
    const decision = judgeBurn(
      slow,
      { slo: { uptimePercent: 99, windowDays: 30 }, failThreshold: 3 },
      { long: of(21_600, 2160), short: of(1800, 1800), failedChecks: 36 },
    );
    assert.deepEqual(decision, { pace: 'slow', rate: 10, threshold: 6, kind: 'burning' });
  });
});
