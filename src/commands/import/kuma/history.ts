/** Reads the daily uptime that Uptime Kuma has on record. */
import type { PastDay } from '../../../db/tables/past-days.ts';
import { maxPastDays } from '../../../db/tables/past-days.ts';
import type { SqlRow, SqlReader } from '../../../db/store/sql.ts';
import { tables } from './database.ts';

const daySecs = 86_400;

interface Tallied {
  readonly day: number;
  readonly up: number;
  readonly down: number;
}

/** Version 2 keeps a row a day; the timestamp is the start of the UTC day. */
const daily = `
  SELECT CAST(timestamp AS INTEGER) / 86400 AS day, CAST(sum(up) AS INTEGER) AS up, CAST(sum(down) AS INTEGER) AS down
  FROM stat_daily WHERE monitor_id = ? AND timestamp >= ? GROUP BY day ORDER BY day`;

/**
 * Version 1 keeps every heartbeat, its time as UTC text: 0 down, 1 up, 2 still being retried, which version 2 counts
 * as down; 3 maintenance, which says nothing.
 */
const heartbeats = `
  SELECT CAST(strftime('%s', substr(time, 1, 10)) AS INTEGER) / 86400 AS day,
    CAST(sum(status = 1) AS INTEGER) AS up, CAST(sum(status IN (0, 2)) AS INTEGER) AS down
  FROM heartbeat WHERE monitor_id = ? AND time >= ?
  GROUP BY day HAVING day IS NOT NULL ORDER BY day`;

export interface HistoryWish {
  readonly monitorId: number;
  readonly intervalSecs: number;
  readonly nowAt: number;
}

/**
 * The days before today, at most a year of them. Kuma counts checks; the seconds they speak for are estimated from
 * the interval of today. A day with a failed check is never wholly up.
 */
export function pastDays(sql: SqlReader, { monitorId, intervalSecs, nowAt }: HistoryWish): PastDay[] {
  const today = Math.floor(nowAt / 1000 / daySecs);
  const first = today - maxPastDays + 1;
  const read = (query: string, from: number | string) => sql.all(query, [monitorId, from], tallied);
  const known = tables(sql);
  const counted = known.has('stat_daily') ? read(daily, first * daySecs) : [];
  const isOld = counted.length === 0 && known.has('heartbeat');
  const days = isOld
    ? read(heartbeats, new Date(first * daySecs * 1000).toISOString().slice(0, 10))
    : counted;
  return days
    .filter(({ day, up, down }) => day >= first && day < today && up + down > 0)
    .map(asPastDay(intervalSecs));
}

function tallied(row: SqlRow): Tallied {
  return {
    day: row.number('day'),
    up: Math.max(0, row.numberOrNull('up') ?? 0),
    down: Math.max(0, row.numberOrNull('down') ?? 0),
  };
}

function asPastDay(intervalSecs: number): (tallied: Tallied) => PastDay {
  return ({ day, up, down }) => {
    const total = Math.min(daySecs, Math.round((up + down) * Math.max(1, intervalSecs)));
    const downSecs = down === 0 ? 0 : Math.max(1, Math.ceil((total * down) / (up + down)));
    return [day, total - downSecs, downSecs, bounded(up), bounded(down)];
  };
}

/** More checks than a day has seconds is nonsense, but no reason to lose the day. */
function bounded(count: number): number {
  return Math.min(daySecs, Math.round(count));
}
