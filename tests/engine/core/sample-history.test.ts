import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  HistoryBuilder,
  leaveOut,
  marks,
  type RecordedSample,
  watchedMs,
} from '../../../src/engine/core/sample-history.ts';
import { historyOf, minuteMs, startAt } from '../alerting/replay/letters.ts';

const build = (
  isPush: boolean,
  ...samples: readonly (Partial<RecordedSample> & { hasReason?: boolean })[]
) => {
  const builder = new HistoryBuilder({ isPush });
  samples.forEach(({ hasReason = false, ...sample }, index) => {
    const at = startAt + index * minuteMs;
    builder.add({ at, status: 'up', latencyMs: 100, isHeartbeat: isPush, ...sample }, hasReason);
  });
  return [...builder.finish().marks];
};

describe('a history', () => {
  it('takes what was only slow for an answer, which another limit may judge otherwise', () => {
    assert.deepEqual(build(false, { status: 'degraded' }), [marks.answered]);
  });

  it('knows a warning by the reason stored with it, until something else is seen', () => {
    const warned = { status: 'degraded' } as const;
    assert.deepEqual(build(false, { ...warned, hasReason: true }, warned, {}, warned), [
      marks.warned,
      marks.warned,
      marks.answered,
      marks.answered,
    ]);
    assert.deepEqual(build(false, { status: 'down', hasReason: true }, warned), [
      marks.failed,
      marks.answered,
    ]);
    assert.deepEqual(build(false, { ...warned, latencyMs: null }), [marks.warned]);
  });

  it('distinguishes the silence of a push monitor from what a heartbeat said', () => {
    const silence = { isHeartbeat: false, latencyMs: null };
    assert.deepEqual(
      build(true, { status: 'down' }, { status: 'degraded', ...silence }, { status: 'down', ...silence }),
      [marks.failed, marks.late, marks.missed],
    );
  });

  it('holds more samples than it was made for', () => {
    assert.equal(build(false, ...Array.from({ length: 3000 }, () => ({}))).length, 3000);
  });

  it('leaves out what lies in a window, its end excluded', () => {
    const history = historyOf('u10');
    const span = { fromAt: startAt + 2 * minuteMs, toAt: startAt + 5 * minuteMs };
    const left = leaveOut(history, [span]);
    assert.equal(left.leftOut, 3);
    assert.deepEqual(
      [...left.history.ats],
      [0, 1, 5, 6, 7, 8, 9].map((each) => startAt + each * minuteMs),
    );
    assert.equal(leaveOut(history, [{ fromAt: 0, toAt: startAt }]).history, history);
  });

  it('counts the time that samples speak for, and no gap', () => {
    assert.equal(watchedMs(historyOf('u3 .10 u2'), 82_000), 3 * minuteMs + 82_000 - minuteMs + minuteMs);
    assert.equal(watchedMs(historyOf(''), 82_000), 0);
  });
});
