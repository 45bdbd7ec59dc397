/** The monitors of a page, each with a revision that changes when its data does. */
import { type SampleOwner, tailOf } from '../samples/owner.ts';
import { lastOf, type LastSample } from '../samples/last-sample.ts';
import type { SqlRow, SqlReader } from '../store/sql.ts';

export interface StoredMonitor extends Pick<SampleOwner, 'key' | 'tail' | 'packedBefore' | 'oldestHour'> {
  readonly id: string;
  readonly samples: number;
  readonly rewrites: number;
}

/** A monitor with the sample that came last; null: none yet. */
export interface MonitorWithLatest extends StoredMonitor {
  readonly last: LastSample | null;
}

const columns =
  'key, id, samples, rewrites, tail_secs, tail_status, tail_hold_secs, oldest_hour, packed_before';

const shownColumns = `${columns}, last_secs, last_status, last_latency_ms, last_category, last_message`;

const queries = {
  all: `SELECT ${columns} FROM monitors WHERE removed_at IS NULL`,
  stored: `SELECT ${columns} FROM monitors WHERE id = ?`,
  shown: `SELECT ${shownColumns} FROM monitors WHERE id = ? AND removed_at IS NULL`,
  part: `SELECT ${shownColumns} FROM monitors WHERE key > ? AND removed_at IS NULL ORDER BY key LIMIT ?`,
} as const;

/** Every monitor that is not removed. */
export function readWatched(sql: SqlReader): StoredMonitor[] {
  return sql.all(queries.all, [], watchedOf);
}

/** The one with this config id, removed or not; null: there is none. */
export function findStored(sql: SqlReader, id: string): StoredMonitor | null {
  return sql.get(queries.stored, [id], watchedOf);
}

/** The one with this config id; null: there is none that is not removed. */
export function findShown(sql: SqlReader, id: string): MonitorWithLatest | null {
  return sql.get(queries.shown, [id], shownOf);
}

/** Those with the next keys, `most` at most. */
export function readShown(
  sql: SqlReader,
  { afterKey, most }: { readonly afterKey: number; readonly most: number },
): MonitorWithLatest[] {
  return sql.all(queries.part, [afterKey, most], shownOf);
}

function shownOf(row: SqlRow): MonitorWithLatest {
  return { last: lastOf(row), ...watchedOf(row) };
}

function watchedOf(row: SqlRow): StoredMonitor {
  return {
    key: row.number('key'),
    id: row.text('id'),
    samples: row.number('samples'),
    rewrites: row.number('rewrites'),
    tail: tailOf(row),
    oldestHour: row.number('oldest_hour'),
    packedBefore: row.number('packed_before'),
  };
}
