/**
 * Recommends a fail_threshold.
 *
 * A good one alerts of every real outage, soon, and of little else. In this order:
 *
 * 1. It loses nothing. A threshold that misses a real outage, which fail_threshold = 1 would have alerted of, is
 *    out; so is one under which any outage is alerted later than twice as late as now, and later than five minutes.
 * 2. It is quiet: at most one flap is alerted in thirty days. Where none of them gets there, the fewest flaps are as
 *    quiet as it gets; no threshold is worth losing an outage for.
 * 3. It is the smallest that does this: every further check only delays.
 *
 * What is set now stays unless there is a reason: it loses outages, or a higher one is quieter, or a lower one is as
 * quiet and alerts of the typical outage at least a minute and a quarter of the time sooner (`worthMs`, `worthShare`).
 * A lower one has to show that on two outages and with a check in hand: the one below it must be as quiet too. One
 * failed check alone is never recommended, whatever the history says: the first lost packet would be a message.
 */
import type { Trial } from './trial.ts';

const lowestThreshold = 2;
export const highestThreshold = 10;

/** An outage may be alerted this much later than now, or this late, whichever is later. */
export const delayRule = { factor: 2, leastMs: 300_000 } as const;

const daysPerFlap = 30;
const sooner = { worthMs: 60_000, worthShare: 0.25, leastOutages: 2 } as const;

export type ThresholdWord = 'quieter' | 'keeps_outages' | 'sooner' | 'fits' | 'as_good_as_it_gets';

export interface ThresholdAdvice {
  readonly threshold: number;
  readonly reason: ThresholdWord;
}

export interface ThresholdFacts {
  /** Of the thresholds from 1 to the highest, and of the present one. */
  readonly trials: readonly Trial[];
  readonly present: number;
  readonly days: number;
}

export function adviseThreshold({ trials, present, days }: ThresholdFacts): ThresholdAdvice {
  const now = trials.find(({ threshold }) => threshold === present);
  const single = trials.find(({ threshold }) => threshold === 1);
  if (now === undefined || single === undefined) throw new Error('the present threshold was not tried');
  const sound = trials.filter(
    (trial) => trial.threshold >= lowestThreshold && isSound(trial, { now, single }),
  );
  const allowed = Math.round(days / daysPerFlap);
  const goal = Math.max(allowed, ...fewestFlaps(sound));
  const best = sound.find(({ flaps, threshold }) => flaps <= goal && threshold <= highestThreshold);
  const isKept = isSound(now, { now, single });
  if (best === undefined) return { threshold: present, reason: 'as_good_as_it_gets' };
  if (!isKept) return { threshold: best.threshold, reason: 'keeps_outages' };
  if (best.threshold > present && best.flaps < now.flaps && now.flaps > goal)
    return { threshold: best.threshold, reason: 'quieter' };
  const isQuiet = (wanted: number) => trials.some((t) => t.threshold === wanted && t.flaps <= now.flaps);
  const lower = sound.find(
    ({ threshold }) => threshold < present && isQuiet(threshold) && isQuiet(threshold - 1),
  );
  if (lower !== undefined && isWorthIt(lower, now)) return { threshold: lower.threshold, reason: 'sooner' };
  return { threshold: present, reason: now.flaps > allowed ? 'as_good_as_it_gets' : 'fits' };
}

/** Whether a trial alerts of every outage that can be, and of none much later than now. */
function isSound(trial: Trial, { now, single }: { readonly now: Trial; readonly single: Trial }): boolean {
  return trial.delays.every((delay, index) => {
    if (single.delays[index] === null) return true;
    if (delay === null) return false;
    return delay <= latestOf(now.delays[index] ?? null);
  });
}

/** How late an outage may be alerted that is alerted so late now; null: it is not now, so anything is better. */
export function latestOf(delayNow: number | null): number {
  return delayNow === null ? Infinity : Math.max(delayRule.factor * delayNow, delayRule.leastMs);
}

function fewestFlaps(trials: readonly Trial[]): number[] {
  return trials.length === 0 ? [] : [Math.min(...trials.map(({ flaps }) => flaps))];
}

function isWorthIt(lower: Trial, now: Trial): boolean {
  if (lower.medianMs === null || now.medianMs === null || lower.kept < sooner.leastOutages) return false;
  const gain = now.medianMs - lower.medianMs;
  return gain >= sooner.worthMs && gain >= sooner.worthShare * now.medianMs;
}
