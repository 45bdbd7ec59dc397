/** Decides what becomes of a down message that is not sent yet when the outage is already over. */
import type { OutagePayload } from './events/outage-payload.ts';
import type { ReasonWord } from './reasons.ts';

export type Lateness =
  /** One message that it was down, instead of a pair. */
  { readonly kind: 'late' } | { readonly kind: 'suppress'; readonly reason: ReasonWord };

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
 * What ended within its window, under a mute or covered by another message is suppressed; what should have been sent
 * by then, and was not, is sent late. A second window, after its upstream recovered, suppresses it only where a message
 * about that upstream covered it: else it outlasted its own window, and no message says so.
 */
export function late({ payload, endedAt, attempts, wasMuted }: Over): Lateness {
  if (attempts > 0) return { kind: 'late' };
  const isRenewed = payload.renewedAfter !== null;
  const isInWindow = endedAt < payload.windowEndsAt && payload.hold?.reason !== 'upstream_failing';
  if (isInWindow && !isRenewed) return { kind: 'suppress', reason: 'flap' };
  // Others that failed since were gathered with it, and none of them was told of so far.
  if (payload.hold?.reason === 'later_group') return { kind: 'suppress', reason: 'over' };
  if (wasMuted) return { kind: 'suppress', reason: 'muted' };
  const reason = covering.find((each) => each === payload.hold?.reason);
  if (reason !== undefined) return { kind: 'suppress', reason };
  return endedAt < (payload.spokenForUntilAt ?? 0)
    ? { kind: 'suppress', reason: 'folded' }
    : { kind: 'late' };
}
