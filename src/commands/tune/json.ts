/** Renders recommendations as JSON, with the full calculation. */
import { wholeSecs } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { outageRule, type FailureRun } from '../../engine/views/tune/failure.ts';
import { limitRule, type LimitTrial } from '../../engine/views/tune/limit.ts';
import { delayRule, latestOf } from '../../engine/views/tune/threshold.ts';
import type { Trial } from '../../engine/views/tune/trial.ts';
import { enough } from '../../engine/views/tune/tune.ts';
import type { MonitorTuning } from '../../engine/views/tune/tuning.ts';
import { limitWhy, thresholdWhy } from '../../engine/views/tune/words.ts';
import type { Findings } from './render.ts';

export function tuningJson({ fromAt, toAt, days, tunings }: Findings) {
  return {
    from: rfc3339(fromAt),
    to: rfc3339(toAt),
    days,
    rules: {
      outage_min_secs: wholeSecs(outageRule.leastMs),
      outage_min_checks: outageRule.leastChecks,
      max_delay_factor: delayRule.factor,
      max_delay_secs_at_least: wholeSecs(delayRule.leastMs),
      history_min_secs: wholeSecs(enough.watchedMs),
      history_min_samples: enough.samples,
      limit_margin: limitRule.margin,
      limit_max_spells_per_week: limitRule.spellsPerWeek,
      limit_max_time_share: limitRule.timeShare,
    },
    monitors: tunings.map(monitorJson),
  };
}

function monitorJson(tuning: MonitorTuning) {
  const { threshold, limit, now, then, failures, latency } = tuning;
  return {
    id: tuning.id,
    samples: tuning.samples,
    samples_left_out: tuning.leftOut,
    watched_secs: wholeSecs(tuning.watchedMs),
    fail_threshold: {
      now: threshold.now,
      recommended: threshold.then,
      reason: threshold.reason,
      why: thresholdWhy(tuning),
    },
    degraded_over_ms: {
      now: limit.nowMs,
      recommended: limit.thenMs,
      reason: limit.reason,
      why: limitWhy(tuning),
      tried: limit.trials.map(limitTrialJson),
    },
    alerts: { now: alertsJson(now), recommended: alertsJson(then) },
    outages: failures
      .filter(({ isOutage }) => isOutage)
      .map((outage, index) => outageJson(outage, index, tuning)),
    tried: tuning.trials.map((trial) => ({ fail_threshold: trial.threshold, ...alertsJson(trial) })),
    failures_by_checks: tuning.runs,
    latency:
      latency === null
        ? null
        : {
            count: latency.count,
            p50_ms: latency.p50Ms,
            p95_ms: latency.p95Ms,
            p99_ms: latency.p99Ms,
            p99_5_ms: latency.p995Ms,
            max_ms: latency.maxMs,
            usual_p99_5_ms: latency.usualMs,
            histogram: tuning.latencyBuckets.map(({ overMs, toMs, count }) => ({
              over_ms: overMs,
              to_ms: toMs,
              count,
            })),
          },
    notes: tuning.notes,
  };
}

function alertsJson({ alerts, flaps, kept, medianMs, worstMs }: Trial) {
  return {
    alerts,
    flaps,
    outages_told: kept,
    median_delay_secs: secsOrNull(medianMs),
    longest_delay_secs: secsOrNull(worstMs),
  };
}

function outageJson(
  { startedAt, endedAt, seenMs, checks }: FailureRun,
  index: number,
  { now, then }: MonitorTuning,
) {
  const delayNow = now.delays[index] ?? null;
  const bound = latestOf(delayNow);
  return {
    start: rfc3339(startedAt),
    end: rfc3339(endedAt),
    seen_secs: wholeSecs(seenMs),
    failed_checks: checks,
    delay_now_secs: secsOrNull(delayNow),
    delay_recommended_secs: secsOrNull(then.delays[index] ?? null),
    delay_limit_secs: bound === Infinity ? null : wholeSecs(bound),
  };
}

function limitTrialJson({ limitMs, spells, spellMs, slow }: LimitTrial) {
  return { degraded_over_ms: limitMs, spells, degraded_secs: wholeSecs(spellMs), answers_over: slow };
}

function secsOrNull(ms: number | null): number | null {
  return ms === null ? null : wholeSecs(ms);
}
