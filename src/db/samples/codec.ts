/**
 * The packed block of samples that stands for one monitor-hour at rest.
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
import { readColumn, unzigzag, writeColumn, zigzag } from './column.ts';
import { maxHoldSecs, maxLatencyMs, maxSecs, type Sample, statusByCode, statusCodes } from './sample.ts';

const version = 1;
const checksumBytes = 4;
const hasLatencyBit = 4;
const heartbeatBit = 8;

/** More than a thousand samples a second for an hour: a larger count is damage. */
const maxCount = 2 ** 22;

/** Packs samples; `originSecs` (epoch seconds, normally the start of their hour) must be given again to unpack. */
export function packSamples(samples: readonly Sample[], originSecs: number): Uint8Array {
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
export function unpackSamples(bytes: Uint8Array, originSecs: number): Sample[] {
  const reader = new ByteReader(withoutChecksum(bytes));
  const found = reader.byte();
  if (found !== version) throw new DamagedBytesError(`block version ${found} is not known`);
  const count = reader.varint();
  if (count > maxCount) throw new DamagedBytesError('a block cannot hold that many samples');
  const steps = readColumn(reader, count);
  const kinds = readColumn(reader, count);
  const holds = readColumn(reader, count);
  const centre = reader.varint();
  const latencies = readColumn(reader, kinds.filter((kind) => (kind & hasLatencyBit) !== 0).length);
  if (reader.remaining > 0) throw new DamagedBytesError('there are bytes after the block');

  let secs = originSecs;
  let nextLatency = 0;
  return kinds.map((kind, index) => {
    secs = within(secs + unzigzag(steps[index] ?? 0), maxSecs);
    const hasLatency = (kind & hasLatencyBit) !== 0;
    return {
      at: secs * 1000,
      status: statusOf(kind),
      latencyMs: hasLatency ? within(centre + unzigzag(latencies[nextLatency++] ?? 0), maxLatencyMs) : null,
      holdSecs: within(holds[index] ?? 0, maxHoldSecs),
      isHeartbeat: (kind & heartbeatBit) !== 0,
    };
  });
}

function kindOf(sample: Sample): number {
  return (
    statusCodes[sample.status] +
    (sample.latencyMs === null ? 0 : hasLatencyBit) +
    (sample.isHeartbeat ? heartbeatBit : 0)
  );
}

function statusOf(kind: number): Sample['status'] {
  const status = statusByCode[kind & 3];
  if (status === undefined || kind > 15) throw new DamagedBytesError('a sample is of no known kind');
  return status;
}

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

function withoutChecksum(bytes: Uint8Array): Uint8Array {
  if (bytes.length < checksumBytes) throw new DamagedBytesError('the bytes end too early');
  const body = bytes.subarray(0, bytes.length - checksumBytes);
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getUint32(body.length, true);
  if (stored !== crc32(body)) throw new DamagedBytesError('the checksum does not match');
  return body;
}
