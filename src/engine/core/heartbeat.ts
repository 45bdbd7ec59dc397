/** Decides whether a push monitor has kept its promise to be heard. Instants are epoch ms. */
import type { Outcome } from './probe.ts';
import type { Sample } from './confirm/sample.ts';
import { type Deadline, extendDeadline, type ListeningGap } from './listening.ts';

/** How often a heartbeat is promised. */
type Rhythm =
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

export interface Heart {
  readonly rhythm: Rhythm;
  /** How long after it was due a heartbeat may still come before the monitor is down. */
  readonly graceMs: number;
  /** When the monitor was first known to this database. */
  readonly firstSeenAt: number;
  /** The last heartbeat of any status; null: never one. */
  readonly lastHeardAt: number | null;
  /** Its silence was confirmed as an outage, and no heartbeat came since: it holds, whatever the clock is set to. */
  readonly isDown: boolean;
  /** When this node was not listening, in order: what was sent then is lost, which is no fault of the sender. */
  readonly listeningGaps: readonly ListeningGap[];
}

/** What the silence means, and when (`lookAt`) it will mean something else; null: only a heartbeat changes it. */
export type Silence =
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
}: Pick<Heart, 'lastHeardAt' | 'firstSeenAt'>): number {
  return lastHeardAt === null ? firstSeenAt : lastHeardAt + earlyMs;
}

/**
 * What the silence of a push monitor means at `nowAt`. One that was never heard is unknown until a heartbeat,
 * counted from when it was first seen, is overdue with its grace; then it is down, without being late before.
 */
export function judgeSilence(heart: Heart, nowAt: number): Silence {
  const dueAt = dueAtOf(heart);
  const isNew = heart.lastHeardAt === null;
  if (dueAt === null) return { kind: isNew ? 'never_heard' : 'on_time', lookAt: null };
  const lateAt = extendDeadline(deadlineOf(heart, dueAt, 0), heart.listeningGaps);
  const missedAt = extendDeadline(deadlineOf(heart, dueAt, heart.graceMs), heart.listeningGaps);
  if (heart.isDown || nowAt >= missedAt) return { kind: 'missed', dueAt, lookAt: null };
  if (isNew) return { kind: 'never_heard', lookAt: missedAt };
  if (nowAt >= lateAt) return { kind: 'late', dueAt, lookAt: missedAt };
  return { kind: 'on_time', lookAt: lateAt };
}

/** The sample that silence makes; null when it makes none. */
export function silenceSample(silence: Silence, at: number): Sample | null {
  switch (silence.kind) {
    case 'never_heard':
    case 'on_time':
      return null;
    case 'late':
    case 'missed':
      return { kind: silence.kind, at, dueAt: silence.dueAt };
  }
}

/** What a heartbeat may say of itself. */
export const heartbeatStatuses = ['up', 'degraded', 'down'] as const;
export type HeartbeatStatus = (typeof heartbeatStatuses)[number];

/** The sample that a heartbeat makes: an explicit down is a failed check, a `ping` is its latency in ms. */
export function heartbeatSample(status: HeartbeatStatus, at: number, pingMs: number | null): Sample {
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

function dueAtOf(heart: Heart): number | null {
  switch (heart.rhythm.kind) {
    case 'interval':
      return (heart.lastHeardAt ?? heart.firstSeenAt) + heart.rhythm.intervalMs;
    case 'schedule':
      return heart.rhythm.dueAt;
  }
}

function deadlineOf({ rhythm }: Heart, dueAt: number, graceMs: number): Deadline {
  const sentAgainBy = (toAt: number) => Math.min(toAt + sendAgainMs, nextSentBy(rhythm, toAt, graceMs));
  return { dueAt, endsAt: dueAt + graceMs, sentAgainBy };
}

/** By when the first heartbeat that is due wholly after `at` has come. */
function nextSentBy(rhythm: Rhythm, at: number, graceMs: number): number {
  switch (rhythm.kind) {
    case 'interval':
      return at + rhythm.intervalMs;
    case 'schedule':
      return (rhythm.nextAfter(at + earlyMs) ?? Infinity) + graceMs;
  }
}
