import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { statuses } from '../../../src/engine/core/status.ts';
import { DamagedBytesError } from '../../../src/db/samples/bytes.ts';
import { packSamples, unpackInto, unpackSamples } from '../../../src/db/samples/codec.ts';
import { SampleColumns } from '../../../src/db/samples/columns.ts';
import { maxHoldSecs, maxLatencyMs, maxSecs, type StoredSample } from '../../../src/db/samples/sample.ts';
import { checkProperty } from '../../support/property.ts';
import { realisticHour } from '../../support/samples.ts';
import { plainSamples } from './plain-decoder.ts';

const origin = 490_000 * 3600;

const anySample: fc.Arbitrary<StoredSample> = fc.record(
  {
    at: fc
      .oneof(
        fc.integer({ min: origin, max: origin + 3599 }),
        fc.integer({ min: 0, max: maxSecs }),
        fc.constant(origin + 7),
      )
      .map((secs) => secs * 1000),
    status: fc.constantFrom(...statuses),
    latencyMs: fc.oneof(
      fc.constant(null),
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 0, max: maxLatencyMs }),
    ),
    holdSecs: fc.oneof(fc.constant(120), fc.integer({ min: 0, max: maxHoldSecs })),
    isHeartbeat: fc.boolean(),
  },
  { noNullPrototype: true },
);

/** Blocks as they are packed, ones with a few bytes changed behind a checksum that is right, and garbage. */
const anyBlock: fc.Arbitrary<Uint8Array> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.array(anySample, { maxLength: 80 }).map((samples) => packSamples(samples, origin)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.oneof(
          fc.array(anySample, { maxLength: 20 }),
          fc.nat(50).map((seed) => realisticHour(seed, { jitterSecs: seed % 3 })),
        ),
        fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        fc.nat(8),
      )
      .map(([samples, changes, cut]) => {
        const body = packSamples(samples, origin).slice(0, -4 - (cut > 5 ? cut : 0));
        for (const [place, value] of changes) if (place < body.length) body[place] = value;
        return withChecksum(body);
      }),
  },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 60 }).map((rest) => withChecksum(Uint8Array.of(1, ...rest))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
);

function withChecksum(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length + 4);
  bytes.set(body);
  new DataView(bytes.buffer).setUint32(body.length, crc32(body), true);
  return bytes;
}

/** What a decoder answers, or why it refuses. */
function outcomeOf<T>(decode: () => T): T | string {
  try {
    return decode();
  } catch (error) {
    assert.ok(error instanceof DamagedBytesError, String(error));
    return error.message;
  }
}

function samplesIn(columns: SampleColumns): StoredSample[] {
  return Array.from({ length: columns.length }, (_, index) => columns.sample(index));
}

describe('the packed monitor-hour', () => {
  it('gives back exactly what was packed, in any order, with gaps and repeated seconds', () => {
    checkProperty(
      fc.property(fc.array(anySample, { maxLength: 200 }), (samples) => {
        assert.deepEqual(unpackSamples(packSamples(samples, origin), origin), samples);
      }),
      1000,
    );
  });

  it('gives back the extremes of every value', () => {
    const samples: StoredSample[] = [0, maxSecs, 0].map((secs) => ({
      at: secs * 1000,
      status: 'unknown',
      latencyMs: secs === 0 ? maxLatencyMs : 0,
      holdSecs: maxHoldSecs,
      isHeartbeat: secs === 0,
    }));
    for (const from of [0, origin, maxSecs]) {
      assert.deepEqual(unpackSamples(packSamples(samples, from), from), samples);
    }
  });

  it('takes under 1.3 bytes a sample for a regular series, under 2.2 when every second jitters', () => {
    const size = (jitterSecs: number) => {
      const hours = Array.from({ length: 100 }, (_, hour) => realisticHour(hour, { jitterSecs }));
      const bytes = hours.map((samples) => packSamples(samples, (samples[0]?.at ?? 0) / 1000).length);
      return bytes.reduce((sum, length) => sum + length, 0) / hours.flat().length;
    };
    assert.ok(size(0) < 1.3, `${size(0)} bytes a sample`);
    assert.ok(size(2) < 2.2, `${size(2)} bytes a sample`);
  });

  it('refuses every block with a changed, a missing or an added byte', () => {
    const block = packSamples(realisticHour(1, { jitterSecs: 1 }), origin);
    for (let index = 0; index < block.length; index++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = block.slice();
        changed[index] = (changed[index] ?? 0) ^ (1 << bit);
        assert.throws(() => unpackSamples(changed, origin), DamagedBytesError);
      }
      assert.throws(() => unpackSamples(block.subarray(0, index), origin), DamagedBytesError);
    }
    assert.throws(() => unpackSamples(Uint8Array.of(...block, 0), origin), DamagedBytesError);
  });

  it('is read as its layout says, bit by bit, and refused for the same reasons', () => {
    const columns = new SampleColumns();
    checkProperty(
      fc.property(anyBlock, (block) => {
        const plain = outcomeOf(() => plainSamples(block, origin));
        assert.deepEqual(
          outcomeOf(() => unpackSamples(block, origin)),
          plain,
        );
        const inColumns = outcomeOf(() => {
          unpackInto(columns, block, origin);
        });
        assert.equal(columns.length, Array.isArray(plain) ? plain.length : 0);
        if (Array.isArray(plain)) assert.deepEqual(samplesIn(columns), plain);
        else assert.equal(inColumns, plain);
      }),
      4000,
    );
  });

  it('answers garbage with a DamagedBytesError or samples in their ranges, quickly, even when its checksum is right', () => {
    checkProperty(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.boolean(), (garbage, hasVersion) => {
        const bytes = withChecksum(hasVersion ? Uint8Array.of(1, ...garbage) : garbage);
        // Processor time: what else the machine is doing is not what is measured.
        const start = process.cpuUsage();
        try {
          for (const sample of unpackSamples(bytes, origin)) {
            assert.ok(sample.at >= 0 && sample.at <= maxSecs * 1000);
            assert.ok(sample.holdSecs <= maxHoldSecs && (sample.latencyMs ?? 0) <= maxLatencyMs);
          }
        } catch (error) {
          assert.ok(error instanceof DamagedBytesError, String(error));
        }
        assert.ok(process.cpuUsage(start).user < 2_000_000);
      }),
      5000,
    );
  });

  it('takes no memory for samples that a damaged block only claims to hold', () => {
    const columns = new SampleColumns();
    for (const encoding of [255, 0]) {
      const claimsMillions = withChecksum(Uint8Array.of(1, 0x80, 0x80, 0x80, 1, encoding, 60, 5));
      assert.throws(() => {
        unpackInto(columns, claimsMillions, origin);
      }, DamagedBytesError);
      assert.ok(columns.ats.length < 1000, `room for ${columns.ats.length} samples`);
    }
  });

  it('distinguishes a block of a later version from damage', () => {
    const block = packSamples([], origin);
    block[0] = 2;
    new DataView(block.buffer).setUint32(block.length - 4, crc32(block.subarray(0, -4)), true);
    assert.throws(() => unpackSamples(block, origin), { message: 'block version 2 is not known' });
  });
});
