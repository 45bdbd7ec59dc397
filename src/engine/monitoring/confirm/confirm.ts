/**
 * Decides what one more sample makes of a monitor.
 *
 * | sample | failure streak | slow streak | recovery streak | shown, without and with an incident |
 * |---|---|---|---|---|
 * | healthy | ends | ends | one more | up (degraded until a confirmed degradation has ended); down until it has ended |
 * | slow or warned | ends | one more | one more out of an incident, else ends | degraded; down until it has ended |
 * | failed | one more | stays (ends in an incident) | ends | degraded, or down when it confirms; down |
 * | late | stays | stays | stays | degraded; down |
 * | missed | one more, confirms at once | ends | ends | down; down |
 * | unknown | stays | stays | stays | as before, or unknown after fail_threshold of them; down |
 *
 * A degraded answer is an answer: "N failures in a row" are no longer in a row, and a target that came back slow is
 * not down. A failure leaves the slow streak alone, because it is no sign of health: slow and failing by turns is
 * never confirmed down, but it is confirmed degraded. An unknown sample is a fault of this host, so it takes nothing
 * back; when there are many, what was shown is no longer known, but an open incident holds until the target answers.
 *
 * Without an open incident, fail_threshold checks in a row that a lasting fault of this host prevented (a dead resolver,
 * no descriptors; one standstill is none, several are) are confirmed as `unknown`. Any check that says something of the
 * target ends that.
 */
import type { Draft } from '../../core/draft.ts';
import type { Status } from '../../core/status.ts';
import { leastChecks } from '../../core/own-fault.ts';
import { findingOf, type SampleFinding, type CheckPolicy, type ConfirmSample } from '../../core/sample.ts';
import { freshState, type MonitorState, type Streak } from './state.ts';
import type { Transition, Why } from './transition.ts';

export interface Confirmation {
  readonly state: MonitorState;
  /** In the order they hold: what ended, what began, the status shown. */
  readonly transitions: readonly Transition[];
  readonly why: Why;
}

/** What a sample changes, before the status shown is known. */
interface Step {
  /** With the status shown so far. */
  readonly state: MonitorState;
  readonly transitions: readonly Transition[];
  readonly why: Why;
}

/** The state after `sample`, the transitions it caused, and why. Samples count in the order they are given. */
export function confirm(before: MonitorState, sample: ConfirmSample, policy: CheckPolicy): Confirmation {
  const finding = findingOf(sample, policy);
  if (finding.kind === 'healthy' && isWell(before)) return stillWell(sample.at);
  const { state, transitions, why } = count({ before, sample, policy }, finding);
  const status = shown(state, finding, policy);
  if (status === before.status) return { state, transitions, why };
  const changed: Transition = { kind: 'status_changed', from: before.status, to: status, at: sample.at };
  return { state: { ...state, status }, transitions: [...transitions, changed], why };
}

/** Up, with nothing that a healthy sample ends. */
function isWell(before: MonitorState): boolean {
  const { status, failures, recoveries, slow, unknowns, blocked, unchecked, incident, degradation } = before;
  return (
    status === 'up' &&
    failures === null &&
    recoveries === 0 &&
    slow === null &&
    unknowns === null &&
    blocked === null &&
    unchecked === null &&
    incident === null &&
    degradation === null
  );
}

const healthy: Why = { finding: 'healthy', kind: 'healthy' };

/** As isWell says. */
const well: MonitorState = { ...freshState, status: 'up' };

/** The result of nearly every sample, without the objects in between. */
function stillWell(knownAt: number): Confirmation {
  const state: Draft<MonitorState> = { ...well };
  state.knownAt = knownAt;
  return { state, transitions: [], why: healthy };
}

/** What a sample says of the target. */
type KnownFinding = Exclude<SampleFinding, { readonly kind: 'unknown' }>;

interface Input {
  readonly before: MonitorState;
  readonly sample: ConfirmSample;
  readonly policy: CheckPolicy;
}

function count({ before, sample, policy }: Input, finding: SampleFinding): Step {
  if (finding.kind === 'unknown') return countUnknown({ before, sample, policy });
  const known: Draft<MonitorState> = { ...recentOf(before, sample.at, policy) };
  known.unknowns = null;
  known.blocked = null;
  known.unchecked = null;
  known.knownAt = sample.at;
  const step = countKnown({ before: known, sample, policy }, finding);
  if (before.unchecked === null) return step;
  return { ...step, transitions: [...unknownEnded(before, sample.at), ...step.transitions] };
}

function countKnown(input: Input, finding: KnownFinding): Step {
  switch (finding.kind) {
    case 'healthy':
      return countHealthy(input);
    case 'slow':
    case 'warned':
      return countDegraded(input, finding.kind);
    case 'failed':
      return countFailed(input);
    case 'late':
      return countLate(input.before, finding.dueAt);
    case 'missed':
      return countMissed(input, finding.dueAt);
  }
}

function countUnknown({ before, sample, policy }: Input): Step {
  const unknowns = oneMore(before.unknowns, sample.at);
  const state: MonitorState = { ...before, unknowns };
  const ownFault = sample.kind === 'check' ? (sample.ownFault ?? null) : null;
  const needed = Math.max(policy.failThreshold, ownFault === null ? 1 : leastChecks(ownFault));
  if (ownFault === null) {
    const why: Why = { finding: 'unknown', kind: 'unknown', count: unknowns.count, needed };
    return { state, transitions: [], why };
  }
  const blocked = { ...oneMoreBlocked({ before, sample, policy }), latestAt: sample.at, ownFault };
  const why: Why = { finding: 'unknown', kind: 'unknown', count: blocked.count, needed };
  if (before.incident !== null || before.unchecked !== null || blocked.count < needed)
    return { state: { ...state, blocked }, transitions: [], why };
  const unchecked = {
    startedAt: blocked.sinceAt,
    confirmedAt: Math.max(blocked.sinceAt, sample.at),
    ownFault,
  };
  return {
    state: { ...state, blocked, unchecked },
    transitions: [{ kind: 'unknown_confirmed', ...unchecked }],
    why,
  };
}

/** A streak from before a stop of days is none. */
function oneMoreBlocked({ before: { blocked }, sample, policy }: Input): Streak {
  const { forgetAfterMs } = policy;
  const isStale = blocked !== null && forgetAfterMs !== null && sample.at - blocked.latestAt > forgetAfterMs;
  return oneMore(isStale ? null : blocked, sample.at);
}

function unknownEnded({ unchecked }: MonitorState, at: number): Transition[] {
  if (unchecked === null) return [];
  const { startedAt, confirmedAt } = unchecked;
  return [{ kind: 'unknown_ended', startedAt, confirmedAt, endedAt: Math.max(confirmedAt, at) }];
}

function countHealthy(input: Input): Step {
  const answered: Draft<MonitorState> = { ...input.before };
  answered.failures = null;
  answered.slow = null;
  if (answered.incident !== null) return recoverFromOutage({ ...input, before: answered }, 'healthy');
  const { degradation } = answered;
  if (degradation === null) {
    return {
      state: answered,
      transitions: [],
      why: healthy,
    };
  }
  const recoveries = answered.recoveries + 1;
  const needed = input.policy.recoverThreshold;
  const why: Why = { finding: 'healthy', kind: 'recovering', count: recoveries, needed };
  if (recoveries < needed) return { state: { ...answered, recoveries }, transitions: [], why };
  const ended = degradedEnded(answered, input.sample.at, 'recovery');
  return { state: { ...answered, recoveries: 0, degradation: null }, transitions: ended, why };
}

function countDegraded(input: Input, finding: 'slow' | 'warned'): Step {
  const { sample, policy } = input;
  const slow = oneMore(input.before.slow, sample.at);
  const answered: MonitorState = { ...input.before, failures: null, slow };
  const out: Step =
    answered.incident === null
      ? {
          state: { ...answered, recoveries: 0 },
          transitions: [],
          why:
            answered.degradation === null
              ? { finding, kind: 'slow', count: slow.count, needed: policy.failThreshold }
              : { finding, kind: 'degraded' },
        }
      : recoverFromOutage({ ...input, before: answered }, finding);
  if (out.state.incident !== null || out.state.degradation !== null) return out;
  if (slow.count < policy.failThreshold) return out;
  const degradation = { startedAt: slow.sinceAt, confirmedAt: Math.max(slow.sinceAt, sample.at) };
  return {
    state: { ...out.state, degradation },
    transitions: [...out.transitions, { kind: 'degraded_confirmed', ...degradation }],
    why: out.why,
  };
}

function recoverFromOutage({ before, sample, policy }: Input, finding: SampleFinding['kind']): Step {
  const recoveries = before.recoveries + 1;
  const { incident } = before;
  const needed = incident?.isReattached === true ? 1 : policy.recoverThreshold;
  const why: Why = { finding, kind: 'recovering', count: recoveries, needed };
  if (incident === null || recoveries < needed)
    return { state: { ...before, recoveries }, transitions: [], why };
  const { startedAt, confirmedAt } = incident;
  const endedAt = Math.max(confirmedAt, sample.at);
  return {
    state: { ...before, recoveries: 0, incident: null },
    transitions: [{ kind: 'incident_closed', startedAt, confirmedAt, endedAt }],
    why,
  };
}

function countFailed({ before, sample, policy }: Input): Step {
  const failures = oneMore(before.failures, sample.at);
  const failed: MonitorState = { ...before, failures, recoveries: 0 };
  if (failed.incident !== null) {
    return {
      state: { ...failed, slow: null },
      transitions: [],
      why: { finding: 'failed', kind: 'down' },
    };
  }
  const why: Why = {
    finding: 'failed',
    kind: 'failing',
    count: failures.count,
    needed: policy.failThreshold,
  };
  if (failures.count < policy.failThreshold) return { state: failed, transitions: [], why };
  return openIncident({ before: failed, sample, policy }, failures.sinceAt, why);
}

/** A sender whose period is the interval itself is late now and then: that is no failure, so it ends no recovery. */
function countLate(before: MonitorState, dueAt: number): Step {
  return {
    state: before,
    transitions: [],
    why:
      before.incident === null ? { finding: 'late', kind: 'late', dueAt } : { finding: 'late', kind: 'down' },
  };
}

function countMissed({ before, sample, policy }: Input, dueAt: number): Step {
  const failures = oneMore(before.failures, Math.min(dueAt, sample.at));
  const missed: MonitorState = { ...before, failures, recoveries: 0, slow: null };
  if (missed.incident !== null)
    return { state: missed, transitions: [], why: { finding: 'missed', kind: 'down' } };
  const why: Why = { finding: 'missed', kind: 'missed', dueAt };
  return openIncident({ before: missed, sample, policy }, failures.sinceAt, why);
}

function openIncident({ before, sample }: Input, startedAt: number, why: Why): Step {
  const confirmedAt = Math.max(startedAt, sample.at);
  return {
    state: {
      ...before,
      slow: null,
      degradation: null,
      incident: { startedAt, confirmedAt, isReattached: false },
    },
    transitions: [
      ...degradedEnded(before, sample.at, 'outage'),
      { kind: 'incident_opened', startedAt, confirmedAt },
    ],
    why,
  };
}

function degradedEnded({ degradation }: MonitorState, at: number, by: 'recovery' | 'outage'): Transition[] {
  if (degradation === null) return [];
  const { startedAt, confirmedAt } = degradation;
  return [{ kind: 'degraded_ended', startedAt, endedAt: Math.max(confirmedAt, at), by }];
}

function shown(state: MonitorState, finding: SampleFinding, policy: CheckPolicy): Status {
  if (state.incident !== null) return 'down';
  switch (finding.kind) {
    case 'healthy':
      return state.degradation === null ? 'up' : 'degraded';
    case 'slow':
    case 'warned':
    case 'failed':
    case 'late':
    case 'missed':
      return 'degraded';
    case 'unknown':
      return (state.unknowns?.count ?? 0) >= policy.failThreshold ? 'unknown' : state.status;
  }
}

/** The state without streaks that are too old at `at` to go on. */
export function recentOf(before: MonitorState, at: number, { forgetAfterMs }: CheckPolicy): MonitorState {
  if (forgetAfterMs === null || before.knownAt === null) return before;
  if (at - before.knownAt <= forgetAfterMs) return before;
  return { ...before, failures: null, slow: null, recoveries: 0 };
}

function oneMore(streak: Streak | null, at: number): Streak {
  return streak === null ? { count: 1, sinceAt: at } : { ...streak, count: streak.count + 1 };
}
