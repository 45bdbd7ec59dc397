/** Decides whether the heartbeat of a push monitor is overdue. Instants are epoch ms. */
import type { Outcome } from '../../core/probe.ts';
import type { ConfirmSample } from '../../core/sample.ts';
import { type ListeningDeadline, extendDeadline, type ListeningGap } from './listening-gaps.ts';

/** How often a heartbeat is expected. */
type HeartbeatSchedule =
  /** One within this time of the one before. */
  | { readonly kind: 'interval'; readonly intervalMs: number }
  /**
   * One at each instant of a plan; `dueAt` is the first of the plan after `plannedAfter`, `nextAfter` the first after
   * any instant (null: there is none).
   */
  | {
      readonly kind: 'schedule';
      readonly dueAt: number | null;
      readonly nextAfter: (at: number) => number | null;
    };

export interface PushMonitorState {
  readonly schedule: HeartbeatSchedule;
  /** How long after it was due a heartbeat may still come before the monitor is down. */
  readonly graceMs: number;
  /** When the monitor was first known to this database. */
  readonly firstSeenAt: number;
  /** The last heartbeat of any status; null: never one. */
  readonly lastHeardAt: number | null;
  /** Since when heartbeats are expected as they are now; null: since it was first seen. */
  readonly expectedAt: number | null;
  /** Its silence was confirmed as an outage, and no heartbeat came since: it holds, whatever the clock is set to. */
  readonly isDown: boolean;
  /** When this node was not listening, in order: what was sent then is lost, which is no fault of the sender. */
  readonly listeningGaps: readonly ListeningGap[];
}

/** What the silence means, and when (`lookAt`) it will mean something else; null: only a heartbeat changes it. */
export type HeartbeatSilence =
  /** Never heard, and not yet overdue: nothing is known. */
  | { readonly kind: 'never_heard'; readonly lookAt: number | null }
  | { readonly kind: 'on_time'; readonly lookAt: number | null }
  /** Overdue within its grace: shown degraded. */
  | { readonly kind: 'late'; readonly dueAt: number; readonly lookAt: number }
  /** Its grace is over: down. */
  | { readonly kind: 'missed'; readonly dueAt: number; readonly lookAt: null };

/** After a gap in listening, a sender is given the time to send again, but no longer than this. */
const sendAgainMs = 1_800_000;

/**
 * A heartbeat this little before an instant of its plan is meant for that instant: the sender's clock may be ahead.
 * Half of the shortest gap a five-field cron has.
 */
const earlyMs = 30_000;

/** The instant after which the plan of a scheduled monitor is searched for the next heartbeat that is due. */
export function plannedAfter({
  lastHeardAt,
  firstSeenAt,
  expectedAt,
}: Pick<PushMonitorState, 'lastHeardAt' | 'firstSeenAt' | 'expectedAt'>): number {
  return Math.max(lastHeardAt === null ? firstSeenAt : lastHeardAt + earlyMs, expectedAt ?? -Infinity);
}

/**
 * What the silence of a push monitor means at `nowAt`. One that was never heard is unknown until a heartbeat,
 * counted from when it was first seen, is overdue with its grace; then it is down, without being late before.
 */
export function judgeSilence(pushMonitorState: PushMonitorState, nowAt: number): HeartbeatSilence {
  const dueAt = dueAtOf(pushMonitorState);
  const isNew = pushMonitorState.lastHeardAt === null;
  if (dueAt === null) return { kind: isNew ? 'never_heard' : 'on_time', lookAt: null };
  const lateAt = extendDeadline(deadlineOf(pushMonitorState, dueAt, 0), pushMonitorState.listeningGaps);
  const missedAt = extendDeadline(
    deadlineOf(pushMonitorState, dueAt, pushMonitorState.graceMs),
    pushMonitorState.listeningGaps,
  );
  // A heartbeat due while this node was not listening may have been sent, so the silence counts from when the node listens again.
  if (pushMonitorState.isDown || nowAt >= missedAt) return { kind: 'missed', dueAt: lateAt, lookAt: null };
  if (isNew) return { kind: 'never_heard', lookAt: missedAt };
  if (nowAt >= lateAt) return { kind: 'late', dueAt, lookAt: missedAt };
  return { kind: 'on_time', lookAt: lateAt };
}

/** The sample that silence makes; null when it makes none. */
export function silenceSample(heartbeatSilence: HeartbeatSilence, at: number): ConfirmSample | null {
  switch (heartbeatSilence.kind) {
    case 'never_heard':
    case 'on_time':
      return null;
    case 'late':
    case 'missed':
      return { kind: heartbeatSilence.kind, at, dueAt: heartbeatSilence.dueAt };
  }
}

/** What a heartbeat may say of itself. */
export const heartbeatStatuses = ['up', 'degraded', 'down'] as const;
export type HeartbeatStatus = (typeof heartbeatStatuses)[number];

/** The sample that a heartbeat makes: an explicit down is a failed check, a `ping` is its latency in ms. */
export function heartbeatSample(status: HeartbeatStatus, at: number, pingMs: number | null): ConfirmSample {
  return { kind: 'check', at, outcome: outcomeOf(status), latencyMs: pingMs };
}

function outcomeOf(status: HeartbeatStatus): Outcome {
  switch (status) {
    case 'up':
      return 'healthy';
    case 'degraded':
      return 'degraded';
    case 'down':
      return 'failed';
  }
}

function dueAtOf(pushMonitorState: PushMonitorState): number | null {
  switch (pushMonitorState.schedule.kind) {
    case 'interval': {
      const { lastHeardAt, firstSeenAt, expectedAt } = pushMonitorState;
      const countedFrom = Math.max(lastHeardAt ?? firstSeenAt, expectedAt ?? -Infinity);
      return countedFrom + pushMonitorState.schedule.intervalMs;
    }
    case 'schedule':
      return pushMonitorState.schedule.dueAt;
  }
}

function deadlineOf({ schedule }: PushMonitorState, dueAt: number, graceMs: number): ListeningDeadline {
  return { dueAt, endsAt: dueAt + graceMs, sentAgainBy: (toAt) => sentAgainBy(schedule, toAt, graceMs) };
}

/** By when a healthy sender that could send nothing until `toAt` has sent another heartbeat. */
export function sentAgainBy(schedule: HeartbeatSchedule, toAt: number, graceMs: number): number {
  return Math.min(toAt + sendAgainMs, nextSentBy(schedule, toAt, graceMs));
}

/** By when the first heartbeat that is due wholly after `at` has come. */
function nextSentBy(schedule: HeartbeatSchedule, at: number, graceMs: number): number {
  switch (schedule.kind) {
    case 'interval':
      return at + schedule.intervalMs + graceMs;
    case 'schedule':
      return (schedule.nextAfter(at + earlyMs) ?? Infinity) + graceMs;
  }
}
