/** Decides what becomes of a down message that is not sent yet when the outage is already over. */
import type { OutagePayload } from './events/outage.ts';
import type { ReasonWord } from './reasons.ts';

export type Lateness =
  /** One message that it was down, instead of a pair. */
  { readonly kind: 'late' } | { readonly kind: 'spare'; readonly reason: ReasonWord };

export interface Over {
  readonly payload: OutagePayload;
  readonly endedAt: number;
  /** Attempts that failed. */
  readonly attempts: number;
  /** Whether a mute covers the instant at which it ended. */
  readonly wasMuted: boolean;
}

/** Holds for the sake of another message that was sent. */
const covering = ['folded', 'same_cause', 'node_blind'] as const;

/**
 * What ended within its window, under a mute or covered by another message is spared; what should have been told by
 * then, and was not, is told late. A window it was given again after its upstream recovered spares it only where a
 * message about that upstream spoke for it: else it outlasted its own window, and no message says so.
 */
export function late({ payload, endedAt, attempts, wasMuted }: Over): Lateness {
  if (attempts > 0) return { kind: 'late' };
  const isRenewed = payload.renewedAfter !== null;
  const isInWindow = endedAt < payload.windowEndsAt && payload.hold?.reason !== 'upstream_failing';
  if (isInWindow && !isRenewed) return { kind: 'spare', reason: 'flap' };
  if (wasMuted) return { kind: 'spare', reason: 'muted' };
  const reason = covering.find((each) => each === payload.hold?.reason);
  if (reason !== undefined) return { kind: 'spare', reason };
  return endedAt < (payload.spokenForUntilAt ?? 0) ? { kind: 'spare', reason: 'folded' } : { kind: 'late' };
}
