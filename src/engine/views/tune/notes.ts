/** Says what the figures of a tuning do not: what was left out, what no threshold mends, what else to look at. */
import { durationText } from '../../core/duration.ts';
import { outageRule } from './failure.ts';
import type { MonitorTuning, TuneFacts } from './tuning.ts';
import type { ReplayedEpisode } from '../../alerting/replay/replay.ts';

export interface NoteFacts extends Pick<TuneFacts, 'monitor' | 'askedMs' | 'isDegradedNotified'> {
  readonly returning: Returning | null;
  /** For each silence that was confirmed and ended: how much longer the heartbeat took, in ms. */
  readonly lateness: readonly number[];
}

/** Below this share of the time, what was not seen is worth a word. */
const goodCoverage = 0.9;

export function notesOf(tuning: Omit<MonitorTuning, 'notes'>, facts: NoteFacts): string[] {
  if (tuning.samples === 0) return [];
  return [
    ...(tuning.isPush ? pushNotes(tuning, facts) : thresholdNotes(tuning)),
    ...returningNotes(facts),
    ...limitNotes(tuning, facts),
    ...coverageNotes(tuning, facts),
    ...foldNotes(facts),
  ];
}

function thresholdNotes({ then, trials, outages, isEnough }: Omit<MonitorTuning, 'notes'>): string[] {
  if (!isEnough) return [];
  const notNotified = trials[0]?.delays.filter((delay) => delay === null).length ?? 0;
  const lost = outages - then.kept - notNotified;
  return [
    ...(then.flaps > 0 ? [`${counted(then.flaps, 'flap')} would still be sent.`] : []),
    ...(lost > 0 ? [`${counted(lost, 'real outage')} would notify nobody, as now.`] : []),
    ...(notNotified > 0
      ? [
          `${counted(notNotified, 'real outage')} would be sent under no threshold: group_window_secs is longer.`,
        ]
      : []),
  ];
}

/** Silence is judged by the grace, not by counting. */
function pushNotes({ then }: Omit<MonitorTuning, 'notes'>, { monitor, lateness }: NoteFacts): string[] {
  if (monitor.kind !== 'push') return [];
  const says = `A push monitor that is silent is down when grace_secs (${monitor.grace_secs}) is over; fail_threshold counts only heartbeats that say "down".`;
  const brief = lateness.filter((ms) => ms < outageRule.leastMs);
  if (brief.length === 0 || then.alerts === 0) return [says];
  const grace = Math.ceil((monitor.grace_secs + Math.max(...brief) / 1000) / 30) * 30;
  const came = brief.length === 1 ? 'One heartbeat' : `${brief.length} heartbeats`;
  return [
    says,
    `${came} came within ${durationText(outageRule.leastMs)} of being given up: grace_secs = ${grace} would have waited.`,
  ];
}

function returningNotes({ returning }: NoteFacts): string[] {
  if (returning === null) return [];
  const { count, recoverThreshold, left } = returning;
  const said = `${counted(count, 'alert')} came within ${durationText(soonMs)} of a recovery`;
  if (recoverThreshold === null)
    return [`${said}: it comes and goes, and no recover_threshold up to 5 joins them.`];
  return [
    `${said}; recover_threshold = ${recoverThreshold} would leave ${left === 0 ? 'none' : left} of them.`,
  ];
}

function limitNotes({ limit }: Omit<MonitorTuning, 'notes'>, { isDegradedNotified }: NoteFacts): string[] {
  if (limit.thenMs === null || limit.thenMs === limit.nowMs || isDegradedNotified) return [];
  return ['A degraded monitor is shown, but notifies nobody: alert_on_degraded is off.'];
}

function coverageNotes(
  { watchedMs, leftOut }: Omit<MonitorTuning, 'notes'>,
  { askedMs }: NoteFacts,
): string[] {
  const share = watchedMs / askedMs;
  return [
    ...(share < goodCoverage
      ? [`It was watched for ${durationText(watchedMs)}, ${Math.floor(share * 100)} % of the time asked for.`]
      : []),
    ...(leftOut > 0 ? [`${counted(leftOut, 'sample')} under maintenance or a silence left out.`] : []),
  ];
}

function foldNotes({ monitor: { depends_on: above } }: NoteFacts): string[] {
  if (above.length === 0) return [];
  return [`Counted on its own: what would be folded into an outage of ${above.join(', ')} is counted too.`];
}

function counted(count: number, what: string): string {
  return count === 1 ? `One ${what}` : `${count} ${what}s`;
}

/** What comes back within this time was most likely never over. */
const soonMs = 900_000;

/** No higher recover_threshold is tried, unless it is the present one. */
export const highestRecovery = 5;

interface Returning {
  /** Alerts within `soonMs` of the end of the one before. */
  readonly count: number;
  /** The smallest recover_threshold that leaves at most half of them; null: none up to five does. */
  readonly recoverThreshold: number | null;
  /** How many it leaves. */
  readonly left: number;
}

/** Null when fewer than two came back. `tell`: what would have been alerted with a recover_threshold. */
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
