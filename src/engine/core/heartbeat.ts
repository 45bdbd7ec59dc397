/** Decides whether a push monitor has kept its promise to be heard. Instants are epoch ms. */
import type { Outcome } from './probe.ts';
import type { Sample } from './confirm/sample.ts';

/** How often a heartbeat is promised. */
type Rhythm =
  /** One within this time of the one before. */
  | { readonly kind: 'interval'; readonly intervalMs: number }
  /** One at each instant of a plan; `dueAt` is the first of the plan after `plannedAfter` (null: there is none). */
  | { readonly kind: 'schedule'; readonly dueAt: number | null };

export interface Heart {
  readonly rhythm: Rhythm;
  /** How long after it was due a heartbeat may still come before the monitor is down. */
  readonly graceMs: number;
  /** When the monitor was first known to this database. */
  readonly firstSeenAt: number;
  /** The last heartbeat of any status; null: never one. */
  readonly lastHeardAt: number | null;
  /**
   * Since when this node could hear without a break: its start, the end of a suspend, a step of its clock. What was
   * sent while it was deaf is lost, which is no fault of the sender.
   */
  readonly listeningSinceAt: number;
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

/** After being deaf, a sender is given its interval to come again, but no longer than this. */
const hearAgainMs = 1_800_000;

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
  const hearingAt = heart.listeningSinceAt + patienceMs(heart.rhythm);
  const lateAt = Math.max(dueAt, hearingAt);
  const missedAt = Math.max(dueAt + heart.graceMs, hearingAt);
  if (nowAt >= missedAt) return { kind: 'missed', dueAt, lookAt: null };
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

function patienceMs(rhythm: Rhythm): number {
  switch (rhythm.kind) {
    case 'interval':
      return Math.min(rhythm.intervalMs, hearAgainMs);
    case 'schedule':
      return hearAgainMs;
  }
}
