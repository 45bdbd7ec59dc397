import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  HistoryBuilder,
  leaveOut,
  marks,
  type RecordedSample,
  sampleAt,
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

  it('takes silence that counts from when the heartbeat was late for one judgement, when it was made', () => {
    const silence = { isHeartbeat: false, latencyMs: null };
    const late = { status: 'degraded', at: startAt + minuteMs, ...silence } as const;
    const down = { status: 'down', ...silence } as const;
    assert.deepEqual(build(true, {}, late, { ...down, at: late.at }, down), [
      marks.answered,
      marks.late,
      marks.missed,
    ]);
  });

  it('holds more samples than it was made for', () => {
    const count = 5000;
    const builder = new HistoryBuilder({ isPush: false });
    for (let index = 0; index < count; index += 1) {
      const latencyMs = index === 7 ? null : index;
      builder.add(
        { at: index, status: index % 2 === 0 ? 'up' : 'down', latencyMs, isHeartbeat: false },
        false,
      );
    }
    const { ats, latencies, marks: found } = builder.finish();
    const indexes = Array.from({ length: count }, (_, index) => index);
    assert.deepEqual([...ats], indexes);
    assert.deepEqual([...latencies], indexes.with(7, NaN));
    assert.deepEqual(
      [...found],
      indexes.map((index) => (index % 2 === 0 ? marks.answered : marks.failed)),
    );
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

  it('leaves out what lies in any of several windows, with what was found by then', () => {
    const history = historyOf('u s f w u');
    const minute = (count: number) => startAt + count * minuteMs;
    const spans = [
      { fromAt: minute(0), toAt: minute(1) },
      { fromAt: minute(3), toAt: minute(4) },
    ];
    const left = leaveOut(history, spans);
    assert.equal(left.leftOut, 2);
    assert.deepEqual([...left.history.ats], [minute(1), minute(2), minute(4)]);
    assert.deepEqual([...left.history.latencies], [900, NaN, 100]);
    assert.deepEqual([...left.history.marks], [marks.answered, marks.failed, marks.answered]);
    assert.deepEqual(leaveOut(history, []), { history, leftOut: 0 });
  });

  it('gives each sample back as confirming takes it', () => {
    const history = historyOf('u w f ? l m');
    const samples = history.ats.map((_, index) => index);
    const graceMs = 5000;
    const at = (count: number) => startAt + count * minuteMs;
    const check = (count: number, outcome: string, latencyMs: number | null) => ({
      kind: 'check',
      at: at(count),
      outcome,
      latencyMs,
    });
    assert.deepEqual(
      [...samples].map((index) => sampleAt(history, index, graceMs)),
      [
        check(0, 'healthy', 100),
        check(1, 'degraded', null),
        check(2, 'failed', null),
        check(3, 'unknown', null),
        { kind: 'late', at: at(4), dueAt: at(4) },
        { kind: 'missed', at: at(5), dueAt: at(5) - graceMs },
      ],
    );
  });

  it('counts the time that samples cover, without gaps', () => {
    assert.equal(watchedMs(historyOf('u3 .10 u2'), 82_000), 3 * minuteMs + 82_000 - minuteMs + minuteMs);
    assert.equal(watchedMs(historyOf(''), 82_000), 0);
    const back = { ...historyOf('u2'), ats: Float64Array.from([startAt, startAt - 5000]) };
    assert.equal(watchedMs(back, 82_000), 0, 'nor less than nothing where the clock was set back');
  });
});
