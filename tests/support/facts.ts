/** A database of facts without files: operations are applied as the store applies them, and read back whole. */
import type { Json, Operation, StoreSchema } from '../../src/db/store/operation.ts';
import { applyInTurn } from '../../src/db/store/replica.ts';
import { openSql, type SqlMemory } from '../../src/db/store/sql.ts';
import { schema as realSchema } from '../../src/db/tables/schema/schema.ts';

export interface Facts {
  readonly sql: SqlMemory;
  /** One record: all operations in one transaction, after a round trip through JSON as in the log. */
  readonly apply: (...operations: readonly Operation[]) => Json[];
}

/** The pages of a database of each schema without a fact in it: reading them takes a fraction of making its tables. */
const empty = new WeakMap<StoreSchema, Uint8Array>();

export async function openFacts(schema: StoreSchema = realSchema): Promise<Facts> {
  const sql = await openSql(empty.get(schema)?.slice() ?? null);
  if (!empty.has(schema)) {
    schema.migrate(sql, 0);
    empty.set(schema, sql.exportPages());
  }
  const rows = new Map(schema.operations.map((row) => [row.name, row]));
  return {
    sql,
    apply: (...operations) =>
      sql.transaction(() => applyInTurn(sql, rows, JSON.parse(JSON.stringify(operations)) as Operation[])),
  };
}

/** Every row of every table as text: equal dumps are equal databases. */
export function dump(sql: SqlMemory): string {
  const tables = sql.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", [], (row) =>
    row.text('name'),
  );
  return tables.map((table) => `${table}\n${dumpTable(sql, table)}`).join('\n\n');
}

export function dumpTable(sql: SqlMemory, table: string): string {
  const columns = sql.all(`SELECT name FROM pragma_table_info('${table}')`, [], (row) => row.text('name'));
  const values = columns.map((column) => `quote("${column}")`).join(` || ',' || `);
  return sql
    .all(`SELECT ${values} AS line FROM "${table}" ORDER BY line`, [], (row) => row.text('line'))
    .join('\n');
}
