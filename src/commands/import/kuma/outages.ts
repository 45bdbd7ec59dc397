/** Reads the outages that Uptime Kuma has on record. */
import type { SqlReader, SqlRow } from '../../../db/store/sql.ts';
import { type ImportedOutage, type ImportedOutages, recentOutages } from '../history/outages.ts';
import { tables } from './database.ts';

/**
 * Kuma marks as important the heartbeats that changed something: 0 is down; up again (1) and maintenance (3) are the
 * end of it. Before it calls something down it retries, which are heartbeats of status 2; here the first of each row.
 */
const turns = `
  WITH beats AS (
    SELECT id, status, time, important, lag(status) OVER (ORDER BY time, id) AS previous
    FROM heartbeat WHERE monitor_id = ?)
  SELECT CAST(status AS INTEGER) AS status, CAST(time AS TEXT) AS time, previous IS 2 AS is_retried,
    (SELECT CAST(substr(msg, 1, 2000) AS TEXT) FROM heartbeat WHERE id = beats.id AND status = 0) AS msg
  FROM beats WHERE important = 1 OR (status = 2 AND previous IS NOT 2) ORDER BY beats.time, id`;

interface StatusChange {
  readonly status: number;
  readonly at: number;
  /** The heartbeat before it was a retry. */
  readonly isRetried: boolean;
  readonly message: string;
}

export interface OutageOptions {
  readonly monitorId: number;
  /** Those that ended before it are too old. */
  readonly sinceAt: number;
}

export function pastOutages(sql: SqlReader, { monitorId, sinceAt }: OutageOptions): ImportedOutages {
  const found = tables(sql).has('heartbeat') ? sql.all(turns, [monitorId], turnOf) : [];
  const { ended, unfinished } = outagesOf(found.filter((turn) => turn !== null));
  return recentOutages(ended, { sinceAt, unfinished });
}

function outagesOf(found: readonly StatusChange[]): {
  readonly ended: readonly ImportedOutage[];
  readonly unfinished: 0 | 1;
} {
  const ended: ImportedOutage[] = [];
  let retriedAt: number | null = null;
  let open: Omit<ImportedOutage, 'endedAt'> | null = null;
  for (const { status, at, isRetried, message } of found) {
    if (status === 2) retriedAt = at;
    else if (status === 0) {
      open ??= { startedAt: isRetried ? (retriedAt ?? at) : at, confirmedAt: at, message };
    } else if (open !== null) {
      ended.push({ ...open, endedAt: at });
      open = null;
    }
  }
  return { ended, unfinished: open === null ? 0 : 1 };
}

/** Null when its time makes no sense. */
function turnOf(row: SqlRow): StatusChange | null {
  const at = instantOf(row.textOrNull('time') ?? '');
  if (at === null) return null;
  return {
    status: row.numberOrNull('status') ?? 1,
    at,
    isRetried: row.number('is_retried') === 1,
    message: row.textOrNull('msg') ?? '',
  };
}

/** Kuma writes UTC: `2026-11-21 18:00:00.000`. */
function instantOf(text: string): number | null {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z?$/.exec(text) ?? [];
  const at = day === undefined || clock === undefined ? NaN : Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) || at < 0 ? null : at;
}
