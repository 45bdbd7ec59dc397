import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  firstGap,
  nextOccurrence,
  type Recurrence,
  shortestGapMs,
} from '../../../src/engine/config/occurrences.ts';

const hour = 3_600_000;

function windows(
  after: string,
  count: number,
  change: Partial<Recurrence> & Pick<Recurrence, 'schedule'>,
): string[] {
  const recurrence = { timezone: 'UTC', durationMs: hour, fromAt: null, untilAt: null, ...change };
  const found: string[] = [];
  let lastAt = -Infinity;
  while (found.length < count) {
    const next = nextOccurrence(recurrence, { afterAt: Date.parse(after), lastAt });
    if (next === null) break;
    lastAt = next.startAt;
    found.push(`${new Date(next.startAt).toISOString().slice(0, 16)} ${(next.endAt - next.startAt) / hour}h`);
  }
  return found;
}

describe('the windows of a schedule', () => {
  it('begin with the one that is under way', () => {
    assert.deepEqual(windows('2026-06-07T03:30:00Z', 2, { schedule: '0 3 * * 0' }), [
      '2026-06-07T03:00 1h',
      '2026-06-14T03:00 1h',
    ]);
    assert.deepEqual(windows('2026-06-07T04:00:00Z', 1, { schedule: '0 3 * * 0' }), ['2026-06-14T03:00 1h']);
  });

  it('keep the time on the clocks of their zone when these change, and last as long as ever', () => {
    const berlin = { timezone: 'Europe/Berlin', durationMs: 2 * hour };
    assert.deepEqual(windows('2026-03-28T12:00:00Z', 2, { ...berlin, schedule: '0 1 * * *' }), [
      '2026-03-29T00:00 2h',
      '2026-03-29T23:00 2h',
    ]);
    assert.deepEqual(windows('2026-10-24T12:00:00Z', 2, { ...berlin, schedule: '0 1 * * *' }), [
      '2026-10-24T23:00 2h',
      '2026-10-26T00:00 2h',
    ]);
  });

  it('come later in the night that has no such time, and once in the night that has it twice', () => {
    const berlin = { timezone: 'Europe/Berlin', schedule: '30 2 * * *' };
    assert.deepEqual(windows('2026-03-28T12:00:00Z', 2, berlin), [
      '2026-03-29T01:00 1h',
      '2026-03-30T00:30 1h',
    ]);
    assert.deepEqual(windows('2026-10-24T12:00:00Z', 2, berlin), [
      '2026-10-25T00:30 1h',
      '2026-10-26T01:30 1h',
    ]);
  });

  it('begin within the limits that the table sets', () => {
    const limits = { fromAt: Date.UTC(2026, 5, 10), untilAt: Date.UTC(2026, 5, 12) };
    assert.deepEqual(windows('2026-06-01T00:00:00Z', 9, { ...limits, schedule: '0 0 * * *' }), [
      '2026-06-10T00:00 1h',
      '2026-06-11T00:00 1h',
    ]);
  });

  it('are known to leave no time between those of several schedules', () => {
    const fromAt = Date.UTC(2024, 0, 1);
    const toAt = fromAt + 35 * 24 * hour;
    const gapOf = (
      ...sketches: readonly (readonly [schedule: string, hours: number, timezone?: string])[]
    ) => {
      const gapAt = firstGap(
        sketches.map(([schedule, hours, timezone = 'UTC']) => {
          return { schedule, timezone, durationMs: hours * hour, fromAt: null, untilAt: null };
        }),
        { fromAt, toAt },
      );
      return gapAt === null ? null : new Date(gapAt).toISOString().slice(0, 16);
    };
    assert.equal(gapOf(['0 0 * * *', 12], ['0 12 * * *', 12]), null);
    assert.equal(gapOf(['0 0 * * *', 12], ['0 12 * * *', 11.5]), '2024-01-01T23:30');
    assert.equal(gapOf(['0 0 * * *', 8], ['0 8 * * *', 8], ['0 16 * * *', 8]), null);
    assert.equal(gapOf(['0 0 * * *', 12, 'Asia/Tokyo'], ['0 3 * * *', 12]), null);
    assert.equal(gapOf(['0 0 * * 1-5', 24], ['0 0 * * 6', 48]), null);
    assert.equal(gapOf(['0 0 * * 1-5', 24], ['0 0 * * 6', 47]), '2024-01-07T23:00');
    assert.equal(gapOf(['0 * * * *', 0.5], ['30 * * * *', 0.5]), null);
    assert.equal(gapOf(['0 0 * * 1', 130], ['0 6 * * 6', 42]), null);
    assert.equal(gapOf(['0 0 1 * *', 240], ['0 0 10 * *', 240], ['0 0 20 * *', 240]), '2024-01-30T00:00');
    assert.equal(gapOf(['0 3 * * *', 2]), '2024-01-01T00:00');
    assert.equal(gapOf(), '2024-01-01T00:00');
  });

  it('are known to come close together', () => {
    assert.equal(shortestGapMs('0,30 9 * * *'), hour / 2);
    assert.equal(shortestGapMs('0 3 * * 0'), 7 * 24 * hour);
  });
});
