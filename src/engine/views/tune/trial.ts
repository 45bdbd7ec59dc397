/** Computes what one fail_threshold would have alerted of, and when. */
import type { ReplayedEpisode } from '../../alerting/replay/replay.ts';
import { isAbout, type FailureRun } from './failure.ts';

/** What became of one real outage under a threshold; null: there would have been no alert. Spans are ms. */
type Delay = number | null;

export interface Trial {
  readonly threshold: number;
  /** Messages that something is down. */
  readonly alerts: number;
  /** Those among them that are about no real outage. */
  readonly flaps: number;
  /** Real outages that there would have been an alert of. */
  readonly kept: number;
  /** From the first failed check to the message, for each real outage in order of time. */
  readonly delays: readonly Delay[];
  readonly medianMs: number | null;
  readonly worstMs: number | null;
}

export interface TrialFacts {
  readonly threshold: number;
  /** The outages under it. */
  readonly episodes: readonly ReplayedEpisode[];
  readonly failures: readonly FailureRun[];
  /** group_window_secs in ms: what is over before its window is not sent. */
  readonly windowMs: number;
}

export function trialOf({ threshold, episodes, failures, windowMs }: TrialFacts): Trial {
  const notified = episodes.filter((episode) => outlives(episode, windowMs));
  const outages = failures.filter(({ isOutage }) => isOutage);
  const delays = delaysOf(notified, outages, windowMs);
  const known = delays.filter((delay) => delay !== null).sort((a, b) => a - b);
  return {
    threshold,
    alerts: notified.length,
    flaps: notified.filter((alert) => !outages.some((outage) => isAbout(alert, outage))).length,
    kept: known.length,
    delays,
    medianMs: known[Math.floor((known.length - 1) / 2)] ?? null,
    worstMs: known.at(-1) ?? null,
  };
}

/** Whether a message about it goes out: it has to last as long as its window. */
export function outlives({ confirmedAt, endedAt }: ReplayedEpisode, windowMs: number): boolean {
  return endedAt === null || endedAt >= confirmedAt + windowMs;
}

function delaysOf(
  notified: readonly ReplayedEpisode[],
  outages: readonly FailureRun[],
  windowMs: number,
): Delay[] {
  return outages.map((outage) => {
    const first = notified.find((alert) => isAbout(alert, outage));
    return first === undefined ? null : Math.max(0, first.confirmedAt + windowMs - outage.startedAt);
  });
}
