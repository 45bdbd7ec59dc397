import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { confirm } from '../../../../src/engine/monitoring/confirm/confirm.ts';
import { freshState, type MonitorState } from '../../../../src/engine/monitoring/confirm/state.ts';
import { sampleAt, type SampleHistory } from '../../../../src/engine/core/sample-history.ts';
import { replay } from '../../../../src/engine/alerting/replay/replay.ts';
import { checkProperty } from '../../../support/property.ts';
import { historyOf, minuteMs, policy, startAt } from './letters.ts';

const options = { policy, holdMs: 82_000, graceMs: 0 };
const minute = (count: number) => startAt + count * minuteMs;

describe('replay', () => {
  it('finds the outages that the daemon would have confirmed, with their checks', () => {
    const { outages } = replay(historyOf('u5 f2 u3 f4 u5'), options);
    assert.deepEqual(outages, [
      { startedAt: minute(10), confirmedAt: minute(12), endedAt: minute(14), checks: 4, unseenMs: 0 },
    ]);
  });

  it('counts no streak across a time without checks', () => {
    assert.deepEqual(replay(historyOf('u f2 .20 f2 u'), options).outages, []);
    assert.equal(replay(historyOf('u f2 .10 f2 u'), options).outages.length, 1);
  });

  it('says how much of an outage was not checked', () => {
    const { outages } = replay(historyOf('u f3 .60 f u'), options);
    assert.equal(outages[0]?.unseenMs, 61 * minuteMs - 82_000);
  });

  it('leaves an outage open that the last sample did not end', () => {
    assert.equal(replay(historyOf('u f5'), options).outages[0]?.endedAt, null);
  });

  it('finds degradations by the limit it is given, not by that of the day', () => {
    const history = historyOf('u5 s4 u w3 u');
    assert.equal(replay(history, options).degradations.length, 2);
    const lax = { ...options, policy: { ...policy, degradedOverMs: 1000 } };
    assert.equal(replay(history, lax).degradations.length, 1);
  });

  it('counts the samples of a degradation, and what was not checked of it', () => {
    const { degradations, outages } = replay(historyOf('u5 s4 .10 s u5'), options);
    assert.deepEqual(outages, []);
    assert.deepEqual(degradations, [
      {
        startedAt: minute(5),
        confirmedAt: minute(7),
        endedAt: minute(20),
        checks: 5,
        unseenMs: 11 * minuteMs - 82_000,
      },
    ]);
    const [warned] = replay(historyOf('u w3 u'), options).degradations;
    assert.deepEqual([warned?.startedAt, warned?.checks, warned?.endedAt], [minute(1), 3, minute(4)]);
    assert.equal(replay(historyOf('u w4'), options).degradations[0]?.endedAt, null);
  });

  it('reports its state after the last sample, also when nothing changed', () => {
    const { state } = replay(historyOf('u20'), options);
    assert.deepEqual([state.status, state.knownAt], ['up', minute(19)]);
    const failing = replay(historyOf('u5 f2'), options).state;
    assert.deepEqual([failing.incident, failing.failures?.count], [null, 2]);
    assert.deepEqual(replay(historyOf(''), options).state, freshState);
  });

  it('ends a degradation that becomes an outage, and counts each for itself', () => {
    const { outages, degradations } = replay(historyOf('u s3 f3 u2'), options);
    assert.equal(degradations.length, 1);
    assert.deepEqual([outages.length, outages[0]?.checks], [1, 3]);
    assert.notEqual(degradations[0]?.endedAt, null);
  });

  it('counts a missing heartbeat as a failed check', () => {
    const { outages } = replay(historyOf('u3 l m m u'), { ...options, graceMs: minuteMs });
    assert.deepEqual(outages, [
      { startedAt: minute(3), confirmedAt: minute(4), endedAt: minute(6), checks: 2, unseenMs: 0 },
    ]);
  });

  it('skips only what changes nothing: the same as stepping through every sample', () => {
    checkProperty(
      fc.property(anyHistory, anyPolicy, (history, each) => {
        const all = { policy: each, holdMs: 82_000, graceMs: 30_000 };
        assert.deepEqual(replay(history, all), replay(history, { ...all, isThorough: true }));
        assert.deepEqual(
          spansOf(history, each),
          replay(history, all).outages.map(({ startedAt }) => startedAt),
        );
      }),
      400,
    );
  });
});

/** Runs of one letter: long calm with something in between, as histories are. */
const anyHistory = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(fc.constant('u'), fc.integer({ min: 1, max: 30 })) },
      {
        weight: 4,
        arbitrary: fc.tuple(
          fc.constantFrom('s', 'w', 'f', '?', 'l', 'm', '.'),
          fc.integer({ min: 1, max: 6 }),
        ),
      },
      { weight: 1, arbitrary: fc.tuple(fc.constant('.'), fc.integer({ min: 10, max: 40 })) },
    ),
    { maxLength: 25 },
  )
  .map((runs) => historyOf(runs.map(([letter, times]) => letter.repeat(times)).join('')));

const anyPolicy = fc.record({
  failThreshold: fc.integer({ min: 1, max: 5 }),
  recoverThreshold: fc.integer({ min: 1, max: 4 }),
  degradedOverMs: fc.constantFrom(null, 50, 500),
  forgetAfterMs: fc.constantFrom(null, 900_000),
});

/** The starts of the outages, with nothing of replay but confirm. */
function spansOf(history: SampleHistory, each: typeof policy): number[] {
  let state: MonitorState = freshState;
  const starts: number[] = [];
  history.ats.forEach((_, index) => {
    const next = confirm(state, sampleAt(history, index, 30_000), each);
    state = next.state;
    for (const change of next.transitions)
      if (change.kind === 'incident_opened') starts.push(change.startedAt);
  });
  return starts;
}
