/** The average latency of one monitor by the hour or by the day, from rollups. */
import { findOwner } from '../samples/owner.ts';
import { HourlyRollups } from '../samples/rollups.ts';
import { daySecs, firstSlotOf, hourOf, hourSecs } from '../samples/slots.ts';
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

/** The same by UTC days that are over and packed. */
export function dailyLatency(sql: SqlReader, monitor: string, { now, hours }: RollupView): SeriesPoint[] {
  const owner = findOwner(sql, monitor);
  if (owner === null) return [];
  const today = Math.floor(now / 1000 / daySecs);
  const points: SeriesPoint[] = [];
  for (let day = today - Math.ceil(hours / 24) + 1; day <= today; day++) {
    const average = dailyAverage(sql, firstSlotOf(day) + owner.key);
    if (average !== null) points.push({ t: day * daySecs + daySecs / 2, latency_ms: average });
  }
  return points;
}

function dailyAverage(sql: SqlReader, slot: number): number | null {
  return sql.get(
    'SELECT latency_sum_ms * 1.0 / latency_count AS average FROM daily WHERE slot = ? AND latency_count > 0',
    [slot],
    (row) => Math.round(row.number('average')),
  );
}
