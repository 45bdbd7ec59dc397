/** Decides how long a message is kept for a channel that is not configured, or disabled. */
import type { EventName, Severity } from './event-names.ts';
import { isKept } from './retry.ts';

export interface Unsendable {
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

export type Keeping = { readonly kind: 'hold'; readonly untilAt: number } | { readonly kind: 'drop' };

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
  if (event === 'down' || event === 'degraded') return Infinity;
  if (event === 'recovered' || event === 'peer_recovered') return recoveryKeptMs;
  if (!isDisabled) return 0;
  return isKept(event, severity) ? Infinity : dayMs;
}
