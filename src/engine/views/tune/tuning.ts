/** The result of tuning one monitor, in figures. */
import type { CheckPolicy } from '../../core/sample.ts';
import type { SampleHistory } from '../../core/sample-history.ts';
import type { Monitor } from '../../config/config.ts';
import type { FailureRun } from './failure.ts';
import type { LimitTrial, LimitWord } from './limit.ts';
import type { ThresholdWord } from './threshold.ts';
import type { Trial } from './trial.ts';
import { countOver } from './latency.ts';

export interface LatencyFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly p995Ms: number;
  readonly maxMs: number;
  /** What 99.5 % of the answers of a usual day stay below; null: too few days. */
  readonly usualMs: number | null;
}

export interface MonitorTuning {
  readonly id: string;
  readonly isPush: boolean;
  readonly samples: number;
  /** Samples under maintenance windows and silences. */
  readonly leftOut: number;
  readonly watchedMs: number;
  /** Whether there is enough history to recommend anything. */
  readonly isEnough: boolean;
  readonly threshold: {
    readonly now: number;
    readonly then: number;
    readonly reason: ThresholdWord | 'push' | 'too_little';
  };
  readonly limit: {
    readonly nowMs: number | null;
    readonly thenMs: number | null;
    readonly reason: LimitWord | 'too_little';
    readonly trials: readonly LimitTrial[];
  };
  readonly failures: readonly FailureRun[];
  readonly outages: number;
  /** Under every threshold that was tried, the lowest first. */
  readonly trials: readonly Trial[];
  readonly now: Trial;
  readonly then: Trial;
  readonly runs: readonly RunBucket[];
  readonly latency: LatencyFigures | null;
  readonly latencyBuckets: readonly LatencyBucket[];
  /** What else is worth knowing, a sentence each. */
  readonly notes: readonly string[];
}

export interface TuneFacts {
  readonly monitor: Monitor;
  /** How the daemon confirms it today. */
  readonly policy: CheckPolicy;
  readonly holdMs: number;
  /** group_window_secs in ms. */
  readonly windowMs: number;
  /** alert_on_degraded. */
  readonly isDegradedNotified: boolean;
  /** Without what is not to be judged. */
  readonly history: SampleHistory;
  /** How many samples that was. */
  readonly leftOut: number;
  /** The span that was asked for. */
  readonly askedMs: number;
}

/** Failures of `from` to `to` checks; null: and more. */
interface RunBucket {
  readonly from: number;
  readonly to: number | null;
  readonly count: number;
  /** Those among them that were real outages. */
  readonly outages: number;
}

/** Answers that took more than `overMs` and at most `toMs`. */
interface LatencyBucket {
  readonly overMs: number;
  readonly toMs: number;
  readonly count: number;
}

const runEnds = [1, 2, 3, 4, 5, 10, 20, 50, null] as const;
/** Six steps to each power of ten: even to the eye on a scale of ratios. */
const steps = [1, 1.5, 2, 3, 5, 7] as const;
const powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;
const edges = powers.flatMap((power) => steps.map((step) => step * power));

/** Up to the last one that is not empty; none when nothing failed. */
export function runBuckets(failureRuns: readonly FailureRun[]): RunBucket[] {
  const all = runEnds.map((to, index): RunBucket => {
    const from = (runEnds[index - 1] ?? 0) + 1;
    const within = failureRuns.filter(({ checks }) => checks >= from && (to === null || checks <= to));
    return { from, to, count: within.length, outages: within.filter(({ isOutage }) => isOutage).length };
  });
  return all.slice(0, all.findLastIndex(({ count }) => count > 0) + 1);
}

/** `sorted`: ascending. From the first bucket that is not empty to the last. */
export function latencyBuckets(sorted: Float64Array): LatencyBucket[] {
  const all = edges.map((toMs, index): LatencyBucket => {
    const overMs = edges[index - 1] ?? -1;
    return {
      overMs: Math.max(0, overMs),
      toMs,
      count: countOver(sorted, overMs) - countOver(sorted, toMs),
    };
  });
  const isFull = ({ count }: LatencyBucket) => count > 0;
  const first = all.findIndex(isFull);
  return first === -1 ? [] : all.slice(first, all.findLastIndex(isFull) + 1);
}
