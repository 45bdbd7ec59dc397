/**
 * A column of whole numbers in few bytes: runs when values repeat, Rice codes when they scatter.
 *
 * A Rice code with parameter k writes value / 2^k as that many one bits and a zero bit, then the k low bits
 * (R. F. Rice, JPL 79-22, 1979): about as short as noise around a centre can get, without a table. Quotients
 * of 24 and above are written as 24 one bits and the value in full, so one outlier costs 9 bytes at most.
 * The first byte says which it is: k, or 255 for runs of (value, length).
 */
import { type ByteReader, type ByteWriter, DamagedBytesError } from './bytes.ts';

const runsMark = 255;
const maxParameter = 31;
const escapeAt = 24;
const escapedBits = 48;

/** Appends `values` (whole, 0 to 2^48 - 1) in whichever way is shorter. */
export function writeColumn(writer: ByteWriter, values: readonly number[]): void {
  const runs = runsOf(values);
  const runBits = 8 * runs.reduce((sum, run) => sum + varintLength(run.value) + varintLength(run.length), 0);
  // A Rice code takes a bit at least, so there is no need to try when runs take less.
  const rice = runBits <= values.length ? null : bestParameter(values);
  if (rice === null || runBits <= rice.bits) {
    writer.byte(runsMark);
    for (const run of runs) {
      writer.varint(run.value);
      writer.varint(run.length);
    }
    return;
  }
  writer.byte(rice.parameter);
  for (const value of values) writeRice(writer, value, rice.parameter);
  writer.align();
}

/**
 * Reads the next `count` values into the beginning of `room`, or of larger room when they do not fit, and answers that.
 * Memory is taken for what is read, not for what a damaged count claims. Throws a DamagedBytesError when the values cannot
 * have been written by writeColumn.
 */
export function readColumn(reader: ByteReader, count: number, room: Float64Array): Float64Array {
  const mark = reader.byte();
  if (mark === runsMark) return readRuns(reader, count, room);
  if (mark > maxParameter) throw new DamagedBytesError(`there is no column encoding ${mark}`);
  // A code takes a bit at least.
  if (count > reader.remaining * 8) throw new DamagedBytesError('a column is shorter than its count');
  const into = withRoom(room, count);
  const scale = 2 ** mark;
  for (let index = 0; index < count; index++) {
    const quotient = reader.ones(escapeAt);
    into[index] =
      quotient === escapeAt ? readWide(reader, escapedBits) : quotient * scale + readWide(reader, mark);
  }
  reader.align();
  return into;
}

/** These values where `count` of them fit; what is beyond the old ones is zero. */
export function withRoom(values: Float64Array, count: number): Float64Array {
  if (count <= values.length) return values;
  const larger = new Float64Array(Math.max(count, 2 * values.length));
  larger.set(values);
  return larger;
}

/** Maps 0, -1, 1, -2, 2… to 0, 1, 2, 3, 4… so that small differences of either sign are small values. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function unzigzag(value: number): number {
  if (value < 2 ** 31) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

interface Run {
  readonly value: number;
  readonly length: number;
}

function runsOf(values: readonly number[]): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let index = 1; index <= values.length; index++) {
    const value = values[start];
    if (value === undefined || values[index] === value) continue;
    runs.push({ value, length: index - start });
    start = index;
  }
  return runs;
}

function readRuns(reader: ByteReader, count: number, room: Float64Array): Float64Array {
  let into = room;
  for (let start = 0; start < count; ) {
    const value = reader.varint();
    const length = reader.varint();
    if (length === 0 || length > count - start) throw new DamagedBytesError('a run does not fit');
    const end = start + length;
    into = withRoom(into, end);
    into.fill(value, start, end);
    start = end;
  }
  return into;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** The shortest parameter lies near the logarithm of the mean, or below it when outliers push the mean up. */
function bestParameter(values: readonly number[]): { parameter: number; bits: number } {
  let sum = 0;
  for (const value of values) sum += value;
  const near = Math.min(maxParameter, Math.floor(Math.log2(sum / Math.max(1, values.length) + 1)));
  let best = { parameter: near, bits: riceBits(values, near) };
  for (let parameter = near - 1; parameter >= 0; parameter--) {
    const bits = riceBits(values, parameter);
    if (bits < best.bits) best = { parameter, bits };
  }
  return best;
}

function riceBits(values: readonly number[], parameter: number): number {
  const scale = 2 ** parameter;
  let bits = 0;
  for (const value of values) {
    const quotient = value < 2 ** 31 ? value >>> parameter : Math.floor(value / scale);
    bits += quotient < escapeAt ? quotient + 1 + parameter : escapeAt + escapedBits;
  }
  return bits;
}

function writeRice(writer: ByteWriter, value: number, parameter: number): void {
  const scale = 2 ** parameter;
  const quotient = Math.floor(value / scale);
  if (quotient >= escapeAt) {
    writer.bits(0xffffff, escapeAt);
    writeWide(writer, value, escapedBits);
    return;
  }
  writer.bits((1 << quotient) - 1, quotient + 1);
  writeWide(writer, value % scale, parameter);
}

function writeWide(writer: ByteWriter, value: number, count: number): void {
  writer.bits(value % 2 ** 16, Math.min(count, 16));
  if (count > 16) writeWide(writer, Math.floor(value / 2 ** 16), count - 16);
}

function readWide(reader: ByteReader, count: number): number {
  if (count <= 16) return reader.bits(count);
  return reader.bits(16) + readWide(reader, count - 16) * 2 ** 16;
}
