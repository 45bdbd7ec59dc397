/** What replaying the history of one monitor taught, in figures. */
import type { CheckPolicy } from '../../core/sample.ts';
import type { SampleHistory } from '../../core/sample-history.ts';
import type { Monitor } from '../../config/config.ts';
import type { RunBucket, LatencyBucket } from './distribution.ts';
import type { FailureRun } from './failure.ts';
import type { LimitTrial, LimitWord } from './limit.ts';
import type { ThresholdWord } from './threshold.ts';
import type { Trial } from './trial.ts';

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
