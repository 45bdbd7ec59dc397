/** Replays the history of one monitor under other settings, and recommends settings. */
import type { CheckPolicy } from '../../core/sample.ts';
import { marks, type SampleHistory, watchedMs } from '../../core/sample-history.ts';
import { replay, type Replayed, type ReplayedEpisode } from '../../alerting/replay/replay.ts';
import {
  latencyBuckets,
  type LatencyFigures,
  type MonitorTuning,
  runBuckets,
  type TuneFacts,
} from './tuning.ts';
import { failuresOf } from './failure.ts';
import { type Latencies, latenciesOf, percentile } from './latency.ts';
import { adviseLimit } from './limit.ts';
import { highestRecovery, notesOf, returningOf } from './notes.ts';
import { adviseThreshold, highestThreshold } from './threshold.ts';
import { outlives, trialOf } from './trial.ts';

/** Less than this is too little to recommend anything: a week has its busy hours, its nights and its backups. */
export const enough = { watchedMs: 6 * 86_400_000, samples: 200 } as const;

export function tuneMonitor(facts: TuneFacts): MonitorTuning {
  const { monitor, policy, history, windowMs, holdMs } = facts;
  const graceMs = monitor.kind === 'push' ? monitor.grace_secs * 1000 : 0;
  const outagesUnder = outagesOf({ ...facts, graceMs });
  const single = outagesUnder({ failThreshold: 1, recoverThreshold: 1 });
  const failureRuns = failuresOf(single, history.ats.at(-1) ?? 0);
  const present = policy.failThreshold;
  const trials = thresholdsWith(present).map((threshold) =>
    trialOf({
      threshold,
      episodes: outagesUnder({ failThreshold: threshold }),
      failures: failureRuns,
      windowMs,
    }),
  );
  const watched = watchedMs(history, holdMs);
  const isEnough = watched >= enough.watchedMs && history.ats.length >= enough.samples;
  const isPush = monitor.kind === 'push';
  const advised =
    !isEnough || isPush
      ? ({ threshold: present, reason: isEnough ? 'push' : 'too_little' } as const)
      : adviseThreshold({ trials, present, days: watched / 86_400_000 });
  const latencies = latenciesOf(history, failureRuns);
  const limit = isEnough
    ? adviseLimit({
        latencies,
        presentMs: policy.degradedOverMs,
        timeoutMs: isPush ? null : monitor.timeout_secs * 1000,
        watchedMs: watched,
        tryLimit: (degradedOverMs) => {
          const changed = { ...policy, failThreshold: advised.threshold, degradedOverMs };
          return spellsOf(replay(history, { policy: changed, holdMs, graceMs }), history);
        },
      })
    : ({ limitMs: policy.degradedOverMs, reason: 'too_little', trials: [] } as const);
  const tuning = {
    id: monitor.id,
    isPush,
    samples: history.ats.length,
    leftOut: facts.leftOut,
    watchedMs: watched,
    isEnough,
    threshold: { now: present, then: advised.threshold, reason: advised.reason },
    limit: {
      nowMs: policy.degradedOverMs,
      thenMs: limit.limitMs,
      reason: limit.reason,
      trials: limit.trials,
    },
    failures: failureRuns,
    outages: failureRuns.filter(({ isOutage }) => isOutage).length,
    trials,
    now: trialUnder(trials, present),
    then: trialUnder(trials, advised.threshold),
    runs: runBuckets(failureRuns),
    latency: figuresOf(latencies),
    latencyBuckets: latencyBuckets(latencies.sorted),
  };
  const returning = returningOf(policy.recoverThreshold, (recoverThreshold) =>
    outagesUnder({ failThreshold: advised.threshold, recoverThreshold }).filter((episode) =>
      outlives(episode, windowMs),
    ),
  );
  return {
    ...tuning,
    notes: notesOf(tuning, { ...facts, returning, lateness: latenessOf(outagesUnder({})) }),
  };
}

/** Answers the outages under other thresholds; each are found once, and a limit has no say in them. */
function outagesOf({
  policy,
  history,
  holdMs,
  graceMs,
}: Pick<TuneFacts, 'policy' | 'history' | 'holdMs'> & { readonly graceMs: number }) {
  const { forgetAfterMs } = policy;
  const recoverThreshold = Math.max(policy.recoverThreshold, highestRecovery);
  const brief = eventful(history, { recoverThreshold, forgetAfterMs });
  const known = new Map<string, readonly ReplayedEpisode[]>();
  return (
    changes: Partial<Pick<CheckPolicy, 'failThreshold' | 'recoverThreshold'>>,
  ): readonly ReplayedEpisode[] => {
    const changed = { ...policy, ...changes, degradedOverMs: null };
    const key = `${changed.failThreshold} ${changed.recoverThreshold}`;
    const outages = known.get(key) ?? replay(brief, { policy: changed, holdMs, graceMs }).outages;
    known.set(key, outages);
    return outages;
  };
}

function thresholdsWith(present: number): number[] {
  const all = Array.from({ length: highestThreshold }, (_, index) => index + 1);
  return present > highestThreshold ? [...all, present] : all;
}

function trialUnder(trials: readonly MonitorTuning['now'][], wanted: number): MonitorTuning['now'] {
  const found = trials.find(({ threshold }) => threshold === wanted);
  if (found === undefined) throw new Error('a threshold was not tried');
  return found;
}

function spellsOf({ degradations }: Replayed, { ats }: SampleHistory): { spells: number; spellMs: number } {
  const lastAt = ats.at(-1) ?? 0;
  const spellMs = degradations.reduce(
    (sum, { startedAt, endedAt, unseenMs }) => sum + (endedAt ?? lastAt) - startedAt - unseenMs,
    0,
  );
  return { spells: degradations.length, spellMs };
}

/** For each silence that was confirmed and ended: how much longer the heartbeat took, in ms. */
function latenessOf(outages: readonly ReplayedEpisode[]): number[] {
  return outages.flatMap(({ confirmedAt, endedAt }) => (endedAt === null ? [] : [endedAt - confirmedAt]));
}

function figuresOf({ sorted, usualMs }: Latencies): LatencyFigures | null {
  const maxMs = sorted.at(-1);
  if (maxMs === undefined) return null;
  const at = (share: number) => percentile(sorted, share) ?? maxMs;
  return {
    count: sorted.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    p995Ms: at(0.995),
    maxMs,
    usualMs,
  };
}

/**
 * A history with the same outages under every policy of this `forgetAfterMs`, of a `recoverThreshold` up to this
 * one, and without a limit.
 */
export function eventful(
  { ats, latencies, marks: found }: SampleHistory,
  { recoverThreshold, forgetAfterMs }: Pick<CheckPolicy, 'recoverThreshold' | 'forgetAfterMs'>,
): SampleHistory {
  const longestStepMs = forgetAfterMs ?? Infinity;
  const kept: number[] = [];
  let inRow = 0;
  let before = 0;
  for (let index = 0; index < ats.length; index++) {
    const at = ats[index] ?? 0;
    const isAnswer = found[index] === marks.answered;
    const isInRow = isAnswer && at - before <= longestStepMs;
    if (!isInRow && inRow > recoverThreshold) kept.push(index - 1);
    if (isInRow) inRow += 1;
    else inRow = isAnswer ? 1 : 0;
    if (inRow <= recoverThreshold) kept.push(index);
    before = at;
  }
  if (inRow > recoverThreshold) kept.push(ats.length - 1);
  return {
    ats: Float64Array.from(kept, (index) => ats[index] ?? 0),
    latencies: Float64Array.from(kept, (index) => latencies[index] ?? Number.NaN),
    marks: Uint8Array.from(kept, (index) => found[index] ?? marks.unknown),
  };
}
