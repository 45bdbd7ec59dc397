/** Says what one fail_threshold would have told, and when. */
import type { Episode } from '../../core/replay/replay.ts';
import { isAbout, type Failure } from './failure.ts';

/** What became of one real outage under a threshold; null: nobody would have been told. Spans are ms. */
type Delay = number | null;

export interface Trial {
  readonly threshold: number;
  /** Messages that something is down. */
  readonly alerts: number;
  /** Those among them that speak of no real outage. */
  readonly flaps: number;
  /** Real outages that somebody would have been told of. */
  readonly kept: number;
  /** From the first failed check to the message, for each real outage in order of time. */
  readonly delays: readonly Delay[];
  readonly medianMs: number | null;
  readonly worstMs: number | null;
}

export interface TrialFacts {
  readonly threshold: number;
  /** The outages under it. */
  readonly episodes: readonly Episode[];
  readonly failures: readonly Failure[];
  /** group_window_secs in ms: what is over before its window is told to nobody. */
  readonly windowMs: number;
}

export function trialOf({ threshold, episodes, failures, windowMs }: TrialFacts): Trial {
  const told = episodes.filter((episode) => outlives(episode, windowMs));
  const outages = failures.filter(({ isOutage }) => isOutage);
  const delays = delaysOf(told, outages, windowMs);
  const known = delays.filter((delay) => delay !== null).sort((a, b) => a - b);
  return {
    threshold,
    alerts: told.length,
    flaps: told.filter((alert) => !outages.some((outage) => isAbout(alert, outage))).length,
    kept: known.length,
    delays,
    medianMs: known[Math.floor((known.length - 1) / 2)] ?? null,
    worstMs: known.at(-1) ?? null,
  };
}

/** Whether a message about it goes out: it has to last as long as its window. */
export function outlives({ confirmedAt, endedAt }: Episode, windowMs: number): boolean {
  return endedAt === null || endedAt >= confirmedAt + windowMs;
}

function delaysOf(told: readonly Episode[], outages: readonly Failure[], windowMs: number): Delay[] {
  return outages.map((outage) => {
    const first = told.find((alert) => isAbout(alert, outage));
    return first === undefined ? null : Math.max(0, first.confirmedAt + windowMs - outage.startedAt);
  });
}
