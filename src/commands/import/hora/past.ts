/** Reads the daily uptime and the outages that Hora has on record. */
import { maxPastDays, type PastDay } from '../../../db/tables/past-days.ts';
import type { SqlReader, SqlRow } from '../../../db/store/sql.ts';
import { aText, parseJson, readList } from '../../../engine/core/decode.ts';
import { type CountedDay, daySecs, pastDay } from '../history/days.ts';
import { type ImportedOutage, type ImportedOutages, recentOutages } from '../history/outages.ts';
import { columnsOf } from './database.ts';

interface DaysWish {
  readonly monitor: string;
  readonly intervalSecs: number;
  readonly nowAt: number;
}

/** One row a check: 0 down, 1 up, 2 degraded, which is up. They are kept for the retention, 90 days unless it is set. */
const hoursOfChecks = `
  SELECT time / 3600 AS hour, CAST(sum(status <> 0) AS INTEGER) AS up, CAST(sum(status = 0) AS INTEGER) AS down
  FROM checks WHERE monitor_id = ?1 AND time >= ?2 AND time < ?3 AND status IN (0, 1, 2) GROUP BY 1`;

/** The same checks again, an hour a row, some time after the hour ended (after 7 days until 0.9.5), for 90 days. */
const hoursRolledUp = `
  SELECT hour / 3600 AS hour, up_count + degraded_count AS up, down_count AS down
  FROM checks_hourly WHERE monitor_id = ?1 AND hour >= ?2 AND hour < ?3`;

/** What is older than 90 days, a row a day. */
const daysRolledUp = `
  SELECT CAST(day / 86400 AS INTEGER) AS day, CAST(up_count + degraded_count AS INTEGER) AS up,
    CAST(down_count AS INTEGER) AS down
  FROM checks_daily WHERE monitor_id = ? AND day >= ? AND day < ?`;

/** Of each hour the account with the most checks; SQLite takes the other columns from the row of the maximum. */
function daysOfHours(sources: readonly string[]): string {
  return `
    SELECT CAST(hour / 24 AS INTEGER) AS day, CAST(sum(up) AS INTEGER) AS up, CAST(sum(down) AS INTEGER) AS down
    FROM (SELECT hour, up, down, max(up + down) FROM (${sources.join(' UNION ALL ')}) GROUP BY hour)
    GROUP BY 1`;
}

/**
 * The days before today, at most a year of them. Hora counts the same checks up to three times: of each hour, and then
 * of each day, the fullest account is taken, since retention eats the older ones from the front.
 */
export function horaDays(sql: SqlReader, { monitor, intervalSecs, nowAt }: DaysWish): PastDay[] {
  const today = Math.floor(nowAt / 1000 / daySecs);
  const first = today - maxPastDays + 1;
  const read = (query: string) => sql.all(query, [monitor, first * daySecs, today * daySecs], countedDay);
  const has = (table: string) => columnsOf(sql, table).size > 0;
  const sources = has('checks_hourly') ? [hoursOfChecks, hoursRolledUp] : [hoursOfChecks];
  const fullest = new Map<number, CountedDay>();
  for (const day of [...read(daysOfHours(sources)), ...(has('checks_daily') ? read(daysRolledUp) : [])]) {
    const known = fullest.get(day.day);
    if (known === undefined || day.up + day.down > known.up + known.down) fullest.set(day.day, day);
  }
  return [...fullest.values()]
    .filter(({ up, down }) => up + down > 0)
    .sort((one, other) => one.day - other.day)
    .map((day) => pastDay(day, intervalSecs));
}

function countedDay(row: SqlRow): CountedDay {
  return {
    day: row.number('day'),
    up: Math.max(0, row.numberOrNull('up') ?? 0),
    down: Math.max(0, row.numberOrNull('down') ?? 0),
  };
}

interface HoraMonitor {
  readonly id: string;
  readonly name: string;
}

interface OutagesWish {
  readonly monitor: string;
  /** Those that ended before it are too old. */
  readonly sinceAt: number;
  /** How long the checks may take that one is called down for: a failure before that, Hora was off in between. */
  readonly lookbackSecs: number;
  /** Those of the configuration: Hora calls others by their names. */
  readonly monitors: readonly HoraMonitor[];
}

interface Recorded {
  readonly started: number;
  readonly ended: number | null;
  readonly outage: Pick<ImportedOutage, 'message' | 'note' | 'cause' | 'impacted'>;
}

/** Hora records an incident when it calls a monitor down, so its first failed check is looked up. */
export function horaOutages(sql: SqlReader, wish: OutagesWish): ImportedOutages {
  const { monitor, sinceAt, monitors } = wish;
  const columns = columnsOf(sql, 'incidents');
  if (columns.size === 0) return { outages: [], tooOld: 0, tooMany: 0, unfinished: 0 };
  const note = columns.has('note') ? 'substr(note, 1, 2000)' : 'NULL';
  const query = `
    SELECT started_at AS started, ended_at AS ended, CAST(substr(error, 1, 2000) AS TEXT) AS error,
      CAST(${note} AS TEXT) AS note, CAST(cause AS TEXT) AS cause, CAST(impacted AS TEXT) AS impacted
    FROM incidents
    WHERE monitor_id = ? AND typeof(started_at) = 'integer' AND typeof(ended_at) IN ('integer', 'null')
    ORDER BY started_at, id`;
  const idNamed = idsByName(monitors);
  const recorded = sql.all(query, [monitor], (row) => recordedOf(row, idNamed)).filter(isSensible);
  const unfinished = recorded.filter(({ ended }) => ended === null).length;
  const ended: ImportedOutage[] = [];
  for (const { started, ended: over, outage } of recorded) {
    if (over === null) continue;
    const confirmedAt = started * 1000;
    ended.push({ startedAt: confirmedAt, confirmedAt, endedAt: over * 1000, ...outage });
  }
  const recent = recentOutages(ended, { sinceAt, unfinished });
  return { ...recent, outages: withFirstFailures(sql, wish, recent.outages) };
}

function recordedOf(row: SqlRow, idNamed: (name: string) => string | null): Recorded {
  const impacted = readList(parseJson(row.textOrNull('impacted') ?? ''), aText).map(idNamed);
  return {
    started: row.number('started'),
    ended: row.numberOrNull('ended'),
    outage: {
      message: row.textOrNull('error') ?? '',
      note: row.textOrNull('note') ?? '',
      cause: idNamed(row.textOrNull('cause') ?? ''),
      impacted: impacted.filter((id) => id !== null),
    },
  };
}

/** The last second that a time of JavaScript can say. */
const maxSecs = 8_640_000_000_000;

function isSensible({ started, ended }: Recorded): boolean {
  return started >= 0 && started <= maxSecs && (ended === null || (ended >= started && ended <= maxSecs));
}

/** Null for a name that several have, and for one that none has. */
function idsByName(monitors: readonly HoraMonitor[]): (name: string) => string | null {
  const ids = new Map<string, string | null>();
  for (const { id, name } of monitors) ids.set(name, ids.has(name) ? null : id);
  return (name) => ids.get(name) ?? null;
}

const lastSuccess = `
  SELECT time FROM checks WHERE monitor_id = ? AND time >= ? AND time <= ? AND status <> 0
  ORDER BY time DESC LIMIT 1`;

const firstFailure = `
  SELECT time FROM checks WHERE monitor_id = ? AND time >= ? AND time <= ? AND status = 0 ORDER BY time LIMIT 1`;

/** Each begins with the first of the failed checks in a row that it was called down for, as far as they are on record. */
function withFirstFailures(
  sql: SqlReader,
  { monitor, lookbackSecs }: OutagesWish,
  outages: readonly ImportedOutage[],
): readonly ImportedOutage[] {
  const timeOf = (query: string, from: number, to: number) =>
    sql.get(query, [monitor, from, to], (row) => row.number('time'));
  let before = 0;
  return outages.map((outage) => {
    const confirmed = outage.confirmedAt / 1000;
    const from = Math.max(before, confirmed - lookbackSecs);
    const success = timeOf(lastSuccess, from, confirmed);
    const failed = timeOf(firstFailure, success === null ? from : success + 1, confirmed);
    before = outage.endedAt / 1000;
    return failed === null ? outage : { ...outage, startedAt: failed * 1000 };
  });
}
