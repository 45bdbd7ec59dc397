/** The registrations of the domains that monitors name. */
import { seeDomain, warnedOfDomain } from './mutations/observed.ts';
import type { SqlRow, SqlReader } from '../store/sql.ts';

export interface DomainRow {
  readonly monitor: string;
  readonly domain: string;
  /** As last known; null: never found out. */
  readonly expiresAt: number | null;
  /** Why the last look-up failed; null: it did not. */
  readonly error: string | null;
  readonly checkedAt: number;
  readonly warnedForAt: number | null;
}

export const domains = {
  see: seeDomain,
  warned: warnedOfDomain,

  list: (sql: SqlReader): DomainRow[] => sql.all('SELECT * FROM domains ORDER BY monitor', [], domainOf),

  find: (sql: SqlReader, monitor: string): DomainRow | null =>
    sql.get('SELECT * FROM domains WHERE monitor = ?', [monitor], domainOf),
};

function domainOf(row: SqlRow): DomainRow {
  return {
    monitor: row.text('monitor'),
    domain: row.text('domain'),
    expiresAt: row.numberOrNull('expires_at'),
    error: row.textOrNull('error'),
    checkedAt: row.number('checked_at'),
    warnedForAt: row.numberOrNull('warned_for_at'),
  };
}
