/** The store without files: the real tables and operations, in memory. */
import { Listeners } from '../../../db/store/listeners.ts';
import type { StoreChange } from '../../../db/wal/applier.ts';
import type { Json, Operation } from '../../../db/store/operation.ts';
import { schema } from '../../../db/tables/schema/schema.ts';
import { nothingArchived } from '../../../db/store/history.ts';
import { openSql } from '../../../db/store/sql.ts';
import type { Store, StoreHealth } from '../../../db/store/store.ts';

export interface MemoryStore extends Store {
  /** Empties it: making another takes longer. */
  readonly wipe: () => void;
}

const healthy: StoreHealth = { isDurable: true, reason: null, since: null };

export async function openMemoryStore(): Promise<MemoryStore> {
  const sql = await openSql(null);
  schema.migrate(sql, 0);
  const rows = new Map(schema.operations.map((row) => [row.name, row]));
  const tables = sql.all(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
    [],
    (row) => row.text('name'),
  );
  const listeners = new Listeners<StoreChange>();

  const applied = ([name, ...args]: Operation): Json => {
    const row = rows.get(name);
    if (row === undefined) throw new Error(`there is no operation '${name}'`);
    return row.apply(sql, args);
  };
  const apply = (written: readonly Operation[]): readonly Json[] => {
    // As the log keeps them.
    const operations = JSON.parse(JSON.stringify(written)) as readonly Operation[];
    const results = sql.transaction(() => operations.map(applied));
    listeners.report({ operations, isForeign: false });
    return results;
  };

  return {
    sql,
    archive: nothingArchived,
    warnings: () => [],
    write: async (operations) => {
      await Promise.resolve();
      return apply(operations);
    },
    record: apply,
    refresh: () => Promise.resolve(),
    onChange: (listener) => listeners.add(listener),
    onHealth: () => () => undefined,
    health: () => healthy,
    lost: new Promise(() => undefined),
    checkpoint: () => Promise.resolve(),
    close: () => Promise.resolve(),
    wipe: () => {
      sql.transaction(() => {
        for (const table of tables) sql.run(`DELETE FROM ${table}`);
      });
    },
  };
}
