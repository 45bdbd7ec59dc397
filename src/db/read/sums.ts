/** Sums of many hours of one monitor that can be added up and taken back again. */
import { bucketCount } from '../samples/histogram.ts';
import { visitLatencies } from '../samples/rollups.ts';
import { type ByStatus, emptyTally } from '../samples/tally.ts';
import type { SqlReader } from '../sql.ts';

export interface Sums {
  readonly secs: ByStatus;
  readonly counts: ByStatus;
  /** Counts by latency bucket, with a place for every bucket. */
  readonly histogram: Uint32Array;
}

export function emptySums(): Sums {
  const { secs, counts } = emptyTally();
  return { secs, counts, histogram: new Uint32Array(bucketCount) };
}

export function copySums({ secs, counts, histogram }: Sums): Sums {
  return { secs: { ...secs }, counts: { ...counts }, histogram: histogram.slice() };
}

/** Adds what is stored for a slot of the hourly rollups, or takes it back (`sign` -1). */
export function addHourly(
  sql: SqlReader,
  sums: Sums,
  hour: { readonly slot: number; readonly sign: 1 | -1 },
): void {
  const { secs, counts, histogram } = sums;
  const { slot, sign } = hour;
  sql.get(
    `SELECT up_secs, degraded_secs, down_secs, unknown_secs, up, degraded, down, unknown, latencies, recent_latencies
     FROM hourly WHERE slot = ?`,
    [slot],
    (row) => {
      secs.up += sign * row.number('up_secs');
      secs.degraded += sign * row.number('degraded_secs');
      secs.down += sign * row.number('down_secs');
      secs.unknown += sign * row.number('unknown_secs');
      counts.up += sign * row.number('up');
      counts.degraded += sign * row.number('degraded');
      counts.down += sign * row.number('down');
      counts.unknown += sign * row.number('unknown');
      visitLatencies(row, (bucket, count) => {
        histogram[bucket] = (histogram[bucket] ?? 0) + sign * count;
      });
    },
  );
}
