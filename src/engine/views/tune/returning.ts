/** Finds outages that came back soon after they were over, and the recover_threshold that would have joined them. */
import type { ReplayedEpisode } from '../../alerting/replay/replay.ts';

/** What comes back within this time was most likely never over. */
export const soonMs = 900_000;

/** No higher recover_threshold is tried, unless it is the present one. */
export const highestRecovery = 5;

export interface Returning {
  /** Alerts within `soonMs` of the end of the one before. */
  readonly count: number;
  /** The smallest recover_threshold that leaves at most half of them; null: none up to five does. */
  readonly recoverThreshold: number | null;
  /** How many it leaves. */
  readonly left: number;
}

/** Null when fewer than two came back. `tell`: what would have been told with a recover_threshold. */
export function returningOf(
  present: number,
  report: (recover: number) => readonly ReplayedEpisode[],
): Returning | null {
  const count = comebacks(report(present));
  if (count < 2) return null;
  for (let recover = present + 1; recover <= Math.max(highestRecovery, present); recover++) {
    const left = comebacks(report(recover));
    if (left <= count / 2) return { count, recoverThreshold: recover, left };
  }
  return { count, recoverThreshold: null, left: count };
}

function comebacks(notified: readonly ReplayedEpisode[]): number {
  return notified.filter(({ startedAt }, index) => {
    const endedAt = notified[index - 1]?.endedAt ?? null;
    return endedAt !== null && startedAt - endedAt <= soonMs;
  }).length;
}
