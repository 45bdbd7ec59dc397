/** The registrations of the domains that monitors name. */
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, monitorId, orNull, sentence, text } from './fields.ts';
import { declareWrite } from './write.ts';

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

/** The registration of a monitor's domain was looked up; a failed look-up keeps the expiry known before. */
export const seeDomain = declareWrite(
  'domain.see',
  {
    monitor: monitorId,
    domain: text(255),
    expiresAt: orNull(instant),
    error: orNull(sentence),
    at: instant,
  },
  (sql, found) => {
    sql.run(
      `INSERT INTO domains (monitor, domain, expires_at, error, checked_at) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (monitor) DO UPDATE SET
         expires_at = CASE WHEN domain = ?2 THEN coalesce(?3, expires_at) ELSE ?3 END,
         domain = ?2, error = ?4, checked_at = ?5`,
      found.monitor,
      found.domain,
      found.expiresAt,
      found.error,
      found.at,
    );
    return null;
  },
);
export const warnedOfDomain = declareWrite(
  'domain.warned',
  { monitor: monitorId, expiresAt: instant },
  (sql, { monitor, expiresAt }) =>
    sql.run('UPDATE domains SET warned_for_at = ? WHERE monitor = ?', expiresAt, monitor) > 0,
);

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
