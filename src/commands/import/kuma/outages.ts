/** Finds the outages among the heartbeats of Uptime Kuma. */
import type { SqlReader } from '../../../db/store/sql.ts';
import { type ImportedOutage, type ImportedOutages, recentOutages } from '../history/outages.ts';
import type { StatusChange } from './heartbeats.ts';

export interface OutageOptions {
  /** Those that ended before it are too old. */
  readonly sinceAt: number;
}

interface FoundOutage extends ImportedOutage {
  /** The heartbeat that called it down. */
  readonly beat: number;
}

/** `changes`: of one monitor, in the order they were stored. What was said of an outage is read from `sql`. */
export function pastOutages(
  sql: SqlReader,
  changes: readonly StatusChange[],
  { sinceAt }: OutageOptions,
): ImportedOutages {
  const inTime = [...changes].sort((one, other) => one.at - other.at || one.id - other.id);
  const { ended, unfinished } = outagesOf(inTime);
  const recent = recentOutages(ended, { sinceAt, unfinished });
  const outages = recent.outages.map(({ beat, ...outage }) => ({ ...outage, message: messageOf(sql, beat) }));
  return { ...recent, outages };
}

function outagesOf(changes: readonly StatusChange[]): {
  readonly ended: readonly FoundOutage[];
  readonly unfinished: 0 | 1;
} {
  const ended: FoundOutage[] = [];
  let retriedAt: number | null = null;
  let open: Omit<FoundOutage, 'endedAt'> | null = null;
  for (const { id, status, at, isRetried } of changes) {
    if (status === 2) retriedAt = at;
    else if (status === 0) {
      const startedAt = isRetried ? (retriedAt ?? at) : at;
      open ??= { startedAt, confirmedAt: at, message: '', beat: id };
    } else if (open !== null) {
      ended.push({ ...open, endedAt: at });
      open = null;
    }
  }
  return { ended, unfinished: open === null ? 0 : 1 };
}

const said = 'SELECT CAST(substr(msg, 1, 2000) AS TEXT) AS msg FROM heartbeat WHERE id = ?';

function messageOf(sql: SqlReader, beat: number): string {
  return sql.get(said, [beat], (row) => row.textOrNull('msg')) ?? '';
}
