import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DayBar } from '../../../src/db/read/bars.ts';
import { dayView } from '../../../src/engine/views/day.ts';
import { createHistoryTexts } from '../../../src/serve/scope/history-text.ts';

const bar = (day: number, down: number): DayBar => ({
  at: Date.UTC(2026, 0, day),
  secs: { up: 86_400 - down, degraded: 0, down, unknown: 0 },
});

describe('the text of bars', () => {
  it('is always the JSON of the bars as they are', () => {
    const histories = createHistoryTexts();
    let bars = [bar(1, 0), bar(2, 5), bar(3, 0), bar(4, 0)];
    const compare = (monitor = 'a') => {
      const { views, json } = histories.of(monitor, bars);
      assert.deepEqual(views, bars.map(dayView));
      assert.equal(json().toString(), JSON.stringify(bars.map(dayView)));
    };
    compare();
    bars = [...bars.slice(0, 3), bar(4, 60)];
    compare();
    bars = [...bars.slice(1), bar(5, 0)];
    compare();
    bars = [bar(2, 999), ...bars.slice(1)];
    compare();
    for (const count of [0, 1, 2, 3]) {
      bars = bars.slice(0, count);
      compare('b');
      bars = [bar(1, 0), bar(2, 5), bar(3, 0), bar(4, 0)];
    }
  });

  it('is the same object until a day looks different', () => {
    const histories = createHistoryTexts();
    const bars = [bar(1, 0), bar(2, 5), bar(3, 0)];
    const first = histories.of('a', bars);
    assert.equal(histories.of('a', [bar(1, 0), bar(2, 5), bar(3, 0)]), first);
    bars[2] = { ...bar(3, 0), secs: { up: 40_000, degraded: 0, down: 0, unknown: 0 } };
    assert.equal(histories.of('a', bars), first);
    bars[2] = bar(3, 40);
    assert.notEqual(histories.of('a', bars), first);
  });
});
