/**
 * How often each latency was seen, in buckets fine enough for percentiles: exact below 128 ms, above that 64
 * buckets to each doubling, so a percentile read from it is within 0.8 % of the true one, however many histograms
 * were added up. (The scheme is that of HdrHistogram.)
 */
import { ByteReader, ByteWriter, DamagedBytesError } from './bytes.ts';
import { readColumn, writeColumn } from './column.ts';

const exactBelow = 128;
const perDoubling = 64;

/** Buckets for every latency from 0 to 2^31 ms. */
export const bucketCount = exactBelow + (31 - 7) * perDoubling + 1;

/** Counts by bucket. */
export type Histogram = ReadonlyMap<number, number>;

/** The bucket of a latency in whole milliseconds, 0 to 2^31. */
export function bucketOf(latencyMs: number): number {
  if (latencyMs < exactBelow) return latencyMs;
  const doubling = 31 - Math.clz32(latencyMs);
  return exactBelow + (doubling - 8) * perDoubling + Math.floor(latencyMs / 2 ** (doubling - 6));
}

/** The latency in the middle of a bucket, in whole milliseconds. */
function latencyOf(bucket: number): number {
  if (bucket < exactBelow) return bucket;
  const doubling = Math.floor((bucket - exactBelow) / perDoubling) + 7;
  const width = 2 ** (doubling - 6);
  const start = (((bucket - exactBelow) % perDoubling) + perDoubling) * width;
  return start + Math.floor((width - 1) / 2);
}

/** Packs a histogram: the steps from bucket to bucket, then the counts. */
export function packHistogram(histogram: Histogram): Uint8Array {
  const buckets = [...histogram.keys()].sort((a, b) => a - b);
  const writer = new ByteWriter();
  writer.varint(buckets.length);
  writeColumn(
    writer,
    buckets.map((bucket, index) => bucket - (buckets[index - 1] ?? 0)),
  );
  writeColumn(
    writer,
    buckets.map((bucket) => histogram.get(bucket) ?? 0),
  );
  return writer.finish();
}

/** Adds a packed histogram to `counts`. Throws a DamagedBytesError when the bytes are not those of packHistogram. */
export function unpackHistogram(bytes: Uint8Array, visit: (bucket: number, count: number) => void): void {
  const reader = new ByteReader(bytes);
  const length = reader.varint();
  if (length > bucketCount) throw new DamagedBytesError('a histogram has more buckets than there are');
  const steps = new Float64Array(length);
  readColumn(reader, length, steps);
  const counts = new Float64Array(length);
  readColumn(reader, length, counts);
  if (reader.remaining > 0) throw new DamagedBytesError('there are bytes after the histogram');
  let bucket = 0;
  for (let index = 0; index < length; index++) {
    bucket += steps[index] ?? 0;
    if (bucket >= bucketCount) throw new DamagedBytesError('a histogram has a bucket that does not exist');
    visit(bucket, counts[index] ?? 0);
  }
}

/**
 * The latencies at the given ranks (0.5, 0.95…; nearest rank, ascending) of counts by bucket; null for each when
 * nothing was counted.
 */
export function percentiles(counts: Uint16Array | Uint32Array, ranks: readonly number[]): (number | null)[] {
  let total = 0;
  for (const count of counts) total += count;
  if (total === 0) return ranks.map(() => null);
  const found: number[] = [];
  let seen = 0;
  let next = 0;
  for (let bucket = 0; bucket < counts.length && next < ranks.length; bucket++) {
    seen += counts[bucket] ?? 0;
    while (next < ranks.length && seen >= Math.max(1, Math.ceil((ranks[next] ?? 1) * total))) {
      found.push(latencyOf(bucket));
      next++;
    }
  }
  return found;
}
