import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barsOf, barsText } from '../../../src/engine/views/bars.ts';
import type { DayView } from '../../../src/engine/views/day.ts';

function days(states: string): DayView[] {
  const named = { u: 'up', g: 'degraded', d: 'down', '-': 'unknown' } as const;
  return states.split(/(?=.)/).map((letter, index) => ({
    date: `2026-01-${String(index + 1).padStart(2, '0')}`,
    state: named[letter as keyof typeof named],
    uptime_permille: letter === '-' ? null : 1000,
  }));
}

describe('the bars', () => {
  it('join days of the same state', () => {
    assert.deepEqual(barsOf(days('-uuudu')).runs, [
      { state: 'unknown', from: 0, length: 1 },
      { state: 'up', from: 1, length: 3 },
      { state: 'down', from: 4, length: 1 },
      { state: 'up', from: 5, length: 1 },
    ]);
  });

  it('are told in words', () => {
    assert.equal(barsText(barsOf(days('-uuudgu'))), 'Last 7 days: 4 up, 1 degraded, 1 down, 1 without data.');
    assert.equal(barsText(barsOf([])), 'Last 0 days: no data.');
    assert.equal(barsText(barsOf(days('u'))), 'Last day: 1 up.');
  });

  it('name the troubled days, the latest first', () => {
    const { troubled } = barsOf(days('udugu-'));
    assert.deepEqual(
      troubled.map(({ date }) => date),
      ['2026-01-04', '2026-01-02'],
    );
  });
});
