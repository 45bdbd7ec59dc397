import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  encodeFrame,
  findFrame,
  headerSeed,
  logSeed,
  looksCutOff,
  type WalFrame,
} from '../../../src/db/wal/frame.ts';
import { checkProperty } from '../../support/property.ts';

const seed = logSeed('0f8fad5b-d9cb-469f-a165-70867728950e', 7);

const frames: fc.Arbitrary<WalFrame> = fc.record(
  {
    kind: fc.constantFrom('transaction', 'samples', 'seal'),
    writer: fc.stringMatching(/^[0-9a-f]{16}$/),
    counter: fc.nat({ max: 2 ** 40 }),
    payload: fc.string({ unit: 'grapheme', maxLength: 300 }),
  },
  { noNullPrototype: true },
);

/** Everything findFrame finds from the start on. */
function scan(bytes: Buffer, withSeed = seed): { frames: WalFrame[]; gaps: number } {
  const found: WalFrame[] = [];
  let gaps = 0;
  for (let at = 0; at < bytes.length; ) {
    const next = findFrame(bytes, at, withSeed);
    if (next.is === 'incomplete') break;
    if (next.is === 'frame') found.push(next.frame);
    else gaps += 1;
    at = next.end;
  }
  return { frames: found, gaps };
}

describe('a frame', () => {
  it('reads back as it was written', () => {
    checkProperty(
      fc.property(fc.array(frames, { maxLength: 5 }), (list) => {
        const bytes = Buffer.concat(list.map((frame) => encodeFrame(frame, seed)));
        assert.deepEqual(scan(bytes), { frames: list, gaps: 0 });
      }),
      300,
    );
  });

  it('is found behind one that was cut off anywhere', () => {
    checkProperty(
      fc.property(frames, frames, fc.nat(), (first, second, cut) => {
        const torn = encodeFrame(first, seed);
        const length = cut % torn.length;
        const bytes = Buffer.concat([torn.subarray(0, length), encodeFrame(second, seed)]);
        assert.deepEqual(scan(bytes), { frames: [second], gaps: length === 0 ? 0 : 1 });
        assert.equal(looksCutOff(torn.subarray(0, length), seed), true);
      }),
      300,
    );
  });

  it('is never taken for whole with any bit flipped', () => {
    checkProperty(
      fc.property(frames, fc.nat(), fc.nat({ max: 7 }), (frame, place, bit) => {
        const bytes = encodeFrame(frame, seed);
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        assert.deepEqual(scan(bytes).frames, []);
      }),
      500,
    );
  });

  it('with any bit flipped is no write that was cut off, the header of a log included', () => {
    const kinds = fc.constantFrom('header', 'transaction', 'samples', 'seal');
    checkProperty(
      fc.property(frames, kinds, fc.nat(), (frame, kind, place) => {
        const bytes = encodeFrame({ ...frame, kind }, kind === 'header' ? headerSeed : seed);
        const bit = place % 8;
        const at = Math.floor(place / 8) % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        assert.equal(looksCutOff(bytes, seed), false);
      }),
      500,
    );
  });

  it('of another log or another database is not one of this log', () => {
    const bytes = encodeFrame(
      { kind: 'transaction', writer: 'a'.repeat(16), counter: 1, payload: '[]' },
      seed,
    );
    assert.equal(scan(bytes).frames.length, 1);
    assert.equal(scan(bytes, logSeed('0f8fad5b-d9cb-469f-a165-70867728950e', 8)).frames.length, 0);
    assert.equal(scan(bytes, logSeed('7c9e6679-7425-40de-944b-e07fc1f90ae7', 7)).frames.length, 0);
  });

  it('with a length beyond all reason is damage, not a reason to wait or to allocate', () => {
    const bytes = encodeFrame({ kind: 'seal', writer: '0'.repeat(16), counter: 0, payload: '' }, seed);
    bytes.writeUInt32BE(0xffff_ffff, 8);
    const next = encodeFrame({ kind: 'seal', writer: '1'.repeat(16), counter: 0, payload: '' }, seed);
    assert.equal(scan(Buffer.concat([bytes, next])).frames.length, 1);
  });
});
