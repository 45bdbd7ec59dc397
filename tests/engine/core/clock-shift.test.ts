/** Where stored instants lie after somebody set the clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moveAhead, moveInstants, movePast } from '../../../src/engine/core/clock-shift.ts';

describe('an instant that has happened', () => {
  it('moves with the clock, but for what was measured before a long stop', () => {
    const move = movePast({ byMs: 500, sinceAt: 1000, at: 9000 });
    assert.deepEqual([999, 1000, 2000].map(move), [999, 1500, 2500]);
  });

  it('lies neither in the future nor before 1970', () => {
    assert.equal(movePast({ byMs: 500, sinceAt: 0, at: 2100 })(2000), 2100);
    assert.equal(movePast({ byMs: -500, sinceAt: 0, at: 2100 })(200), 0);
    assert.equal(movePast({ byMs: 0, sinceAt: 3000, at: 2100 })(2500), 2100, 'nor what is left as it is');
  });
});

describe('an instant that is waited for', () => {
  it('is as far ahead as before', () => {
    const move = moveAhead({ byMs: -4000, sinceAt: 1000, at: 2000 }, 6000);
    assert.deepEqual([6000, 7000].map(move), [2000, 3000]);
    assert.equal(moveAhead({ byMs: 4000, sinceAt: 1000, at: 10_000 }, 6000)(7000), 11_000);
    assert.equal(moveAhead({ byMs: 4000, sinceAt: 6000, at: 10_000 }, 6000)(6000), 10_000);
  });

  it('is not waited for any longer when it was written down by a clock that was ahead', () => {
    // Written down at 5000 of a clock that says 2000 now, and that nobody moved: a second is a second.
    const move = moveAhead({ byMs: 500, sinceAt: 90_000, at: 2000 }, 5000);
    assert.equal(move(6000), 3000);
    assert.equal(moveAhead({ byMs: -8000, sinceAt: 0, at: 2000 }, 1000)(5000), 0);
  });
});

describe('a stored document', () => {
  const how = { past: (at: number) => at + 1, ahead: (at: number) => at + 1000 };

  it('has its instants moved, however deep, those that are waited for apart', () => {
    const document = {
      startedAt: 10,
      windowEndsAt: 20,
      dueAt: 30,
      count: 7,
      name: 'untilAt',
      endedAt: null,
      hold: { coveredSinceAt: 40, by: 'db' },
      checks: [{ at: 1, checkedAt: 50 }, 60],
    };
    assert.deepEqual(moveInstants(document, how), {
      ...document,
      startedAt: 11,
      windowEndsAt: 1020,
      dueAt: 1030,
      hold: { coveredSinceAt: 41, by: 'db' },
      checks: [{ at: 1, checkedAt: 51 }, 60],
    });
  });

  it('keeps the instants of the calendar, which no clock of this host made', () => {
    const document = { expiresAt: 1, slotAt: 2, fromAt: 3, toAt: 4 };
    assert.deepEqual(moveInstants(document, how), document);
  });

  it('may be anything', () => {
    assert.deepEqual(
      [null, 'at', 5, true, undefined].map((each) => moveInstants(each, how)),
      [null, 'at', 5, true, undefined],
    );
  });
});
