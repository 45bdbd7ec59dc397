/** Whether two databases hold the same, table by table. */
import { createHash } from 'node:crypto';
import type { SqlReader } from './sql.ts';

interface TableDigest {
  readonly rows: number;
  readonly digest: string;
}

/** Columns that are left out, by table. */
export type Uncompared = Readonly<Record<string, readonly string[]>>;

/** What each table holds, by its name; what the store itself keeps about its log is left out. */
export function tableDigests(sql: SqlReader, uncompared: Uncompared = {}): ReadonlyMap<string, TableDigest> {
  const named = `SELECT name FROM sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'store_%' ORDER BY name`;
  const tables = sql.all(named, [], (row) => row.text('name'));
  return new Map(tables.map((table) => [table, digestOf(sql, table, uncompared[table] ?? [])]));
}

function digestOf(sql: SqlReader, table: string, left: readonly string[]): TableDigest {
  const columns = sql
    .all('SELECT name FROM pragma_table_info(?) ORDER BY cid', [table], (row) => row.text('name'))
    .filter((name) => !left.includes(name));
  const values = columns.map((name) => `quote(${quoted(name)})`).join(" || ',' || ");
  const hash = createHash('sha256');
  let rows = 0;
  sql.all(`SELECT ${values} AS line FROM ${quoted(table)} ORDER BY line`, [], (row) => {
    hash.update(row.text('line')).update('\n');
    rows += 1;
  });
  return { rows, digest: hash.digest('hex') };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
