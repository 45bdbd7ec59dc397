import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DayBar } from '../../../src/db/read/bar-days.ts';
import { dayView, type DayMarks, type DayView } from '../../../src/engine/views/day.ts';
import { createHistoryTexts } from '../../../src/serve/scope/history-text.ts';

const none: ReadonlyMap<number, DayMarks> = new Map();

const bar = (day: number, down: number): DayBar => ({
  at: Date.UTC(2026, 0, day),
  secs: { up: 86_400 - down, degraded: 0, down, unknown: 0 },
});

describe('the text of bars', () => {
  it('is always the JSON of the bars as they are', () => {
    const histories = createHistoryTexts();
    let bars = [bar(1, 0), bar(2, 5), bar(3, 0), bar(4, 0)];
    const compare = (monitor = 'a') => {
      const { views, json } = histories.of(monitor, bars, none);
      assert.deepEqual(
        views,
        bars.map((one) => dayView(one)),
      );
      const shown = ({ date, state, uptime_permille }: DayView) => ({ date, state, uptime_permille });
      assert.equal(json().toString(), JSON.stringify(bars.map((one) => shown(dayView(one)))));
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
    const first = histories.of('a', bars, none);
    assert.equal(histories.of('a', [bar(1, 0), bar(2, 5), bar(3, 0)], none), first);
    bars[2] = { ...bar(3, 0), secs: { up: 40_000, degraded: 0, down: 0, unknown: 0 } };
    assert.equal(histories.of('a', bars, none), first);
    bars[2] = bar(3, 40);
    assert.notEqual(histories.of('a', bars, none), first);
  });

  it('is the same object for monitors whose days look the same', () => {
    const histories = createHistoryTexts();
    const ofDown = (monitor: string, down: number) =>
      histories.of(monitor, [bar(1, 0), bar(2, down), bar(3, 0)], none);
    const first = ofDown('a', 0);
    assert.notEqual(ofDown('b', 999), first);
    assert.equal(ofDown('c', 0), first);
    assert.equal(ofDown('d', 0).json(), first.json());
    assert.notEqual(histories.of('e', [bar(2, 0), bar(3, 0)], none), first);
  });

  it('is another object when the record says more of a day, and the same for as long as it says so', () => {
    const histories = createHistoryTexts();
    const bars = [bar(1, 0), bar(2, 5), bar(3, 0)];
    const first = histories.of('a', bars, none);
    const marks = (minutes: number) =>
      new Map([[bar(2, 0).at, { down_minutes: minutes, incidents: 1, begun: 1, maintenance: false }]]);
    const second = histories.of('a', bars, marks(4));
    assert.notEqual(second, first);
    assert.equal(second.views[1]?.state, 'down');
    assert.equal(histories.of('a', bars, marks(4)), second);
    assert.notEqual(histories.of('a', bars, marks(5)), second);
  });
});
