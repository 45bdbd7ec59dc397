/** Reads the daily uptime that Uptime Kuma has on record. */
import type { SqlReader, SqlRow } from '../../../db/store/sql.ts';
import { maxPastDays, type PastDay } from '../../../db/tables/past-days.ts';
import { type CountedDay, daySecs, pastDay } from '../history/days.ts';
import { tables } from './database.ts';

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

interface HistoryWish {
  readonly monitorId: number;
  readonly intervalSecs: number;
  readonly nowAt: number;
}

/**
 * Reads the daily uptime that Uptime Kuma has on record. The days before today, at most a year of them. Kuma counts
 * checks.
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
    .map((each) => pastDay(each, intervalSecs));
}

function tallied(row: SqlRow): CountedDay {
  return {
    day: row.number('day'),
    up: Math.max(0, row.numberOrNull('up') ?? 0),
    down: Math.max(0, row.numberOrNull('down') ?? 0),
  };
}
