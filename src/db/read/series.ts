/** The latency of one monitor over time, in few enough points to draw. */
import { findOwner, type SampleOwner } from '../samples/owner.ts';
import { HourlyRollups } from '../samples/kept-rollups.ts';
import { latencyOf } from '../samples/sample.ts';
import { hourSecs } from '../samples/slots.ts';
import { type OldHour, readableWithin } from '../samples/stored.ts';
import type { SqlReader } from '../store/sql.ts';

export interface SeriesPoint {
  /** Epoch seconds. */
  readonly t: number;
  readonly latency_ms: number;
}

export interface SeriesView {
  readonly now: number;
  readonly hours: number;
  readonly maxPoints: number;
  /** Of the monitor, ascending: see readOldHours. */
  readonly older?: readonly OldHour[];
}

/**
 * The samples with a latency of the last `hours`, oldest first. How long a check took that failed is no latency, here as
 * in the rollups. More of them than `maxPoints` are averaged over buckets of equal time, each dated by its start. Hours whose samples have been pruned are one point, their average;
 * hours whose samples are damaged are a gap.
 */
export function latencySeries(sql: SqlReader, monitor: string, view: SeriesView): SeriesPoint[] {
  const owner = findOwner(sql, monitor);
  if (owner === null) return [];
  const toSecs = Math.floor(view.now / 1000) + 1;
  const fromSecs = toSecs - view.hours * hourSecs;
  const { older = [] } = view;
  const points = prunedHours(sql, owner, { fromSecs, older });
  for (const sample of readableWithin(sql, owner, { fromSecs, toSecs, older })) {
    const latency_ms = latencyOf(sample);
    if (latency_ms !== null) points.push({ t: sample.at / 1000, latency_ms });
  }
  // Hours that were moved may lie between those that were pruned and those that are here.
  if (older.length > 0) points.sort((a, b) => a.t - b.t);
  return points.length <= view.maxPoints
    ? points
    : averaged(points, fromSecs, (toSecs - fromSecs) / view.maxPoints);
}

function prunedHours(
  sql: SqlReader,
  owner: SampleOwner,
  { fromSecs, older }: { readonly fromSecs: number; readonly older: readonly OldHour[] },
): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  const rollups = new HourlyRollups(sql, owner.key);
  const moved = new Set(older.map(({ hour }) => hour));
  const first = Math.max(Math.ceil(fromSecs / hourSecs), owner.oldestHour);
  for (let hour = first; hour < owner.prunedBefore; hour++) {
    const latency = moved.has(hour) ? undefined : rollups.read(hour)?.latency;
    if (latency === undefined || latency.count === 0) continue;
    points.push({ t: hour * hourSecs, latency_ms: Math.round(latency.sumMs / latency.count) });
  }
  return points;
}

function averaged(points: readonly SeriesPoint[], fromSecs: number, bucketSecs: number): SeriesPoint[] {
  const buckets = new Map<number, { sumMs: number; count: number }>();
  for (const point of points) {
    const index = Math.floor((point.t - fromSecs) / bucketSecs);
    const bucket = buckets.get(index) ?? { sumMs: 0, count: 0 };
    bucket.sumMs += point.latency_ms;
    bucket.count += 1;
    buckets.set(index, bucket);
  }
  return [...buckets].map(([index, { sumMs, count }]) => ({
    t: Math.floor(fromSecs + index * bucketSecs),
    latency_ms: Math.round(sumMs / count),
  }));
}
