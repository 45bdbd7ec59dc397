/** The monitors the store has history for. */
import { removeMonitor, seeMonitor } from '../ops/monitors.ts';
import type { Operation } from '../operation.ts';
import { lastOf, type LastSample } from '../samples/last-sample.ts';
import type { Row, SqlReader } from '../sql.ts';

export interface MonitorRow {
  readonly id: string;
  readonly name: string;
  readonly firstSeenAt: number;
  /** When the config had it last, as far as was noted. */
  readonly lastSeenAt: number;
  /** Since when the config has it no more; null while it does. */
  readonly removedAt: number | null;
  /** How many samples were ever kept. */
  readonly samples: number;
  /** The sample that came last; null: none yet. */
  readonly last: LastSample | null;
}

const columns = `id, name, first_seen_at, last_seen_at, removed_at, samples,
  last_secs, last_status, last_latency_ms, last_category, last_message`;

export const monitors = {
  see: seeMonitor,
  remove: removeMonitor,

  /** What brings the list in line with the monitors of a config: nothing for those that did not change. */
  sync: (
    sql: SqlReader,
    configured: readonly { readonly id: string; readonly name: string }[],
    at: number,
  ): Operation[] => {
    const known = new Map(list(sql).map((row) => [row.id, row]));
    const seen = configured
      .filter(({ id, name }) => known.get(id)?.name !== name || known.get(id)?.removedAt !== null)
      .map(({ id, name }) => seeMonitor({ id, name, at }));
    const wanted = new Set(configured.map(({ id }) => id));
    const gone = [...known.values()]
      .filter((row) => row.removedAt === null && !wanted.has(row.id))
      .map(({ id }) => removeMonitor({ id, at }));
    return [...seen, ...gone];
  },

  /** All of them, the removed ones too, in the order they were first seen. */
  list,

  find: (sql: SqlReader, id: string): MonitorRow | null =>
    sql.get(`SELECT ${columns} FROM monitors WHERE id = ?`, [id], monitorOf),
};

function list(sql: SqlReader): MonitorRow[] {
  return sql.all(`SELECT ${columns} FROM monitors ORDER BY key`, [], monitorOf);
}

function monitorOf(row: Row): MonitorRow {
  return {
    id: row.text('id'),
    name: row.text('name'),
    firstSeenAt: row.number('first_seen_at'),
    lastSeenAt: row.number('last_seen_at'),
    removedAt: row.numberOrNull('removed_at'),
    samples: row.number('samples'),
    last: lastOf(row),
  };
}
