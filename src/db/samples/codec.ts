/**
 * The packed block of samples of one monitor-hour.
 *
 * Layout: version, count (varint), four columns (see column.ts), CRC-32 of all before (4 bytes, low first).
 * 1. seconds since the sample before, the first since the origin (the start of the hour), zigzag;
 * 2. kind: bits 0-1 status, bit 2 has a latency, bit 3 is a heartbeat, the others zero;
 * 3. hold in seconds;
 * 4. centre, then distance of each latency from it, zigzag, for the samples that have one.
 * Order, repeated seconds and steps back in time are kept as given. A regular 60 s series takes about one byte a
 * sample: everything but the latencies is a run or two.
 */
import { crc32 } from 'node:zlib';
import { ByteReader, ByteWriter, DamagedBytesError } from './bytes.ts';
import { readColumn, unzigzag, withRoom, writeColumn, zigzag } from './column.ts';
import { kindBits, kindOf, SampleColumns } from './columns.ts';
import { maxHoldSecs, maxLatencyMs, maxSecs, type StoredSample } from './sample.ts';

const version = 1;
const checksumBytes = 4;
/** The CRC-32 of any bytes with their own CRC-32 behind them, low byte first. */
const checkedSum = 0x2144df1c;
const maxKind = 15;

/** More than a thousand samples a second for an hour: a larger count is damage. */
const maxCount = 2 ** 22;

/** Packs samples; `originSecs` (epoch seconds, normally the start of their hour) must be given again to unpack. */
export function packSamples(samples: readonly StoredSample[], originSecs: number): Uint8Array {
  const steps: number[] = [];
  const kinds: number[] = [];
  const holds: number[] = [];
  const latencies: number[] = [];
  let before = originSecs;
  for (const sample of samples) {
    const secs = sample.at / 1000;
    steps.push(zigzag(secs - before));
    before = secs;
    kinds.push(kindOf(sample));
    holds.push(sample.holdSecs);
    if (sample.latencyMs !== null) latencies.push(sample.latencyMs);
  }
  const centre = medianOf(latencies);

  const writer = new ByteWriter();
  writer.byte(version);
  writer.varint(samples.length);
  writeColumn(writer, steps);
  writeColumn(writer, kinds);
  writeColumn(writer, holds);
  writer.varint(centre);
  writeColumn(
    writer,
    latencies.map((latencyMs) => zigzag(latencyMs - centre)),
  );
  return withChecksum(writer.finish());
}

/**
 * The samples of a block, in the order they were packed. Throws a DamagedBytesError when the bytes are not those
 * of packSamples; there is no partial answer.
 */
export function unpackSamples(bytes: Uint8Array, originSecs: number): StoredSample[] {
  const columns = new SampleColumns();
  unpackInto(columns, bytes, originSecs);
  const samples: StoredSample[] = [];
  for (let index = 0; index < columns.length; index++) samples.push(columns.sample(index));
  return samples;
}

/** Likewise, in columns; what was in them is gone. When it throws they are empty. */
export function unpackInto(columns: SampleColumns, bytes: Uint8Array, originSecs: number): void {
  columns.length = 0;
  const reader = readerOf(bytes);
  const found = reader.byte();
  if (found !== version) throw new DamagedBytesError(`block version ${found} is not known`);
  const count = reader.varint();
  if (count > maxCount) throw new DamagedBytesError('a block cannot hold that many samples');
  columns.ats = readColumn(reader, count, columns.ats);
  columns.kinds = readColumn(reader, count, columns.kinds);
  columns.holds = readColumn(reader, count, columns.holds);
  const centre = reader.varint();
  const measured = measuredAmong(columns.kinds, count);
  columns.latencies = withRoom(readColumn(reader, measured, columns.latencies), count);
  const { ats, kinds, holds, latencies } = columns;
  if (reader.remaining > 0) throw new DamagedBytesError('there are bytes after the block');
  if (measured < count) spread(latencies, measured, { kinds, count });

  let secs = originSecs;
  for (let index = 0; index < count; index++) {
    secs = within(secs + unzigzag(ats[index] ?? 0), maxSecs);
    ats[index] = secs * 1000;
    if ((kinds[index] ?? 0) > maxKind) throw new DamagedBytesError('a sample is of no known kind');
    latencies[index] = within(centre + unzigzag(latencies[index] ?? 0), maxLatencyMs);
    within(holds[index] ?? 0, maxHoldSecs);
  }
  columns.length = count;
}

function measuredAmong(kinds: Float64Array, count: number): number {
  let measured = 0;
  for (let index = 0; index < count; index++) {
    if (((kinds[index] ?? 0) & kindBits.hasLatency) !== 0) measured += 1;
  }
  return measured;
}

/** Moves the first `measured` values to the samples that have one; the others get NaN. */
function spread(
  values: Float64Array,
  measured: number,
  { kinds, count }: { readonly kinds: Float64Array; readonly count: number },
): void {
  let next = measured;
  for (let index = count - 1; index >= 0; index--) {
    const isMeasured = ((kinds[index] ?? 0) & kindBits.hasLatency) !== 0;
    values[index] = isMeasured ? (values[--next] ?? 0) : Number.NaN;
  }
}

/** NaN is within any range. */
function within(value: number, max: number): number {
  if (value < 0 || value > max) throw new DamagedBytesError('a value is out of its range');
  return value;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function withChecksum(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length + checksumBytes);
  bytes.set(body);
  new DataView(bytes.buffer).setUint32(body.length, crc32(body), true);
  return bytes;
}

/** A cursor over what the checksum vouches for. Nothing is copied: this is done for 70,000 blocks at a time. */
function readerOf(bytes: Uint8Array): ByteReader {
  if (bytes.length < checksumBytes) throw new DamagedBytesError('the bytes end too early');
  if (crc32(bytes) !== checkedSum) throw new DamagedBytesError('the checksum does not match');
  return new ByteReader(bytes, bytes.length - checksumBytes);
}
