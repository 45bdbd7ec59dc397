/** A sample as the store keeps it: one check or one heartbeat. */
import type { Category } from '../../engine/core/probe.ts';
import type { Status } from '../../engine/core/status.ts';

/**
 * `at` is epoch milliseconds of a whole second. `latencyMs` is a whole number of milliseconds up to 2^31, null
 * when nothing answered. `holdSecs` is how long the sample counts for its monitor: until the next sample, but
 * never longer than this, so that a stopped daemon or a longer interval reads as "no data" and not as uptime.
 */
export interface StoredSample {
  readonly at: number;
  readonly status: Status;
  readonly latencyMs: number | null;
  readonly holdSecs: number;
  readonly isHeartbeat: boolean;
}

/** From this second on, until the next remark or healthy sample, this was the reason. */
export interface SampleNote {
  readonly at: number;
  readonly category: Category | null;
  readonly message: string | null;
}

/** What a status is called in the database. The numbers are stored: they never change meaning. */
export const statusCodes: Readonly<Record<Status, number>> = { up: 0, degraded: 1, down: 2, unknown: 3 };

/** The statuses in the order of their codes. */
export const statusByCode: readonly Status[] = ['up', 'degraded', 'down', 'unknown'];

export const maxLatencyMs = 2 ** 31;

/** Room for the longest interval (30 days) with the checks and retries that can follow it. */
export const maxHoldSecs = 35 * 86_400;

/** The last second a sample can lie in (the year 2242): its number fits in 33 bits. */
export const maxSecs = 2 ** 33 - 1;

/** How fast the target answered, in ms; null: it did not, or failed. A quick error page is no quick answer. */
export function latencyOf({ status, latencyMs }: Pick<StoredSample, 'status' | 'latencyMs'>): number | null {
  return status === 'up' || status === 'degraded' ? latencyMs : null;
}
