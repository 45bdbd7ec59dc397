/** Reads samples that are no longer in memory. */
import { findOwner } from '../samples/owner.ts';
import { hourOf } from '../samples/slots.ts';
import type { OldHour } from '../samples/stored.ts';
import type { MonitorMove } from '../tables/retention/move.ts';
import type { SqlReader } from './sql.ts';

/** Hours of a monitor, since the epoch: from `from` until before `to`. */
export interface HourSpan {
  /** Of the monitor. */
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

/** What the node that leads does with them. Each rejects with `store_failing`, and `store_in_use` when another leads. */
export interface HistoryKeeper {
  /** Durable when it resolves; what is there of these hours is replaced. */
  readonly put: (moves: readonly Omit<MonitorMove, 'operation'>[]) => Promise<void>;
  /** Deletes the hours of monitors, by key, before an hour. */
  readonly prune: (before: ReadonlyMap<number, number>) => Promise<void>;
}

export interface SampleArchive {
  /** Ascending. Rejects with `store_unusable`: nobody knows what they were. */
  readonly read: (span: HourSpan) => Promise<readonly OldHour[]>;
  /** Null: this process moves nothing. */
  readonly keeper: HistoryKeeper | null;
}

/** Of a database that keeps everything in memory. */
export const nothingArchived: SampleArchive = { read: () => Promise.resolve([]), keeper: null };

/**
 * The hours of a monitor within a stretch (epoch ms) that are not in memory, ascending: for the readers of samples.
 * Asks nobody when all of it is in memory. Rejects with `store_unusable`.
 */
export async function readOldHours(
  { sql, archive }: { readonly sql: SqlReader; readonly archive: SampleArchive },
  monitor: string,
  { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
): Promise<readonly OldHour[]> {
  for (;;) {
    const owner = findOwner(sql, monitor);
    if (owner === null) return [];
    const { key, prunedBefore } = owner;
    const from = Math.max(hourOf(fromAt / 1000), owner.oldestHour);
    const to = Math.min(hourOf(toAt / 1000) + 1, prunedBefore);
    if (from >= to) return [];
    const hours = await archive.read({ key, from, to });
    // More may have been moved meanwhile.
    const now = findOwner(sql, monitor);
    if (now?.key === key && now.prunedBefore === prunedBefore) return hours;
  }
}
