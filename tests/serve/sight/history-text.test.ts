import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DayBar } from '../../../src/db/read/bars.ts';
import { dayView } from '../../../src/engine/views/day.ts';
import { createHistoryTexts } from '../../../src/serve/sight/history-text.ts';

const bar = (day: number, down: number): DayBar => ({
  at: Date.UTC(2026, 0, day),
  secs: { up: 86_400 - down, degraded: 0, down, unknown: 0 },
});

describe('the text of bars', () => {
  it('is always the JSON of the bars as they are', () => {
    const histories = createHistoryTexts();
    let bars = [bar(1, 0), bar(2, 5), bar(3, 0), bar(4, 0)];
    const expected = () => JSON.stringify(bars.map(dayView));
    assert.equal(histories.textOf('a', bars), expected());
    bars = [...bars.slice(0, 3), bar(4, 60)];
    assert.equal(histories.textOf('a', bars), expected());
    bars = [...bars.slice(1), bar(5, 0)];
    assert.equal(histories.textOf('a', bars), expected());
    bars = [bar(2, 999), ...bars.slice(1)];
    assert.equal(histories.textOf('a', bars), expected());
    for (const count of [0, 1, 2, 3]) {
      bars = bars.slice(0, count);
      assert.equal(histories.textOf('b', bars), expected());
      bars = [bar(1, 0), bar(2, 5), bar(3, 0), bar(4, 0)];
    }
  });
});
