import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedBars } from '../../../src/db/read/bar-days.ts';

const secsOf = (...[up = 0, degraded = 0, down = 0, unknown = 0]: readonly number[]) => ({
  up,
  degraded,
  down,
  unknown,
});

describe('bars of many monitors', () => {
  it('are one where all of their seconds are the same on the same day', () => {
    const shared = new SharedBars();
    const days = [
      secsOf(0),
      secsOf(86_400),
      secsOf(86_399),
      secsOf(86_399, 1),
      secsOf(86_399, 0, 1),
      secsOf(86_399, 0, 0, 1),
    ];
    for (const day of [20_000, 20_001])
      for (const secs of days) {
        const bar = shared.of(day, { ...secs });
        assert.deepEqual(bar, { at: day * 86_400_000, secs });
        assert.equal(shared.of(day, { ...secs }), bar);
      }
    assert.notEqual(shared.of(20_000, secsOf(86_400)), shared.of(20_001, secsOf(86_400)));
  });

  it('of days without data are one array, until other days are asked for', () => {
    const shared = new SharedBars();
    const days = shared.emptyDays(20_000, 20_003);
    assert.deepEqual(
      days,
      [20_000, 20_001, 20_002].map((day) => ({ at: day * 86_400_000, secs: secsOf(0) })),
    );
    assert.equal(shared.emptyDays(20_000, 20_003), days);
    assert.equal(shared.emptyDays(20_001, 20_003).length, 2);
    assert.deepEqual(shared.emptyDays(20_001, 20_001), []);
    assert.equal(shared.emptyDays(20_000, 20_003)[0], days[0]);
  });

  it('are right where there are too many of a day to be shared', () => {
    const shared = new SharedBars();
    for (const round of [0, 1])
      for (let up = 0; up < 2000; up += 1)
        assert.deepEqual(shared.of(20_000, secsOf(up, round)), {
          at: 20_000 * 86_400_000,
          secs: secsOf(up, round),
        });
  });
});
