/** Decides what follows a failed attempt. */
import type { Attempt } from './channel.ts';

export type NextStep =
  | { readonly kind: 'try_again'; readonly waitMs: number }
  | { readonly kind: 'give_up'; readonly why: 'permanent' | 'may_be_received' | 'too_many' | 'too_long' };

/** Before the second and the third attempt. */
const pausesMs = [1000, 3000];

/** A vendor that wants a longer pause gets it from whoever delivers again later. */
const longestPauseMs = 60_000;

/** `attempts`: how many there were, the failed one included. */
export function afterFailure(
  attempt: Extract<Attempt, { readonly kind: 'failed' }>,
  attempts: number,
): NextStep {
  if (attempt.isPermanent) return { kind: 'give_up', why: 'permanent' };
  if (attempt.mayBeReceived === true) return { kind: 'give_up', why: 'may_be_received' };
  const pauseMs = pausesMs[attempts - 1];
  if (pauseMs === undefined) return { kind: 'give_up', why: 'too_many' };
  const waitMs = Math.max(pauseMs, attempt.retryAfterMs ?? 0);
  return waitMs > longestPauseMs ? { kind: 'give_up', why: 'too_long' } : { kind: 'try_again', waitMs };
}
