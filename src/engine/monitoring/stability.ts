/** Follows whether a monitor is unstable, by what the store knows of silences and messages. */
import type { Config, Monitor } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { lazy } from '../core/lazy.ts';
import { graphOfMonitors, upstreams } from '../core/graph.ts';
import { muteOf } from '../core/mute.ts';
import { type CheckPolicy, type ConfirmSample, findingOf, type SampleFinding } from '../core/sample.ts';
import type { UnstableConfirmed, UnstableEnded } from '../alerting/events/outage.ts';
import { readOutage } from '../alerting/events/outage-payload.ts';
import { namedByOf } from '../alerting/group.ts';
import { plannedMaintenance } from '../operations/planned-maintenance.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { outbox } from '../../db/tables/outbox.ts';
import { silences } from '../../db/tables/silences.ts';
import type { MonitorState } from './confirm/state.ts';
import type { Transition } from './confirm/transition.ts';
import { followStability, type JudgedCheck, type Stability } from './confirm/unstable.ts';
import type { Observation } from './observation.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

export interface StabilitySources {
  readonly sql: SqlReader;
  readonly config: Config;
  /** What is remembered of another monitor; null: it is not watched. */
  readonly stabilityOf: (id: string) => Stability | null;
}

/** A check of a monitor and what confirming made of it. */
export interface FollowedCheck {
  readonly monitor: Monitor;
  /** Null: a heartbeat is late, which is neither an answer nor a failure. */
  readonly check: JudgedCheck | null;
  /** Why the check failed; null: not known, or it did not. */
  readonly reason: string | null;
  /** The clock, epoch ms: the time of the check is that of its answer. */
  readonly at: number;
}

/** A sample as the counting of checks takes it. `isHeld`: it failed while the network of this node was suspected. */
export function judgedCheckOf(
  sample: ConfirmSample,
  policy: CheckPolicy,
  confirmed: {
    readonly isDown: boolean;
    readonly transitions: readonly Transition[];
    readonly isHeld: boolean;
  },
): JudgedCheck | null {
  const { isDown, transitions, isHeld } = confirmed;
  const finding = findingOf(sample, policy);
  if (finding.kind === 'late') return null;
  const has = (wanted: Transition['kind']) => transitions.some(({ kind }) => kind === wanted);
  return {
    at: sample.at,
    isFailed: isHeld ? null : isFailureOf(finding.kind),
    isDown,
    hasOpened: has('incident_opened'),
    hasRecovered: has('incident_closed'),
  };
}

/** Null: it says nothing of the target. */
function isFailureOf(finding: Exclude<SampleFinding['kind'], 'late'>): boolean | null {
  switch (finding) {
    case 'failed':
    case 'missed':
      return true;
    case 'healthy':
    case 'slow':
    case 'warned':
      return false;
    case 'unknown':
      return null;
  }
}

/** What is remembered after a check, and the event to alert of where the monitor became unstable or stable with it. */
export function follow(
  before: Stability,
  { monitor, check, reason, at }: FollowedCheck,
  { sql, config, stabilityOf }: StabilitySources,
): { readonly stability: Stability; readonly event: UnstableConfirmed | UnstableEnded | null } {
  if (check === null) return { stability: before, event: null };
  const { id } = monitor;
  const graph = lazy(() => graphOfMonitors(config.monitors));
  const { stability, news } = followStability(before, check, {
    isOn: config.alerts.unstable && config.alerts.group_window_secs > 0,
    intervalMs: monitor.interval_secs * 1000,
    isMuted: () => isMuted(id, { sql, config, at: check.at }, graph),
    upstreams: () =>
      monitor.depends_on.length === 0 ? [] : upstreams(graph(), id).flatMap((one) => stabilityOf(one) ?? []),
    toldSince: (sinceAt) => toldSince(sql, id, sinceAt),
  });
  if (news === null) return { stability, event: null };
  const { startedAt, confirmedAt, outages } = news.episode;
  return {
    stability,
    event:
      news.kind === 'began'
        ? { kind: 'unstable_confirmed', monitor: id, at, startedAt, confirmedAt, ...news.found, reason }
        : { kind: 'unstable_ended', monitor: id, at, startedAt, endedAt: check.at, outages, by: 'recovery' },
  };
}

interface ConfirmedObservation {
  /** As it was before. */
  readonly watched: WatchedMonitor;
  readonly observation: Observation;
  readonly state: MonitorState;
  readonly transitions: readonly Transition[];
}

interface EngineParts {
  readonly store: { readonly sql: SqlReader };
  readonly clock: Pick<Clock, 'now'>;
  readonly config: () => Config;
  readonly find: (id: string) => WatchedMonitor | null;
}

/** The same for a sample of the engine. */
export function followObservation(
  { watched, observation, state, transitions }: ConfirmedObservation,
  { store, clock, config, find }: EngineParts,
): ReturnType<typeof follow> {
  const { monitor, policy, stability } = watched;
  const { sample, isHeld, reason } = observation;
  const isDown = state.incident !== null;
  const check = judgedCheckOf(sample, policy, { isDown, transitions, isHeld: isHeld === true });
  return follow(
    stability,
    { monitor, check, reason: reason?.message ?? null, at: clock.now() },
    { sql: store.sql, config: config(), stabilityOf: (id) => find(id)?.stability ?? null },
  );
}

function isMuted(
  id: string,
  { sql, config, at: nowAt }: { readonly sql: SqlReader; readonly config: Config; readonly at: number },
  graph: () => ReturnType<typeof graphOfMonitors>,
): boolean {
  const active = silences.active(sql, nowAt);
  const maintenances = plannedMaintenance(sql, config, nowAt);
  if (active.length === 0 && maintenances.length === 0) return false;
  const situation = { mutes: { silences: active, maintenances }, graph: graph(), nowAt };
  return muteOf(id, situation).kind === 'muted';
}

/** How many outages of a monitor a channel was told of since an instant, those aside that an upstream explains. */
function toldSince(sql: SqlReader, monitor: string, sinceAt: number): number {
  const told = outbox.toldSince(sql, monitor, sinceAt).filter(({ payload }) => {
    return namedByOf(payload) === null && (readOutage(payload)?.cause ?? null) === null;
  });
  return new Set(told.map(({ incident }) => incident)).size;
}
