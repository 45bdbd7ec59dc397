/** Reads a packed hour bit by bit, as its layout says: what the quick decoder is held against. It shares no code with it. */
import { crc32 } from 'node:zlib';
import { DamagedBytesError } from '../../../src/db/samples/bytes.ts';
import { maxHoldSecs, maxLatencyMs, maxSecs, type StoredSample } from '../../../src/db/samples/sample.ts';

const statuses = ['up', 'degraded', 'down', 'unknown'] as const;
const quotientLimit = 24;

export function plainSamples(bytes: Uint8Array, originSecs: number): StoredSample[] {
  const length = bytes.length - 4;
  need(length >= 0, 'the bytes end too early');
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getUint32(length, true);
  need(stored === crc32(bytes.subarray(0, length)), 'the checksum does not match');
  const bits = new Bits(bytes.subarray(0, length));
  const version = bits.number(8);
  need(version === 1, `block version ${version} is not known`);
  const count = varint(bits);
  need(count <= 2 ** 22, 'a block cannot hold that many samples');
  const steps = column(bits, count);
  const kinds = column(bits, count);
  const holds = column(bits, count);
  const centre = varint(bits);
  const distances = column(bits, kinds.filter(hasLatency).length).values();
  need(bits.left === 0, 'there are bytes after the block');
  let secs = originSecs;
  return kinds.map((kind, index) => {
    secs = ranged(secs + signed(steps[index] ?? 0), maxSecs);
    need(kind <= 15, 'a sample is of no known kind');
    const latencyMs = hasLatency(kind)
      ? ranged(centre + signed(distances.next().value ?? 0), maxLatencyMs)
      : null;
    const holdSecs = ranged(holds[index] ?? 0, maxHoldSecs);
    const status = statuses[kind % 4] ?? 'unknown';
    return { at: secs * 1000, status, latencyMs, holdSecs, isHeartbeat: kind >= 8 };
  });
}

class Bits {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length * 8 - this.at;
  }

  bit(): number {
    need(this.left > 0, 'the bytes end too early');
    const value = ((this.bytes[this.at >> 3] ?? 0) >> (this.at & 7)) & 1;
    this.at += 1;
    return value;
  }

  number(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++) value += this.bit() * 2 ** index;
    return value;
  }

  toByte(): void {
    while (this.at % 8 !== 0) need(this.bit() === 0, 'the padding is not empty');
  }
}

function varint(bits: Bits): number {
  for (let value = 0, place = 0; ; place++) {
    need(place < 8, 'a number is too long');
    const byte = bits.number(8);
    value += (byte % 128) * 128 ** place;
    if (byte >= 128) continue;
    need(Number.isSafeInteger(value), 'a number is too large');
    return value;
  }
}

function column(bits: Bits, count: number): number[] {
  const mark = bits.number(8);
  const values: number[] = [];
  if (mark !== 255) {
    need(mark <= 31, `there is no column encoding ${mark}`);
    need(count <= bits.left, 'a column is shorter than its count');
    while (values.length < count) values.push(riceCode(bits, mark));
    bits.toByte();
  }
  while (values.length < count) {
    const value = varint(bits);
    const length = varint(bits);
    need(length > 0 && length <= count - values.length, 'a run does not fit');
    for (let index = 0; index < length; index++) values.push(value);
  }
  return values;
}

function riceCode(bits: Bits, parameter: number): number {
  for (let quotient = 0; quotient < quotientLimit; quotient++) {
    if (bits.bit() === 0) return quotient * 2 ** parameter + bits.number(parameter);
  }
  return bits.number(48);
}

function hasLatency(kind: number): boolean {
  return Math.floor(kind / 4) % 2 === 1;
}

function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function ranged(value: number, max: number): number {
  need(value >= 0 && value <= max, 'a value is out of its range');
  return value;
}

function need(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new DamagedBytesError(otherwise);
}
