/** Decides when a delivery that failed is tried again. */
import type { EventName } from './event.ts';

const firstPauseMs = 30_000;
const longestPauseMs = 15 * 60_000;

/** How long anything but an outage that still lasts is tried. */
const keptForMs = 24 * 3_600_000;

export type Retry = { readonly kind: 'wait'; readonly untilAt: number } | { readonly kind: 'give_up' };

export interface Failure {
  readonly event: EventName;
  /** Deliveries that failed, this one included. */
  readonly attempts: number;
  /** When it happened: when it was queued, or when what it ends was over. */
  readonly sinceAt: number;
  /** What the vendor asked for; null: nothing. */
  readonly retryAfterMs: number | null;
  readonly nowAt: number;
}

/** Pauses grow up to a quarter of an hour. An outage is tried for as long as it lasts, anything else for a day. */
export function retry({ event, attempts, sinceAt, retryAfterMs, nowAt }: Failure): Retry {
  const mayLast = event === 'down' || event === 'unknown';
  if (!mayLast && nowAt - sinceAt >= keptForMs) return { kind: 'give_up' };
  const pause = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 10), longestPauseMs);
  return {
    kind: 'wait',
    untilAt: nowAt + Math.max(pause, Math.min(Math.ceil(retryAfterMs ?? 0), longestPauseMs)),
  };
}
