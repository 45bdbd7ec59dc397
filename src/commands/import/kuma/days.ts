/** Reads the daily uptime that Uptime Kuma has on record. */
import type { SqlReader, SqlRow } from '../../../db/store/sql.ts';
import { maxPastDays, type PastDay } from '../../../db/tables/past-days.ts';
import { type CountedDay, daySecs, pastDay } from '../history/days.ts';
import { tables } from './database.ts';
import type { BeatHistory } from './heartbeats.ts';

/** Version 2 keeps a row a day; the timestamp is the start of the UTC day. */
const daily = `
  SELECT CAST(timestamp AS INTEGER) / 86400 AS day, CAST(sum(up) AS INTEGER) AS up, CAST(sum(down) AS INTEGER) AS down
  FROM stat_daily WHERE monitor_id = ? AND timestamp >= ? GROUP BY day ORDER BY day`;

interface DaysWish {
  readonly monitorId: number;
  readonly intervalSecs: number;
  readonly nowAt: number;
  /** The days of its heartbeats, for version 1, which keeps no others. */
  readonly beats: BeatHistory['days'] | undefined;
}

/** The days before today, at most a year of them, oldest first. Kuma counts checks. */
export function pastDays(sql: SqlReader, { monitorId, intervalSecs, nowAt, beats }: DaysWish): PastDay[] {
  const today = Math.floor(nowAt / 1000 / daySecs);
  const first = today - maxPastDays + 1;
  const kept = tables(sql).has('stat_daily') ? sql.all(daily, [monitorId, first * daySecs], tallied) : [];
  const days = kept.length > 0 ? kept : [...(beats?.values() ?? [])];
  return days
    .filter(({ day, up, down }) => day >= first && day < today && up + down > 0)
    .sort((one, other) => one.day - other.day)
    .map((each) => pastDay(each, intervalSecs));
}

function tallied(row: SqlRow): CountedDay {
  return {
    day: row.number('day'),
    up: Math.max(0, row.numberOrNull('up') ?? 0),
    down: Math.max(0, row.numberOrNull('down') ?? 0),
  };
}
