/**
 * Series in the block format of Snappy (google/snappy, format_description.txt) whose values are filled in later. From
 * one reading to the next nothing but values and instants changes: what stands around them is compressed once, with
 * noise in their places, which no compression can make smaller. A block refers to nothing outside of itself, so blocks
 * behind one another are a stream.
 */
import { randomFillSync } from 'node:crypto';
import { compress, uncompress } from 'snappyjs';
import { varintBytes } from './protobuf.ts';

/** A sample: field 1, a double; field 2, an instant in six groups of seven bits, enough until 2109. */
const [valueTag, timeTag, timeBytes] = [0x09, 0x10, 6];
const noiseAt = 1;
const noiseBytes = 8 + 1 + timeBytes;

/** Field 2 of a series (prompb.TimeSeries), with one sample in it. */
const sampleBytes = 2 + noiseAt + noiseBytes;

export interface SnappyTemplate {
  readonly series: number;
  /** How long it is when it is not compressed. */
  readonly rawBytes: number;
  /** How long `fill` makes it. */
  readonly bytes: number;
  /** Writes it to `target` at `at`; `values` are one a series, in their order. */
  readonly fill: (
    target: Buffer,
    at: number,
    filling: { readonly values: Float64Array; readonly instant: Uint8Array },
  ) => void;
  /** The labels of each series, in bytes. */
  readonly labels: () => readonly Buffer[];
}

/** `labels`: of each series, as they stand in it. */
export function snappyTemplate(labels: readonly Buffer[]): SnappyTemplate {
  const noise = randomFillSync(Buffer.alloc(labels.length * noiseBytes));
  const raw = Buffer.concat(labels.map((one, index) => seriesBytes(one, noiseOf(noise, index))));
  const head = Buffer.from(varintBytes(raw.length));
  const placesIn = (block: Buffer) => labels.map((_, index) => block.indexOf(noiseOf(noise, index)));
  let block: Buffer = Buffer.from(compress(raw).subarray(head.length));
  let places = placesIn(block);
  // What is long is compressed in parts, and noise may stand where two of them meet, or look like what it is not.
  if (!isSound(raw, { block, places })) {
    block = literal(raw);
    places = placesIn(block);
  }
  return {
    series: labels.length,
    rawBytes: raw.length,
    bytes: block.length,
    fill: (target, at, { values, instant }) => {
      block.copy(target, at);
      for (const [index, place] of places.entries()) {
        target.writeDoubleLE(values[index] ?? 0, at + place);
        for (let group = 0; group < timeBytes; group += 1)
          target[at + place + 9 + group] = instant[group] ?? 0;
      }
    },
    labels: () => labelsIn(uncompress(Buffer.concat([head, block]))),
  };
}

interface Compressed {
  readonly block: Buffer;
  /** Where the noise of each series stands in it. */
  readonly places: readonly number[];
}

/** Whether writing over the noise of a block changes nothing but the noise. */
function isSound(raw: Buffer, { block, places }: Compressed): boolean {
  if (places.includes(-1)) return false;
  const wanted = Buffer.from(raw);
  const filled = Buffer.from(block);
  for (const place of places) {
    const noise = block.subarray(place, place + noiseBytes);
    const at = raw.indexOf(noise);
    wanted.fill(0, at, at + noiseBytes);
    filled.fill(0, place, place + noiseBytes);
  }
  try {
    return uncompress(Buffer.concat([Buffer.from(varintBytes(raw.length)), filled])).equals(wanted);
  } catch {
    return false;
  }
}

/** Bytes as they are: an element with a length of four bytes. */
function literal(raw: Buffer): Buffer {
  const head = Buffer.from([63 * 4, 0, 0, 0, 0]);
  head.writeUInt32LE(raw.length - 1, 1);
  return Buffer.concat([head, raw]);
}

/** Epoch ms as `fill` takes it. */
export function instantBytes(at: number): Uint8Array {
  const bytes = new Uint8Array(timeBytes);
  let rest = at;
  for (let group = 0; group < timeBytes; group += 1) {
    bytes[group] = (rest % 128) + (group === timeBytes - 1 ? 0 : 128);
    rest = Math.floor(rest / 128);
  }
  return bytes;
}

function noiseOf(noise: Buffer, index: number): Buffer {
  const own = noise.subarray(index * noiseBytes, (index + 1) * noiseBytes);
  own[8] = timeTag;
  // No two begin or end alike: what stands before and behind them does, and must not be taken together with them.
  own[0] = index % 256;
  own[noiseBytes - 1] = index % 256;
  return own;
}

/** Field 1 of a request (prompb.WriteRequest). */
function seriesBytes(labels: Buffer, noise: Buffer): Buffer {
  const head = [0x0a, ...varintBytes(labels.length + sampleBytes)];
  return Buffer.concat([
    Buffer.from(head),
    labels,
    Buffer.from([0x12, noiseAt + noiseBytes, valueTag]),
    noise,
  ]);
}

function labelsIn(raw: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = 1; at < raw.length; at += 1) {
    let [length, factor] = [0, 1];
    for (let more = true; more; at += 1, factor *= 128) {
      const group = raw[at] ?? 0;
      length += (group % 128) * factor;
      more = group > 127;
    }
    found.push(raw.subarray(at, at + length - sampleBytes));
    at += length;
  }
  return found;
}
