import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DamagedBytesError } from '../../../src/db/samples/bytes.ts';
import { packRows, readSecs, unpackRows } from '../../../src/db/samples/rollup-rows.ts';
import { emptyTally, tallyOfPacked, type Tally } from '../../../src/db/samples/tally.ts';
import { checkProperty } from '../../support/property.ts';

const first = 70_000;

/**
 * Mostly the same, as an hour is to the next; sometimes anything, also less than nothing. Latencies are written as what they
 * are beyond two other counts: three of them together are to be below 2^45, which is the most that is packed.
 */
const aNumber = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 60, 3600) },
  { weight: 2, arbitrary: fc.nat(100_000) },
  { weight: 1, arbitrary: fc.integer({ min: -(2 ** 43), max: 2 ** 43 }) },
);
const aTally = fc
  .tuple(fc.array(aNumber, { minLength: 10, maxLength: 10 }), fc.option(fc.tuple(fc.nat(), fc.nat())))
  .map(([numbers, bounds]): Tally => tallyOfPacked([...numbers, ...(bounds ?? [-1, -1])]));
const rows = fc
  .array(fc.tuple(fc.integer({ min: first, max: first + 167 }), aTally), { maxLength: 168 })
  .map((list) => new Map(list));

describe('rollups side by side', () => {
  it('come back as they were, oldest first', () => {
    const property = fc.property(rows, (given) => {
      const packed = packRows(given, first);
      assert.ok(packed !== null);
      const wanted = [...given].toSorted(([a], [b]) => a - b);
      assert.deepEqual([...unpackRows(packed, first)], wanted);
      const { ats, columns } = readSecs(packed, first);
      const secs = ats.map((at, row) => [at, columns.map((column) => column[row])]);
      assert.deepEqual(
        secs,
        wanted.map(([at, { secs: each }]) => [at, [each.up, each.degraded, each.down, each.unknown]]),
      );
    });
    checkProperty(property, 300);
  });

  it('are not packed when a number is larger than any that samples add up to', () => {
    const tally = emptyTally();
    tally.latency.sumMs = 2 ** 50;
    assert.equal(packRows(new Map([[first, tally]]), first), null);
    // Seed 395976802 of the property above, when its numbers went twice as far.
    const apart = tallyOfPacked([
      0, 0, 0, 0, -9961273086986, -15026789048461, 0, 0, 10196309953385, 0, -1, -1,
    ]);
    assert.equal(packRows(new Map([[first, apart]]), first), null);
  });

  it('are read as something or refused when they are damaged, and take no memory for what they only claim', () => {
    const property = fc.property(rows, fc.nat(), fc.nat(255), (given, at, byte) => {
      const packed = packRows(given, first) ?? new Uint8Array();
      packed[at % packed.length] = byte;
      try {
        assert.ok(unpackRows(packed, first).size <= 168);
      } catch (error) {
        assert.ok(error instanceof DamagedBytesError, String(error));
      }
    });
    checkProperty(property, 500);
    assert.throws(
      () => unpackRows(Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x7f]), first),
      DamagedBytesError,
    );
  });

  it('of a quiet week of hours take little more than their average latencies', () => {
    let seed = 1;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const quiet = Array.from({ length: 168 }, (_, index): [number, Tally] => [
      first + index,
      tallyOfPacked([3600, 0, 0, 0, 60, 0, 0, 0, 60, 5000 + Math.round(200 * random()), -1, -1]),
    ]);
    const length = packRows(new Map(quiet), first)?.length ?? Infinity;
    assert.ok(length < 168 * 1.25, `${length}`);
  });
});
