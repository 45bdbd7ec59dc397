/** Brings a database forward, one version at a time. */
import type { Sql } from '../../store/sql.ts';

/** What turns a database of version `to` - 1 into one of version `to`. */
export interface Migration {
  readonly to: number;
  /** One script. It sees nothing but the database, so every process that runs it makes the same one. */
  readonly script: string;
}

/** The version that the last of `migrations` leads to. */
export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.to ?? 0;
}

/**
 * Runs the migrations after version `from`, in order, inside one transaction: a failure or a crash leaves the
 * database of version `from` as it was.
 */
export function migrateWith(migrations: readonly Migration[]): (sql: Sql, from: number) => void {
  return (sql, from) => {
    sql.transaction(() => {
      for (const migration of migrations) {
        if (migration.to > from) sql.script(migration.script);
      }
    });
  };
}
