/** The time since the latest sample of a monitor. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addTail, countsWithin } from '../../../src/db/read/tail.ts';

/** From second 100 until 160. */
const tail = { at: 100_000, status: 'up', holdSecs: 60 } as Parameters<typeof countsWithin>[0];

const cases: readonly (readonly [from: number, to: number, covered: number])[] = [
  [0, 100, 0],
  [0, 101, 1],
  [0, 1000, 60],
  [100, 160, 60],
  [120, 130, 10],
  [159, 200, 1],
  [160, 200, 0],
];

describe('the latest sample', () => {
  for (const [fromSecs, toSecs, covered] of cases)
    it(`covers ${covered} of the seconds from ${fromSecs} until ${toSecs}`, () => {
      const secs = { up: 5, degraded: 0, down: 0, unknown: 0 };
      addTail(secs, tail, { fromSecs, toSecs });
      assert.equal(secs.up, 5 + covered);
      assert.equal(countsWithin(tail, { fromSecs, toSecs }), covered > 0);
    });

  it('covers nothing where there is none', () => {
    assert.equal(countsWithin(null, { fromSecs: 0, toSecs: 1000 }), false);
  });
});
