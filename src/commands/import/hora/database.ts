/**
 * Opens a database of Hora: SQLite, migrated by sqlx, every time in seconds since the epoch. Read from the migrations of
 * 0.1 to 0.11: `checks` since 0.1, `incidents` and the roll-ups since 0.4, notes since 0.5; what came later was added.
 */
import type { SqlReader } from '../../../db/store/sql.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { withSqliteFile } from '../sqlite-file.ts';

/** Those of 0.11. */
export const knownMigrations = 22;

/** What is read, by table. Those that are not `always` came later, and may be missing. */
const needed: readonly { readonly table: string; readonly columns: readonly string[]; always?: true }[] = [
  { table: 'checks', columns: ['monitor_id', 'time', 'status'], always: true },
  { table: 'checks_hourly', columns: ['monitor_id', 'hour', 'up_count', 'down_count', 'degraded_count'] },
  { table: 'checks_daily', columns: ['monitor_id', 'day', 'up_count', 'down_count', 'degraded_count'] },
  {
    table: 'incidents',
    columns: ['id', 'monitor_id', 'started_at', 'ended_at', 'cause', 'impacted', 'error'],
  },
];

/** Does `work` on the database in `file`. Throws a usage error when it is unreadable, damaged, or of something else. */
export function withHoraDatabase<T>(file: string, work: (sql: SqlReader) => T | Promise<T>): Promise<T> {
  return withSqliteFile(file, {
    damagedHint: 'Make a copy that is whole, with Hora running or not: hora backup copy.db',
    work: (sql) => {
      refuseForeign(sql, file);
      return work(sql);
    },
  });
}

export function columnsOf(sql: SqlReader, table: string): ReadonlySet<string> {
  return new Set(sql.all('SELECT name FROM pragma_table_info(?)', [table], (row) => row.text('name')));
}

/** How many migrations were applied; null where nothing was kept of them. */
export function migrationOf(sql: SqlReader): number | null {
  if (!columnsOf(sql, '_sqlx_migrations').has('version')) return null;
  const query = 'SELECT CAST(max(version) AS INTEGER) AS version FROM _sqlx_migrations';
  return sql.get(query, [], (row) => row.numberOrNull('version'));
}

function refuseForeign(sql: SqlReader, file: string): void {
  for (const { table, columns, always } of needed) {
    const found = columnsOf(sql, table);
    if (found.size === 0 && always !== true) continue;
    const missing = columns.filter((column) => !found.has(column));
    if (missing.length === 0) continue;
    const version = migrationOf(sql);
    if (version !== null && version > knownMigrations) throw newer(file, version, `${table}.${missing[0]}`);
    throw foreign(file, sql);
  }
}

function newer(file: string, version: number, missing: string): StatusdError {
  return new StatusdError(
    'usage',
    `${file} was written by a newer Hora: its schema is ${version}, statusd reads up to ${knownMigrations}, and ${missing} is not there`,
    { hint: 'Import a copy that an older Hora made with `hora backup`, or update statusd.' },
  );
}

function foreign(file: string, sql: SqlReader): StatusdError {
  const isKuma = columnsOf(sql, 'heartbeat').size > 0 && columnsOf(sql, 'monitor').size > 0;
  return new StatusdError('usage', `${file} is a SQLite database, but not one of Hora`, {
    hint: isKuma
      ? 'It is one of Uptime Kuma: statusd import kuma --history.'
      : "Name the file that server.database_path of Hora's configuration names, hora.db without it.",
  });
}
