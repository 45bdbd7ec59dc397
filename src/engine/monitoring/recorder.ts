/** Records a sample: confirms it, then writes it with everything that follows from it. */
import { confirm, type Confirmation } from './confirm/confirm.ts';
import { hold } from './confirm/hold.ts';
import { heard } from './confirm/said.ts';
import type { Transition, Why } from './confirm/transition.ts';
import type { Log } from '../core/log.ts';
import type { AlertEvent } from '../alerting/events/catalogue.ts';
import type { Clock } from '../core/clock.ts';
import type { LatestReason } from '../core/latest-reason.ts';
import type { Move } from '../core/clock-shift.ts';
import type { Config } from '../config/config.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { Store } from '../../db/store/store.ts';
import { findOwner } from '../../db/samples/owner.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { samples } from '../../db/tables/samples.ts';
import { documentOf, isSameState, movedStability, movedState } from './monitor-memory.ts';
import { isCalm } from './confirm/unstable.ts';
import { logLineOf, stabilityLineOf } from './log-lines.ts';
import { followObservation } from './stability.ts';
import { type Observation, sampleOf } from './observation.ts';
import type { Yielder } from '../core/yielding.ts';
import { alertOperations, carriedBy, reasonOperations } from './alert-operations.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

export interface RecorderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => Config;
  readonly newUid: () => string;
  /** What was written together is not gone on with all at once. */
  readonly yielder: Yielder;
  /** The monitors that are watched. */
  readonly find: (id: string) => WatchedMonitor | null;
  /** Called with every sample that is kept. */
  readonly onKept: (watchedMonitor: WatchedMonitor, observation: Observation) => void;
}

/** A transition that may be notified, with the incident it belongs to. */
interface News {
  readonly transition: Exclude<Transition, { readonly kind: 'status_changed' }>;
  readonly uid: string;
}

interface Change {
  readonly watched: WatchedMonitor;
  readonly seen: Observation;
  readonly why: Why;
  readonly at: number;
}

const noMoves: readonly Move[] = [];
const noNews: readonly News[] = [];

export class Recorder {
  private readonly options: RecorderOptions;
  /** What the clock was set by, one after the other. */
  private readonly moves: Move[] = [];

  constructor(options: RecorderOptions) {
    this.options = options;
  }

  /** The clock was set: what is being written was measured before. */
  shift(move: Move): void {
    this.moves.push(move);
  }

  /** Where no incident is open, the streak of failures begins anew, also for a process that is started later. */
  forgetFailures(all: Iterable<WatchedMonitor>): void {
    const { store, clock } = this.options;
    const operations: Operation[] = [];
    for (const watchedMonitor of all) {
      const { id, state } = watchedMonitor;
      if (state.incident !== null || state.failures === null) continue;
      watchedMonitor.state = { ...state, failures: null };
      operations.push(alertStates.save({ monitor: id, state: documentOf(watchedMonitor), at: clock.now() }));
    }
    if (operations.length === 0) return;
    try {
      store.record(operations);
    } catch {
      // The store is closed, or another node leads from now on, which has a memory of its own.
    }
  }

  /** Whether an observation would be the one that opens an incident. */
  wouldOpen({ state, policy }: WatchedMonitor, { sample }: Observation): boolean {
    return (
      state.incident === null &&
      confirm(state, sample, policy).transitions.some(({ kind }) => kind === 'incident_opened')
    );
  }

  /**
   * Keeps a sample. To be called under the monitor's mutex. With `heardAt` it is a heartbeat, which is durable when this
   * resolves; when it rejects, nothing has changed. Anything else goes on in memory while the disk fails.
   */
  keep(
    watchedMonitor: WatchedMonitor,
    observation: Observation,
    heardAt: number | null = null,
  ): Promise<void> | undefined {
    const { store, clock } = this.options;
    const { state, transitions, why, newReason } = confirmed(watchedMonitor, observation);
    const judged = { watched: watchedMonitor, observation, state, transitions };
    const { stability, event } = followObservation(judged, this.options);
    // Checks of a monitor that was healthy for long are counted anew after a restart.
    const isSame =
      isSameState(watchedMonitor.state, state) && isCalm(stability) && isCalm(watchedMonitor.stability);
    const operations = [
      ...this.silenceSinceLate(watchedMonitor, observation, transitions),
      sampleOf(watchedMonitor.id, observation, isSame ? heardAt : null),
    ];
    const news = this.newsOf(watchedMonitor, transitions);
    if (!isSame) {
      const heard = heardAt ?? watchedMonitor.heardAt;
      const document = documentOf({ ...watchedMonitor, state, stability, heardAt: heard });
      operations.push(
        alertStates.save({ monitor: watchedMonitor.id, state: document, at: observation.sample.at }),
      );
    }
    if (newReason !== null && watchedMonitor.uid !== null) {
      const changed = { uid: watchedMonitor.uid, latest: newReason, at: clock.now() };
      operations.push(...reasonOperations(changed, { sql: store.sql, config: this.options.config() }));
    }
    if (news.length === 0 && event === null && heardAt === null) {
      store.record(operations);
      watchedMonitor.state = state;
      watchedMonitor.stability = stability;
      this.options.onKept(watchedMonitor, observation);
      return undefined;
    }
    const change: Change = { watched: watchedMonitor, seen: observation, why, at: clock.now() };
    for (const each of news) operations.push(...this.operationsOf(each, change));
    if (event !== null)
      // Not before the recovery of the outage with which it became unstable.
      operations.push(
        ...alertOperations({ ...event, at: change.at }, { sql: store.sql, config: this.options.config() }),
      );
    // The result of a probe is kept in memory, so that its alert is sent; a heartbeat is acknowledged to its sender.
    const mustBeDurable = heardAt !== null;
    const sharesRecord = mustBeDurable && operations.length === 1;
    const written = store.write(operations, { mustBeDurable, sharesRecord });
    const moved = this.moves.length;
    const commit = () => {
      const since = this.moves.length === moved ? noMoves : this.moves.slice(moved);
      watchedMonitor.state = since.reduce(movedState, state);
      watchedMonitor.stability = since.reduce(movedStability, stability);
      if (heardAt !== null) watchedMonitor.heardAt = since.reduce((at, move) => move(at), heardAt);
      for (const { transition, uid } of news) {
        const { kind } = transition;
        if (kind === 'incident_opened' || kind === 'unknown_confirmed') watchedMonitor.uid = uid;
        if (kind === 'incident_closed' || kind === 'unknown_ended') watchedMonitor.uid = null;
        this.options.log(logLineOf(transition, change));
      }
      if (event !== null) this.options.log(stabilityLineOf(watchedMonitor.id, event));
      this.options.onKept(watchedMonitor, observation);
    };
    // Of a heartbeat that changes nothing only its answer follows, and no more of them share a record than a turn can bear.
    return sharesRecord ? written.then(commit) : this.finish(written, commit);
  }

  /**
   * An outage of silence begins when the heartbeat was due, and so do its seconds: from the sample that said it was late,
   * which is the latest one, on.
   */
  private silenceSinceLate(
    { id }: WatchedMonitor,
    seen: Observation,
    transitions: readonly Transition[],
  ): readonly Operation[] {
    const { sample } = seen;
    if (sample.kind !== 'missed' || !transitions.some(({ kind }) => kind === 'incident_opened')) return [];
    const late = findOwner(this.options.store.sql, id)?.tail ?? null;
    const isLate = late?.status === 'degraded' && late.at >= Math.floor(sample.dueAt / 1000) * 1000;
    if (!isLate || late.at >= sample.at) return [];
    const { reason } = seen;
    return [
      samples.add({
        monitor: id,
        at: late.at,
        status: 'down',
        latencyMs: null,
        holdSecs: late.holdSecs,
        isHeartbeat: false,
        category: reason?.category ?? null,
        message: reason?.message ?? null,
        heardAt: null,
      }),
    ];
  }

  private async finish(written: Promise<unknown>, commit: () => void): Promise<void> {
    await written;
    await this.options.yielder.pass();
    commit();
  }

  private newsOf(watchedMonitor: WatchedMonitor, transitions: readonly Transition[]): readonly News[] {
    if (transitions.length === 0) return noNews;
    return transitions.flatMap((transition): News[] => {
      switch (transition.kind) {
        case 'status_changed':
          return [];
        case 'incident_opened':
        case 'unknown_confirmed':
          return [{ transition, uid: this.options.newUid() }];
        case 'incident_closed':
        case 'unknown_ended':
        case 'degraded_confirmed':
        case 'degraded_ended':
          return [{ transition, uid: watchedMonitor.uid ?? '' }];
      }
    });
  }

  private operationsOf({ transition, uid }: News, change: Change): Operation[] {
    const { store, config } = this.options;
    const happening = happeningOf(transition, uid, change);
    const carried = carriedBy(happening, store.sql);
    const notified = alertOperations(happening, { sql: store.sql, config: config(), carried });
    switch (transition.kind) {
      case 'incident_opened':
      case 'unknown_confirmed':
        return [openingOf(transition, { uid, carriedFrom: carried?.uid ?? null }, change), ...notified];
      case 'incident_closed':
      case 'unknown_ended':
        return [incidents.close({ uid, endedAt: transition.endedAt }), ...notified];
      case 'degraded_confirmed':
      case 'degraded_ended':
        return notified;
    }
  }
}

interface Confirmed extends Confirmation {
  /** Why the checks of the open incident fail from now on; null: for the reason on record. */
  readonly newReason: LatestReason | null;
}

function confirmed(
  { state: before, policy }: WatchedMonitor,
  { sample, isHeld, reason }: Observation,
): Confirmed {
  const { transitions, why, ...confirmation } = confirm(before, sample, policy);
  if (isHeld === true)
    return { state: hold(before, sample.at, policy), transitions: [], why, newReason: null };
  const { state, change } = heard(before, confirmation.state, {
    finding: why.finding,
    reason,
    at: sample.at,
  });
  return { state, transitions, why, newReason: change };
}

function openingOf(
  transition: Extract<Transition, { readonly kind: 'incident_opened' | 'unknown_confirmed' }>,
  { uid, carriedFrom }: { readonly uid: string; readonly carriedFrom: string | null },
  { watched, seen }: Change,
): Operation {
  const { id, name } = watched.monitor;
  const { startedAt, confirmedAt } = transition;
  return incidents.open({
    uid,
    monitor: id,
    name,
    startedAt,
    confirmedAt,
    category: seen.reason?.category ?? null,
    reason: seen.reason?.message ?? null,
    cause: null,
    impacted: [],
    snapshot: seen.snapshot,
    vantage: null,
    ownFault: transition.kind === 'unknown_confirmed' ? transition.ownFault : null,
    carriedFrom,
  });
}

function happeningOf(transition: News['transition'], uid: string, change: Change): AlertEvent {
  const { watched, seen, why, at } = change;
  const about = { monitor: watched.id, at };
  switch (transition.kind) {
    case 'incident_opened': {
      // As it was before this sample.
      const degradedSince = watched.state.degradation?.startedAt ?? null;
      return { ...transition, ...about, uid, why, degradedSince };
    }
    case 'unknown_confirmed':
      return { ...transition, ...about, uid, why };
    case 'incident_closed': {
      const { kind, startedAt, endedAt } = transition;
      return { kind, startedAt, endedAt, ...about, uid, isDegraded: why.finding !== 'healthy' };
    }
    case 'unknown_ended': {
      const { kind, startedAt, endedAt } = transition;
      return { kind, startedAt, endedAt, ...about, uid };
    }
    case 'degraded_confirmed':
      return {
        ...transition,
        ...about,
        why,
        latencyMs: seen.latencyMs,
        limitMs: watched.monitor.degraded_over_ms,
        reason: seen.reason?.message ?? null,
      };
    case 'degraded_ended':
      return { ...transition, ...about };
  }
}
