/**
 * Finds every stretch of failed checks in a history, and says which of them were real outages.
 *
 * A failure is real when it lasted five minutes or more and at least two checks in a row saw it. Five minutes is
 * about what it takes to read a message, open a terminal and look: what ends before that ended by itself.
 * A single check proves nothing about how long it lasted, however far apart checks are. Time in which nobody looked
 * (the daemon was off) does not count.
 */
import type { ReplayedEpisode } from '../../alerting/replay/replay.ts';

export const outageRule = { leastMs: 300_000, leastChecks: 2 } as const;

/** A stretch of failed checks between two answers. Instants are epoch ms. */
export interface FailureRun {
  readonly startedAt: number;
  /** The answer that ended it, or the last sample when none did. */
  readonly endedAt: number;
  readonly checks: number;
  /** How long it was seen to last. */
  readonly seenMs: number;
  readonly isOutage: boolean;
}

/** `single`: the outages under a fail_threshold and a recover_threshold of 1. `lastAt`: the last sample. */
export function failuresOf(single: readonly ReplayedEpisode[], lastAt: number): FailureRun[] {
  return single.map((episode) => {
    const { startedAt, checks } = episode;
    const endedAt = episode.endedAt ?? lastAt;
    const seenMs = Math.max(0, endedAt - startedAt - episode.unseenMs);
    const isOutage = seenMs >= outageRule.leastMs && checks >= outageRule.leastChecks;
    return { startedAt, endedAt, checks, seenMs, isOutage };
  });
}

/** Whether an alert is about a failure: both held at one time. */
export function isAbout({ startedAt, endedAt }: ReplayedEpisode, failureRun: FailureRun): boolean {
  return startedAt <= failureRun.endedAt && (endedAt ?? Infinity) >= failureRun.startedAt;
}
