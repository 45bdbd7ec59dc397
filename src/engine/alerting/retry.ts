/** Decides when a delivery that failed is tried again, and how long it is kept. */
import { type EventName, eventRow } from './events/catalogue.ts';
import type { Severity } from './events/event.ts';

/** Between the first attempt and the second. */
export const firstPauseMs = 30_000;
const longestPauseMs = 15 * 60_000;

/** How long delivery is tried of what may be given up. */
const longestTriedMs = 24 * 3_600_000;

export type Retry = { readonly kind: 'wait'; readonly untilAt: number } | { readonly kind: 'give_up' };

export interface FailedDelivery {
  readonly event: EventName;
  /** Of a producer alert; null or absent for any other event. */
  readonly severity?: Severity | null;
  /** Deliveries that failed, this one included. */
  readonly attempts: number;
  /** When it happened: when it was queued, or when what it ends was over. */
  readonly sinceAt: number;
  /** What the vendor asked for; null: nothing. */
  readonly retryAfterMs: number | null;
  readonly nowAt: number;
}

/**
 * Pauses grow up to a quarter of an hour. An outage is tried for as long as it lasts; a recovery and a critical
 * producer alert for as long as their channel is configured; anything else for a day.
 */
export function retry({
  event,
  severity = null,
  attempts,
  sinceAt,
  retryAfterMs,
  nowAt,
}: FailedDelivery): Retry {
  if (!isNeverGivenUp(event, severity) && nowAt - sinceAt >= longestTriedMs) return { kind: 'give_up' };
  const askedForMs = Math.min(Math.ceil(retryAfterMs ?? 0), longestPauseMs);
  return { kind: 'wait', untilAt: nowAt + Math.max(pauseAfter(attempts), askedForMs) };
}

/**
 * When a delivery that waits until `nextAt` is tried again now that its channel took another one: at once, but no
 * sooner than after the first pause, so that one that is never taken is not tried with every other.
 */
export function retrySooner({ attempts, nextAt, nowAt }: Retrying): number {
  const failedAt = nextAt - pauseAfter(attempts);
  return Math.min(nextAt, Math.max(nowAt, failedAt + firstPauseMs));
}

interface Retrying extends Pick<FailedDelivery, 'attempts' | 'nowAt'> {
  /** Epoch ms. */
  readonly nextAt: number;
}

function pauseAfter(attempts: number): number {
  return Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 10), longestPauseMs);
}

/** Whether a message is never given up while its channel is configured. */
function isNeverGivenUp(event: EventName, severity: Severity | null): boolean {
  const { givenUp } = eventRow(event);
  return givenUp === 'never' || (givenUp === 'after_a_day_unless_critical' && severity === 'critical');
}

interface Unsendable {
  readonly event: EventName;
  /** Of a producer alert; null for any other event. */
  readonly severity: Severity | null;
  /** The channel is configured, only a secret of it is empty. */
  readonly isDisabled: boolean;
  /** A `down` or `degraded` message whose outage is over. */
  readonly isOver: boolean;
  /** When what it is about happened: when it was queued, or when what it ends was over. Epoch ms. */
  readonly sinceAt: number;
  readonly nowAt: number;
}

type Keeping = { readonly kind: 'hold'; readonly untilAt: number } | { readonly kind: 'drop' };

/** How often it is decided again. */
const againMs = 3_600_000;
const dayMs = 86_400_000;

/** A recovery outlives its outage by this much, for a channel that was sent the alert and is gone. */
const recoveryKeptMs = 30 * dayMs;

/**
 * The message about an outage is kept while the outage lasts, a recovery for 30 days. Any other message is kept for a
 * channel that is only disabled: a critical producer alert as long as it is, the rest for a day.
 */
export function keepWithoutChannel(unsendable: Unsendable): Keeping {
  const { isOver, sinceAt, nowAt } = unsendable;
  const untilAt = sinceAt + keptForMs(unsendable);
  if (isOver || untilAt <= nowAt) return { kind: 'drop' };
  return { kind: 'hold', untilAt: Math.min(untilAt, nowAt + againMs) };
}

function keptForMs({ event, severity, isDisabled }: Unsendable): number {
  const { withoutChannel } = eventRow(event);
  if (withoutChannel === 'kept_while_it_lasts') return Infinity;
  if (withoutChannel === 'kept_for_30_days') return recoveryKeptMs;
  if (!isDisabled) return 0;
  return isNeverGivenUp(event, severity) ? Infinity : dayMs;
}
