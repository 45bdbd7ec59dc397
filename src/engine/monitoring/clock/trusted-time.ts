/**
 * Keeps count of how far the wall clock is to be trusted. Time that passed on the monotonic clock of a running
 * process vouches for it; a clock that jumped ahead of that has to run for a day before anything is deleted by it.
 */
import { aNumber, document, orAbsent, readAs, shape } from '../../core/decode.ts';

/** As it is stored between runs. Instants are epoch ms. */
export interface TrustedTime {
  /** What the clock said when this was written. */
  readonly at: number;
  /** Since when instants were measured on this clock; 0: always, as far as is known. */
  readonly sinceAt: number;
  /** What monotonic time vouches for. */
  readonly vouchedAt: number;
  /** How much of what it is ahead by the clock alone says to have been stops. */
  readonly stoppedMs: number;
  /** How long the clock has run without being set, in all runs together. */
  readonly steadyMs: number;
  /** Whether it ever ran for a day: nothing is deleted before. */
  readonly hasSettled: boolean;
}

const dayMs = 86_400_000;

/** A clock that ran this long without being set is trusted. */
const settledMs = dayMs;

/** A stop that lasted longer is not trusted from the clock alone where something is deleted. */
const plausibleStopMs = dayMs;

/** Stops of up to so long in all are trusted where a wrong clock does no harm that lasts: a digest, or a warning too early. */
const harmlessStopMs = 90 * dayMs;

/** The beginning: nothing is known yet. */
export function freshTrust(at: number): TrustedTime {
  return { at, sinceAt: 0, vouchedAt: at, stoppedMs: 0, steadyMs: 0, hasSettled: false };
}

const aSpan = shape('a number from 0', (value): value is number => aNumber(value) && value >= 0);
const aTrust = document({
  at: aSpan,
  sinceAt: aSpan,
  vouchedAt: aSpan,
  // An earlier version did not write it.
  stoppedMs: orAbsent(aSpan),
  steadyMs: aSpan,
});

/** A stored document as TrustedTime; null when it is none. */
export function readTrust(stored: unknown): TrustedTime | null {
  const trust = readAs(stored, aTrust);
  if (trust === null) return null;
  const { at, sinceAt, vouchedAt, stoppedMs = 0, steadyMs, hasSettled } = trust;
  return { at, sinceAt, vouchedAt, stoppedMs, steadyMs, hasSettled: hasSettled === true };
}

/** A new run begins at `at`, not before the last one ended: a clock that was set back meanwhile is `setBy` first. */
export function afterStop(before: TrustedTime, at: number): TrustedTime {
  const stoppedMs = at - before.at;
  return stoppedMs > plausibleStopMs
    ? { ...before, at, sinceAt: at, stoppedMs: before.stoppedMs + stoppedMs, steadyMs: 0 }
    : { ...before, at, vouchedAt: before.vouchedAt + Math.max(0, stoppedMs) };
}

/** `passedMs` of monotonic time later, at `at`. */
export function afterRunning(before: TrustedTime, passedMs: number, at: number): TrustedTime {
  const steadyMs = before.steadyMs + passedMs;
  const isSettled = steadyMs >= settledMs;
  return {
    at,
    sinceAt: before.sinceAt,
    vouchedAt: isSettled ? at : before.vouchedAt + passedMs,
    stoppedMs: isSettled ? 0 : before.stoppedMs,
    steadyMs,
    hasSettled: before.hasSettled || isSettled,
  };
}

/** The machine slept: that time has passed. */
export function afterSleep(before: TrustedTime, sleptMs: number, at: number): TrustedTime {
  return { ...before, at, vouchedAt: before.vouchedAt + sleptMs };
}

/** The clock was set to `at`. `isCorrection`: by so little that it changes nothing for what is counted in days. */
export function setBy(
  before: TrustedTime,
  byMs: number,
  { at, isCorrection }: { readonly at: number; readonly isCorrection: boolean },
): TrustedTime {
  return {
    ...before,
    at,
    sinceAt: before.sinceAt === 0 ? 0 : Math.max(0, before.sinceAt + byMs),
    // A clock that is set back may never have been right about a stop.
    stoppedMs: Math.min(before.stoppedMs, Math.max(0, at - before.vouchedAt)),
    steadyMs: isCorrection ? before.steadyMs : 0,
  };
}

/**
 * The present by which warnings, digests and packing go: the clock, unless it is more than a day ahead of what is vouched
 * for. A stop of days or weeks is believed, so that the digest that was missed and warnings do not wait for another day.
 */
export function trustedAt({ at, vouchedAt, stoppedMs }: TrustedTime): number {
  const aheadMs = at - vouchedAt - (stoppedMs > harmlessStopMs ? 0 : stoppedMs);
  return aheadMs > dayMs ? Math.floor(vouchedAt) : at;
}

/** The present by which things are deleted; null: nothing is. */
export function deletableAt({ at, vouchedAt, hasSettled }: TrustedTime): number | null {
  return hasSettled ? Math.floor(Math.min(at, vouchedAt)) : null;
}
