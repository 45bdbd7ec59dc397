/** The monitors the store has history for. */
import { identifyMonitor, removeMonitor, seeMonitor } from './mutations/monitors.ts';
import { renameMonitor } from './mutations/renames.ts';
import type { Operation } from '../store/operation.ts';
import { lastOf, type LastSample } from '../samples/last-sample.ts';
import type { SqlRow, SqlReader } from '../store/sql.ts';

export interface MonitorRow {
  readonly id: string;
  readonly name: string;
  readonly firstSeenAt: number;
  /** When the config had it last, as far as was noted. */
  readonly lastSeenAt: number;
  /** Since when the config has it no more; null while it does. */
  readonly removedAt: number | null;
  /** A digest of what it watches; null: not known. */
  readonly identity: string | null;
  /** How many samples were ever kept. */
  readonly samples: number;
  /** The sample that came last; null: none yet. */
  readonly last: LastSample | null;
  /** When it was last heard, as far as its state of alerting does not say it. */
  readonly heardAt: number | null;
}

export interface ConfiguredMonitor {
  readonly id: string;
  readonly name: string;
  /** A digest of what it watches; null: it has none. */
  readonly identity?: string | null;
}

const columns = `id, name, first_seen_at, last_seen_at, removed_at, identity, samples,
  last_secs, last_status, last_latency_ms, last_category, last_message, heard_at`;

export const monitors = {
  see: seeMonitor,
  remove: removeMonitor,
  rename: renameMonitor,

  /** What brings the list in line with the monitors of a config: nothing for those that did not change. */
  sync: (sql: SqlReader, configured: readonly ConfiguredMonitor[], at: number): Operation[] =>
    syncFrom(list(sql), configured, at),

  /** The same, where `known` is what the list will be by then. */
  syncFrom,

  /** All of them, the removed ones too, in the order they were first seen. */
  list,

  find: (sql: SqlReader, id: string): MonitorRow | null =>
    sql.get(`SELECT ${columns} FROM monitors WHERE id = ?`, [id], monitorOf),
};

function syncFrom(
  known: readonly MonitorRow[],
  configured: readonly ConfiguredMonitor[],
  at: number,
): Operation[] {
  const rows = new Map(known.map((row) => [row.id, row]));
  const seen = configured
    .filter(({ id, name }) => rows.get(id)?.name !== name || rows.get(id)?.removedAt !== null)
    .map(({ id, name }) => seeMonitor({ id, name, at }));
  const identified = configured.flatMap(({ id, identity = null }) =>
    identity === null || rows.get(id)?.identity === identity ? [] : [identifyMonitor({ id, identity })],
  );
  const wanted = new Set(configured.map(({ id }) => id));
  const gone = known
    .filter((row) => row.removedAt === null && !wanted.has(row.id))
    .map(({ id }) => removeMonitor({ id, at }));
  return [...seen, ...identified, ...gone];
}

function list(sql: SqlReader): MonitorRow[] {
  return sql.all(`SELECT ${columns} FROM monitors ORDER BY key`, [], monitorOf);
}

function monitorOf(row: SqlRow): MonitorRow {
  return {
    id: row.text('id'),
    name: row.text('name'),
    firstSeenAt: row.number('first_seen_at'),
    lastSeenAt: row.number('last_seen_at'),
    removedAt: row.numberOrNull('removed_at'),
    identity: row.textOrNull('identity'),
    samples: row.number('samples'),
    last: lastOf(row),
    heardAt: row.numberOrNull('heard_at'),
  };
}
