import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  latenciesOf,
  percentile,
  countOver,
  type Latencies,
} from '../../../../src/engine/views/tune/latency.ts';
import { adviseLimit, twoDigitsUp, type LimitFacts } from '../../../../src/engine/views/tune/limit.ts';
import { latencyBuckets, runBuckets } from '../../../../src/engine/views/tune/tuning.ts';
import { historyOf, minuteMs, startAt } from '../../alerting/replay/letters.ts';

const dayMs = 86_400_000;
const latencies: Latencies = {
  sorted: Float64Array.from({ length: 2000 }, (_, index) => 100 + index / 10),
  usualMs: 250,
};
const advise = (changes: Partial<LimitFacts>) => {
  const facts: LimitFacts = {
    latencies,
    presentMs: null,
    timeoutMs: 10_000,
    watchedMs: 28 * dayMs,
    tryLimit: () => ({ spells: 0, spellMs: 0 }),
    ...changes,
  };
  const { limitMs, reason } = adviseLimit(facts);
  return [limitMs, reason];
};

describe('recommending a degraded_over_ms', () => {
  it('starts a quarter above what a usual day stays below, in two digits', () => {
    assert.deepEqual(advise({}), [320, 'none_set']);
    assert.deepEqual([847, 1210, 320, 99.2, 7].map(twoDigitsUp), [850, 1300, 320, 100, 7]);
  });

  it('climbs until it means no more than two spells a week and 2 % of the time', () => {
    const often = (limitMs: number) => ({ spells: limitMs < 400 ? 9 : 8, spellMs: 0 });
    assert.deepEqual(advise({ tryLimit: often }), [400, 'none_set']);
    const long = (limitMs: number) => ({ spells: 1, spellMs: limitMs < 500 ? dayMs : 0.5 * dayMs });
    assert.deepEqual(advise({ tryLimit: long }), [500, 'none_set']);
    assert.deepEqual(advise({ tryLimit: () => ({ spells: 99, spellMs: 0 }) }), [null, 'too_erratic']);
  });

  it('keeps a limit that means something, tight or wide', () => {
    assert.deepEqual(advise({ presentMs: 280 }), [280, 'fits']);
    assert.deepEqual(advise({ presentMs: 5000 }), [5000, 'never_reached']);
  });

  it('raises one that is exceeded too often', () => {
    const tryLimit = (limitMs: number) => ({ spells: limitMs < 300 ? 50 : 1, spellMs: 0 });
    assert.deepEqual(advise({ presentMs: 200, tryLimit }), [320, 'too_tight']);
  });

  it('recommends none without latencies, from too few of them, below 100 ms or beyond the timeout', () => {
    const none = { sorted: new Float64Array(), usualMs: null };
    assert.deepEqual(advise({ latencies: none }), [null, 'no_latency']);
    assert.deepEqual(advise({ latencies: { ...latencies, sorted: latencies.sorted.slice(0, 999) } }), [
      null,
      'too_few',
    ]);
    assert.deepEqual(advise({ latencies: { ...latencies, usualMs: 3 } }), [100, 'none_set']);
    assert.deepEqual(advise({ timeoutMs: 320 }), [null, 'beyond_timeout']);
  });
});

describe('the latencies of a history', () => {
  it('leave out what was answered while it failed, and what was not answered', () => {
    const history = historyOf('u3 f3 u2 s');
    const failure = {
      startedAt: startAt + 2 * minuteMs,
      endedAt: startAt + 6 * minuteMs,
      checks: 4,
      seenMs: 0,
      isOutage: false,
    };
    assert.deepEqual([...latenciesOf(history, [failure]).sorted], [100, 100, 100, 100, 900]);
  });

  it('know a usual day by the median of the days, so that one bad evening counts for little', () => {
    const day = (letter: string) => `u1400 ${letter}40`;
    const text = ['u', 's', 'u', 'u', 's'].map(day).join(' ');
    const { usualMs, sorted } = latenciesOf(historyOf(text), []);
    assert.equal(usualMs, 100);
    assert.equal(percentile(sorted, 0.995), 900);
    assert.equal(latenciesOf(historyOf('u100'), []).usualMs, null);
  });

  it('are sorted alike, counted or compared', () => {
    const history = historyOf('u40');
    const mixed = [3, 70_000.5, 0, 12, 12, 4];
    mixed.forEach((value, index) => {
      history.latencies[index] = value;
    });
    const { sorted } = latenciesOf(history, []);
    assert.deepEqual(
      [...sorted],
      [...history.latencies].sort((a, b) => a - b),
    );
    assert.equal(countOver(sorted, 12), 35);
    assert.equal(countOver(sorted, 80_000), 0);
  });

  it('fall into buckets that hold all of them', () => {
    const buckets = latencyBuckets(Float64Array.from([0, 1, 99, 100, 101, 100_000]));
    assert.equal(
      buckets.reduce((sum, { count }) => sum + count, 0),
      6,
    );
    assert.deepEqual(
      buckets.find(({ toMs }) => toMs === 100),
      { overMs: 70, toMs: 100, count: 2 },
    );
    assert.deepEqual(latencyBuckets(new Float64Array()), []);
    const failure = { startedAt: 0, endedAt: 1, seenMs: 0, isOutage: true };
    assert.deepEqual(runBuckets([{ ...failure, checks: 2 }]), [
      { from: 1, to: 1, count: 0, outages: 0 },
      { from: 2, to: 2, count: 1, outages: 1 },
    ]);
  });
});
