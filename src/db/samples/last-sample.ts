/** Reads the sample that came last, as the row of a monitor keeps it. */
import type { Category } from '../../engine/core/probe.ts';
import type { Status } from '../../engine/core/status.ts';
import type { SqlRow } from '../store/sql.ts';
import { statusByCode } from './sample.ts';

export interface LastSample {
  readonly at: number;
  readonly status: Status;
  readonly latencyMs: number | null;
  readonly category: Category | null;
  readonly message: string | null;
}

/** Null: there was none yet. */
export function lastOf(row: SqlRow): LastSample | null {
  const secs = row.numberOrNull('last_secs');
  const status = statusByCode[row.numberOrNull('last_status') ?? -1];
  if (secs === null || status === undefined) return null;
  return {
    at: secs * 1000,
    status,
    latencyMs: row.numberOrNull('last_latency_ms'),
    category: row.textOrNull('last_category') as Category | null,
    message: row.textOrNull('last_message'),
  };
}
