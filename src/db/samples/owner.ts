/** The monitor that samples belong to, as the hot path needs it. */
import type { Status } from '../../engine/core/status.ts';
import type { SqlColumn, SqlRow, Sql, SqlReader } from '../store/sql.ts';
import { type StoredSample, statusByCode, statusCodes } from './sample.ts';
import { hourOf } from './slots.ts';

export interface SampleOwner {
  readonly key: number;
  /** The sample of the latest second; its latency is not kept here. */
  readonly tail: StoredSample | null;
  /** The first hour (since the epoch) that ever had a sample. */
  readonly oldestHour: number;
  /** Samples of hours before this one are in blocks and counted in the daily rollups. */
  readonly packedBefore: number;
  /** Samples of hours before this one are gone. */
  readonly prunedBefore: number;
  readonly lastCategory: string | null;
  readonly lastMessage: string | null;
}

/** The owner with this config id, or null. */
export function findOwner(sql: SqlReader, id: string): SampleOwner | null {
  return sql.get(
    `SELECT key, tail_secs, tail_status, tail_hold_secs, oldest_hour, packed_before,
       pruned_before, last_category, last_message
     FROM monitors WHERE id = ?`,
    [id],
    (row) => ({
      key: row.number('key'),
      tail: tailOf(row),
      oldestHour: row.number('oldest_hour'),
      packedBefore: row.number('packed_before'),
      prunedBefore: row.number('pruned_before'),
      lastCategory: row.textOrNull('last_category'),
      lastMessage: row.textOrNull('last_message'),
    }),
  );
}

/** The hour after the last one that holds a sample of the owner, or credited time. */
export function hoursEnd(owner: SampleOwner): number {
  return owner.tail === null ? 0 : hourOf(owner.tail.at / 1000) + 1;
}

/** The owner with this config id. A monitor the store has not seen begins here, with its id for a name. */
export function ownerOf(sql: Sql, id: string, firstSecs: number): SampleOwner {
  const known = findOwner(sql, id);
  if (known !== null) return known;
  createMonitor(sql, { id, name: id, at: firstSecs * 1000 });
  const created = findOwner(sql, id);
  if (created === null) throw new Error('a monitor that was just inserted is not there');
  return created;
}

/** Inserts a monitor that does not exist yet; `at` is epoch ms. */
export function createMonitor(
  sql: Sql,
  monitor: { readonly id: string; readonly name: string; readonly at: number },
): void {
  const { id, name, at } = monitor;
  sql.run(
    `INSERT INTO monitors (id, name, first_seen_at, last_seen_at, oldest_hour, packed_before)
     VALUES (?, ?, ?, ?, ?, ?)`,
    id,
    name,
    at,
    at,
    hourOf(at / 1000),
    hourOf(at / 1000),
  );
}

/** What came in: the tail after it, the hour it begins in, and whether that lies before the tail there was. */
export interface Arrival {
  readonly tail: StoredSample;
  readonly hour: number;
  readonly count: number;
  readonly isLate: boolean;
}

/** The sample to be shown as the last one. */
export interface LatestSample {
  readonly secs: number;
  readonly status: Status;
  readonly latencyMs: number | null;
  readonly category: string | null;
  readonly message: string | null;
}

interface Arrivals {
  readonly count: number;
  /** How many of them changed hours before the tail. */
  readonly rewrites: number;
  /** Null leaves the sample that is shown as the last. */
  readonly shown: LatestSample | null;
  /** Null: there was no heartbeat, or its state says when it came. */
  readonly heardAt: number | null;
}

const arrived = (shown: string) =>
  `UPDATE monitors SET ${shown} tail_secs = ?, tail_status = ?, tail_hold_secs = ?,
     oldest_hour = min(oldest_hour, ?), samples = samples + ?, rewrites = rewrites + ?,
     heard_at = coalesce(?, heard_at) WHERE key = ?`;
const unshown = arrived('');
const shownAsLast = arrived(
  'last_secs = ?, last_status = ?, last_latency_ms = ?, last_category = ?, last_message = ?,',
);

/** Takes note of what came in; `owner` has its tail and its oldest hour from there. */
export function noteArrivals(
  sql: Sql,
  { key, tail, oldestHour }: Pick<SampleOwner, 'key' | 'tail' | 'oldestHour'>,
  { count, rewrites, shown, heardAt }: Arrivals,
): void {
  if (tail === null) return;
  sql.run(
    shown === null ? unshown : shownAsLast,
    ...(shown === null ? [] : shownColumns(shown)),
    tail.at / 1000,
    statusCodes[tail.status],
    tail.holdSecs,
    oldestHour,
    count,
    rewrites,
    heardAt,
    key,
  );
}

/** The owner was heard by a heartbeat that is not kept as a sample. */
export function noteHeard(sql: Sql, key: number, at: number): void {
  sql.run('UPDATE monitors SET heard_at = ? WHERE key = ?', at, key);
}

function shownColumns(shown: LatestSample): SqlColumn[] {
  return [shown.secs, statusCodes[shown.status], shown.latencyMs, shown.category, shown.message];
}

/** The tail, from a row with the three columns it is kept in. */
export function tailOf(row: SqlRow): StoredSample | null {
  const secs = row.numberOrNull('tail_secs');
  const holdSecs = row.numberOrNull('tail_hold_secs');
  const status = statusByCode[row.numberOrNull('tail_status') ?? -1];
  if (secs === null || holdSecs === null || status === undefined) return null;
  return { at: secs * 1000, status, latencyMs: null, holdSecs, isHeartbeat: false };
}
