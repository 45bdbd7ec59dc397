/** Reads the past of each monitor, and says what became of it. */
import { cleanLine } from '../../../engine/core/text.ts';
import { type KeptOutages, type LeftOut, maxOutages } from './outages.ts';
import { maxPastDays, type PastDay } from '../../../db/tables/past-days.ts';
import type { SqlReader, SqlRow } from '../../../db/store/sql.ts';
import { tables } from './database.ts';
import { counted } from '../../../engine/core/words.ts';

export interface KeptPast {
  readonly id: string;
  /** Days that are on record now, of those that were found. */
  readonly days: number;
  readonly found: number;
  readonly outages: KeptOutages;
}

export interface HistoryReport {
  readonly monitors: readonly KeptPast[];
  /** Names of monitors that the configuration does not have. */
  readonly unknown: readonly string[];
}

/** Keys are added here, never renamed. */
export function historyJson({ monitors, unknown }: HistoryReport) {
  return {
    days: sum(monitors, ({ days }) => days),
    incidents: sum(monitors, ({ outages }) => outages.kept),
    monitors: monitors.map(({ id, days, found, outages: { kept, leftOut } }) => ({
      id,
      days,
      found,
      incidents: kept,
      incidents_left_out: {
        on_record: leftOut.known,
        watched_here: leftOut.watched,
        unfinished: leftOut.unfinished,
        too_old: leftOut.tooOld,
        too_many: leftOut.tooMany,
        down_now: leftOut.waiting,
      },
    })),
    unknown,
  };
}

/** What was left out is always reported, but for what a run before brought in. */
export function historyText({ monitors, unknown }: HistoryReport, isQuiet: boolean): string {
  const missing =
    unknown.length === 0 ? [] : [`Not in the configuration: ${unknown.map(cleanLine).join(', ')}.`];
  const shown = isQuiet ? missing : [...keptLines(monitors), ...leftOutLines(monitors), ...missing];
  return shown.map((line) => `${line}\n`).join('');
}

function keptLines(monitors: readonly KeptPast[]): string[] {
  const days = sum(monitors, (one) => one.days);
  const kept = sum(monitors, ({ outages }) => outages.kept);
  const owners = monitors.filter((one) => one.days > 0 || one.outages.kept > 0).length;
  const skipped = sum(monitors, ({ found }) => found) - days;
  return [
    `Brought in ${counted(days, 'day')} of uptime and ${counted(kept, 'incident')} of ${counted(owners, 'monitor')}.`,
    ...(skipped > 0
      ? [`${counted(skipped, 'day')} ${skipped === 1 ? 'was' : 'were'} on record already.`]
      : []),
  ];
}

/** One incident, then several. */
const reasons: readonly (readonly [keyof LeftOut, string, string])[] = [
  ['known', 'was on record already', 'were on record already'],
  ['watched', 'ended when statusd was watching itself', 'ended when statusd was watching itself'],
  ['unfinished', 'was not over when Uptime Kuma looked last', 'were not over when Uptime Kuma looked last'],
  ['tooOld', 'ended more than a year ago', 'ended more than a year ago'],
];

function leftOutLines(monitors: readonly KeptPast[]): string[] {
  const total = (key: keyof LeftOut) => sum(monitors, ({ outages }) => outages.leftOut[key]);
  const tooMany = total('tooMany');
  return [
    ...reasons.flatMap(([key, one, several]) => {
      const number = total(key);
      return number === 0 ? [] : [`${counted(number, 'incident')} ${number === 1 ? one : several}.`];
    }),
    ...(tooMany === 0
      ? []
      : [
          `${counted(tooMany, 'older incident')} left out: the last ${maxOutages} of each monitor come over.`,
        ]),
    ...monitors.flatMap(({ id, outages: { leftOut } }) =>
      leftOut.waiting === 0
        ? []
        : [
            `${counted(leftOut.waiting, 'incident')} of ${id} left out: it is down now. Repeat the import when it is up.`,
          ],
    ),
  ];
}

function sum(monitors: readonly KeptPast[], of: (one: KeptPast) => number): number {
  return monitors.reduce((total, one) => total + of(one), 0);
}

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

interface HistoryWish {
  readonly monitorId: number;
  readonly intervalSecs: number;
  readonly nowAt: number;
}

/**
 * Reads the daily uptime that Uptime Kuma has on record. The days before today, at most a year of them. Kuma counts
 * checks; the seconds they speak for are estimated from the interval of today. A day with a failed check is never
 * wholly up.
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
