/** The average latency of one monitor by the hour or by the day, from rollups. */
import { findOwner } from '../samples/owner.ts';
import { DailyRollups, HourlyRollups } from '../samples/kept-rollups.ts';
import { daySecs, hourOf, hourSecs } from '../samples/slots.ts';
import type { SqlReader } from '../store/sql.ts';
import type { SeriesPoint } from './series.ts';

interface RollupView {
  readonly now: number;
  readonly hours: number;
}

/** The last `hours`, oldest first: a point in the middle of each hour in which something was measured. */
export function hourlyLatency(sql: SqlReader, monitor: string, { now, hours }: RollupView): SeriesPoint[] {
  const owner = findOwner(sql, monitor);
  if (owner === null) return [];
  const rollups = new HourlyRollups(sql, owner.key);
  const last = hourOf(now / 1000);
  const points: SeriesPoint[] = [];
  for (let hour = Math.max(last - hours + 1, owner.oldestHour); hour <= last; hour++) {
    const latency = rollups.read(hour)?.latency;
    if (latency === undefined || latency.count === 0) continue;
    const latency_ms = Math.round(latency.sumMs / latency.count);
    points.push({ t: hour * hourSecs + hourSecs / 2, latency_ms });
  }
  return points;
}

/** The same by UTC days, of today as far as its hours are packed; while none of them is, of those that there are. */
export function dailyLatency(sql: SqlReader, monitor: string, { now, hours }: RollupView): SeriesPoint[] {
  const owner = findOwner(sql, monitor);
  if (owner === null) return [];
  const rollups = new DailyRollups(sql, owner.key);
  const today = Math.floor(now / 1000 / daySecs);
  const points: SeriesPoint[] = [];
  for (let day = today - Math.ceil(hours / 24) + 1; day <= today; day++) {
    const average = rollups.readAverage(day) ?? (day === today ? averageOfHours(sql, owner.key, now) : null);
    if (average !== null) points.push({ t: day * daySecs + daySecs / 2, latency_ms: Math.round(average) });
  }
  return points;
}

/** Over the hours of the day that `now` falls into, in milliseconds; null: nothing was measured in them. */
function averageOfHours(sql: SqlReader, key: number, now: number): number | null {
  const rollups = new HourlyRollups(sql, key);
  const last = hourOf(now / 1000);
  let sumMs = 0;
  let count = 0;
  for (let hour = last - (last % 24); hour <= last; hour++) {
    const latency = rollups.read(hour)?.latency;
    sumMs += latency?.sumMs ?? 0;
    count += latency?.count ?? 0;
  }
  return count === 0 ? null : sumMs / count;
}
