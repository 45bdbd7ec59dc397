import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barsText } from '../../../src/engine/views/bars.ts';
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
  it('are given in words', () => {
    assert.equal(barsText(days('-uuudgu')), 'Last 7 days: 4 up, 1 degraded, 1 down, 1 without data.');
    assert.equal(barsText([]), 'Last 0 days: no data.');
    assert.equal(barsText(days('u')), 'Last day: 1 up.');
  });
});
