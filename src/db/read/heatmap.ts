/** The heatmap of one monitor: the average latency of every hour of the last days. */
import { bucketCount, type Histogram, percentiles } from '../samples/histogram.ts';
import { findOwner } from '../samples/owner.ts';
import { DailyRollups, HourlyRollups } from '../samples/kept-rollups.ts';
import { daySecs, hourOf, hourSecs } from '../samples/slots.ts';
import { addTally, emptyTally, type Tally } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';

interface HeatmapCell {
  /** The start of the hour, epoch ms. */
  readonly at: number;
  /** Rounded to a millisecond; null: nothing was measured, or the hour is still to come. */
  readonly averageMs: number | null;
}

export interface Heatmap {
  /** One row a UTC day, the oldest first; 24 cells each. */
  readonly days: readonly (readonly HeatmapCell[])[];
  /** The median of all that was measured in these days. */
  readonly medianMs: number | null;
}

/** The last `days` UTC days of a monitor, today included. */
export function heatmapOf(
  sql: SqlReader,
  monitor: string,
  view: { readonly now: number; readonly days: number },
): Heatmap {
  const owner = findOwner(sql, monitor);
  const rollups = new HourlyRollups(sql, owner?.key ?? 0);
  const sum = emptyTally();
  const add = (tally: Tally | null) => {
    if (tally !== null) addTally(sum, tally);
  };
  const firstDay = Math.floor(view.now / 1000 / daySecs) - view.days + 1;
  const lastHour = hourOf(view.now / 1000);
  // What is packed is in the daily rollups, whose histograms are kept for longer.
  const daily = new DailyRollups(sql, owner?.key ?? 0);
  if (owner !== null) for (let day = firstDay; day < firstDay + view.days; day++) add(daily.read(day));
  const days = Array.from({ length: view.days }, (_, day) =>
    Array.from({ length: 24 }, (_, hourOfDay): HeatmapCell => {
      const hour = (firstDay + day) * 24 + hourOfDay;
      const at = hour * hourSecs * 1000;
      if (owner === null || hour > lastHour) return { at, averageMs: null };
      const tally = rollups.read(hour);
      if (hour >= owner.packedBefore) add(tally);
      if (tally === null || tally.latency.count === 0) return { at, averageMs: null };
      return { at, averageMs: Math.round(tally.latency.sumMs / tally.latency.count) };
    }),
  );
  return { days, medianMs: percentiles(denseHistogram(sum.latency.histogram), [0.5])[0] ?? null };
}

/** Histograms with a place for every bucket, which is how percentiles are read. */
export function denseHistogram(histogram: Histogram): Uint32Array {
  const counts = new Uint32Array(bucketCount);
  for (const [bucket, count] of histogram) counts[bucket] = count;
  return counts;
}
