/**
 * Confirms a history anew: what would have been an outage, or a degradation, under a policy.
 *
 * Every sample goes through `confirm`, as in the daemon, with one exception: once a monitor is up and nothing is
 * being counted, a healthy sample changes nothing but when it was last known. Runs of those are skipped.
 */
import { confirm } from '../../monitoring/confirm/confirm.ts';
import type { CheckPolicy } from '../../core/sample.ts';
import { freshState, type MonitorState } from '../../monitoring/confirm/state.ts';
import { marks, sampleAt, type SampleHistory } from '../../core/sample-history.ts';

/** A confirmed outage or degradation. Instants are epoch ms. */
export interface ReplayedEpisode {
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** Null: it was not over with the last sample. */
  readonly endedAt: number | null;
  /** The samples that said so, those of the streak that led to it included. */
  readonly checks: number;
  /** How much of it lies between samples that are further apart than `holdMs`: it was not checked. */
  readonly unseenMs: number;
}

export interface EpisodeOf extends ReplayedEpisode {
  readonly monitor: string;
  readonly event: 'down' | 'degraded';
}

export interface Replayed {
  readonly outages: readonly ReplayedEpisode[];
  readonly degradations: readonly ReplayedEpisode[];
  /** What confirming remembers after the last sample. */
  readonly state: MonitorState;
}

export interface ReplayOptions {
  readonly policy: CheckPolicy;
  /** For how long a sample counts. */
  readonly holdMs: number;
  /** Push: how late a heartbeat may be; anything else: 0. */
  readonly graceMs: number;
  /** Steps through every sample instead: what the tests hold the skipping against. */
  readonly isThorough?: boolean;
}

type Open = { -readonly [Key in keyof ReplayedEpisode]: ReplayedEpisode[Key] };

/** The outages and degradations of a history under a policy, oldest first, from a state in which nothing is known. */
export function replay(history: SampleHistory, options: ReplayOptions): Replayed {
  const walk = new Walk(history, options);
  let index = 0;
  while (index < history.ats.length) {
    const calmUntil = options.isThorough === true ? index : walk.calmFrom(index);
    if (calmUntil > index) walk.skipTo(calmUntil);
    else walk.step(index);
    index = Math.max(index + 1, calmUntil);
  }
  return walk.result();
}

class Walk {
  private readonly history: SampleHistory;
  private readonly options: ReplayOptions;
  private readonly limitMs: number;
  private readonly outages: Open[] = [];
  private readonly degradations: Open[] = [];
  private state: MonitorState = freshState;
  private outage: Open | null = null;
  private degradation: Open | null = null;

  constructor(history: SampleHistory, options: ReplayOptions) {
    this.history = history;
    this.options = options;
    this.limitMs = options.policy.degradedOverMs ?? Infinity;
  }

  /** The first index from `index` on that may change something; `index` itself when it may. */
  calmFrom(index: number): number {
    if (!isCalm(this.state)) return index;
    const { ats, latencies, marks: found } = this.history;
    let next = index;
    // A latency that was not measured is NaN, which is above no limit.
    while (next < ats.length && found[next] === marks.answered && !((latencies[next] ?? 0) > this.limitMs))
      next++;
    return next;
  }

  skipTo(index: number): void {
    this.state = { ...this.state, knownAt: this.history.ats[index - 1] ?? null };
  }

  step(index: number): void {
    const { policy, holdMs, graceMs } = this.options;
    const { ats, marks: found } = this.history;
    const sample = sampleAt(this.history, index, graceMs);
    const before = this.state;
    const { state, transitions } = confirm(before, sample, policy);
    this.state = state;
    const unseenMs = index === 0 ? 0 : Math.max(0, sample.at - (ats[index - 1] ?? 0) - holdMs);
    for (const open of [this.outage, this.degradation]) if (open !== null) open.unseenMs += unseenMs;
    for (const transition of transitions) {
      switch (transition.kind) {
        case 'incident_opened':
          this.outage = opened(transition, state.failures?.count ?? 1);
          this.outages.push(this.outage);
          break;
        case 'degraded_confirmed':
          this.degradation = opened(transition, state.slow?.count ?? 1);
          this.degradations.push(this.degradation);
          break;
        case 'incident_closed':
          if (this.outage !== null) this.outage.endedAt = transition.endedAt;
          this.outage = null;
          break;
        case 'degraded_ended':
          if (this.degradation !== null) this.degradation.endedAt = transition.endedAt;
          this.degradation = null;
          break;
        case 'unknown_confirmed':
        case 'unknown_ended':
        case 'status_changed':
          break;
      }
    }
    const isFailed = found[index] === marks.failed || found[index] === marks.missed;
    if (isFailed && before.incident !== null && this.outage !== null) this.outage.checks += 1;
    const isSlow = state.slow !== null && state.slow.count !== before.slow?.count;
    if (isSlow && before.degradation !== null && this.degradation !== null) this.degradation.checks += 1;
  }

  result(): Replayed {
    const { outages, degradations, state } = this;
    return { outages, degradations, state };
  }
}

/** Whether a healthy sample would change nothing but `knownAt`. */
function isCalm(state: MonitorState): boolean {
  return (
    state.status === 'up' &&
    state.failures === null &&
    state.slow === null &&
    state.unknowns === null &&
    state.incident === null &&
    state.degradation === null &&
    state.recoveries === 0
  );
}

function opened(
  { startedAt, confirmedAt }: { readonly startedAt: number; readonly confirmedAt: number },
  checks: number,
): Open {
  return { startedAt, confirmedAt, endedAt: null, checks, unseenMs: 0 };
}
