/** Notices that this process stood still, or that its clock was set. */

/** When the process was last known to run: on the monotonic clock, and by the wall. */
export interface LastRun {
  readonly monotonicMs: number;
  readonly at: number;
}

export type Standstill =
  | { readonly kind: 'none' }
  /** The loop was stalled, the process stopped or the machine asleep, for `lostMs`. */
  | { readonly kind: 'stood_still'; readonly lostMs: number }
  /** The clock alone moved by `byMs`: it was set, or the machine slept (Linux does not count that time). */
  | { readonly kind: 'clock_moved'; readonly byMs: number };

/** A beat comes at least this often. */
export const beatMs = 1000;

/** A beat this late, or a clock this far off, is more than a busy moment. */
const toleratedMs = 2000;

/** What happened between two beats, which come at least every `everyMs`. */
export function standstillBetween(before: LastRun, now: LastRun, everyMs = beatMs): Standstill {
  const passedMs = now.monotonicMs - before.monotonicMs;
  const byMs = now.at - before.at - passedMs;
  if (Math.abs(byMs) > toleratedMs) return { kind: 'clock_moved', byMs };
  const lostMs = passedMs - everyMs;
  return lostMs > toleratedMs ? { kind: 'stood_still', lostMs } : { kind: 'none' };
}
