/** Sums of many hours of one monitor that can be added up and taken back again. */
import { bucketOf } from '../samples/histogram.ts';
import { visitLatencies } from '../samples/rollups.ts';
import { latencyOf, type StoredSample } from '../samples/sample.ts';
import { firstSlotOf } from '../samples/slots.ts';
import { type ByStatus, emptyTally } from '../samples/tally.ts';
import type { SqlRow, SqlReader } from '../store/sql.ts';

export interface Sums {
  readonly secs: ByStatus;
  readonly counts: ByStatus;
  /** Counts by latency bucket, with a place for every bucket up to the highest that was seen; wide once one needs it. */
  histogram: Uint16Array | Uint32Array;
}

/** Room for as many buckets at first: so many are part of the object, more are a piece of memory apart. */
const firstLength = 32;

/** Of sums without latencies; it has no place to write to. */
const noLatencies = new Uint16Array(0);

export function emptySums(): Sums {
  const { secs, counts } = emptyTally();
  return { secs, counts, histogram: noLatencies };
}

/** Makes `sums` the same as `other`, in the memory it has. */
export function becomeSums(sums: Sums, other: Sums): void {
  Object.assign(sums.secs, other.secs);
  Object.assign(sums.counts, other.counts);
  const isRoomy = sums.histogram.length >= other.histogram.length;
  const isWide = sums.histogram.BYTES_PER_ELEMENT >= other.histogram.BYTES_PER_ELEMENT;
  if (isRoomy && isWide) sums.histogram.fill(0).set(other.histogram);
  else sums.histogram = other.histogram.slice();
}

const columns = `up_secs, degraded_secs, down_secs, unknown_secs, up, degraded, down, unknown, latencies,
  recent_latencies`;

/** A text that is put together for each query would be looked up letter by letter. */
const queries = {
  slot: `SELECT ${columns} FROM hourly WHERE slot = ?`,
  hour: `SELECT slot, ${columns} FROM hourly WHERE slot >= ? AND slot < ?`,
} as const;

/** Adds a sample, without its seconds. */
export function addSample(sums: Sums, sample: StoredSample): void {
  sums.counts[sample.status] += 1;
  const latencyMs = latencyOf(sample);
  if (latencyMs !== null) addLatencies(sums, bucketOf(latencyMs), 1);
}

/** Adds what is stored for a slot of the hourly rollups, or takes it back (`sign` -1). */
export function addHourly(
  sql: SqlReader,
  sums: Sums,
  { slot, sign }: { readonly slot: number; readonly sign: 1 | -1 },
): void {
  sql.get(queries.slot, [slot], (row) => {
    addRow(sums, row, sign);
  });
}

/** Adds what is stored for an hour of every monitor to the sums that `sumsOf` has for its key; null: it is left out. */
export function addHourOfAll(sql: SqlReader, hour: number, sumsOf: (key: number) => Sums | null): void {
  const first = firstSlotOf(hour);
  sql.all(queries.hour, [first, firstSlotOf(hour + 1)], (row) => {
    const sums = sumsOf(row.number('slot') - first);
    if (sums !== null) addRow(sums, row, 1);
  });
}

function addRow(sums: Sums, row: SqlRow, sign: 1 | -1): void {
  const { secs, counts } = sums;
  secs.up += sign * row.number('up_secs');
  secs.degraded += sign * row.number('degraded_secs');
  secs.down += sign * row.number('down_secs');
  secs.unknown += sign * row.number('unknown_secs');
  counts.up += sign * row.number('up');
  counts.degraded += sign * row.number('degraded');
  counts.down += sign * row.number('down');
  counts.unknown += sign * row.number('unknown');
  visitLatencies(row, (bucket, count) => {
    addLatencies(sums, bucket, sign * count);
  });
}

function addLatencies(sums: Sums, bucket: number, count: number): void {
  if (bucket >= sums.histogram.length) sums.histogram = grown(sums.histogram, bucket);
  const sum = (sums.histogram[bucket] ?? 0) + count;
  if (sum > maxNarrow && sums.histogram instanceof Uint16Array)
    sums.histogram = new Uint32Array(sums.histogram);
  sums.histogram[bucket] = sum;
}

/** A check a second brings more in a day, when it always takes as long. */
const maxNarrow = 2 ** 16 - 1;

function grown(histogram: Sums['histogram'], bucket: number): Sums['histogram'] {
  const length = Math.max(firstLength, bucket + 1, Math.ceil(histogram.length * 1.25));
  const larger = histogram instanceof Uint16Array ? new Uint16Array(length) : new Uint32Array(length);
  larger.set(histogram);
  return larger;
}
