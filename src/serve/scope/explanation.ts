/** Reads the facts behind the explanation of a monitor or an incident. */
import { type DecisionFacts, recentChangeMs } from '../../engine/core/record.ts';
import type { OldHour } from '../../db/samples/stored.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { events } from '../../db/tables/events.ts';
import { incidentUpdates } from '../../db/tables/incident-updates.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import { type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { peers } from '../../db/tables/peers.ts';
import { outbox, type DeliveryRow } from '../../db/tables/outbox.ts';
import { type TimeRange, samples } from '../../db/tables/samples.ts';
import { silences } from '../../db/tables/silences.ts';
import { climbOutage, reachedBy } from '../../engine/alerting/climb-outage.ts';
import { channelNamesOf } from '../../engine/alerting/route.ts';
import { degradationOf, unstableEpisodeOf } from '../../engine/alerting/events/outage.ts';
import { foldedInto } from '../../engine/alerting/events/stored.ts';
import type { Config, Monitor, Peer } from '../../engine/config/config.ts';
import { readStability } from '../../engine/monitoring/confirm/unstable.ts';
import { readState } from '../../engine/monitoring/confirm/state.ts';
import { muteOf, type Muting } from '../../engine/core/mute.ts';
import { type PeerState, readPeerState } from '../../engine/peers/rules/state.ts';
import { explain } from '../../engine/views/explain.ts';
import { messageJson, momentJson } from '../../engine/views/explain-json.ts';
import type { ExplainFacts } from '../../engine/views/explain-facts.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';

/** Samples and decisions this far around the time asked about may bear on it. */
const aroundMs = 1_800_000;
/** As of now, what was decided lately. */
const latelyMs = 86_400_000;
const maxDecisions = 50;
const maxOthers = 50;
const maxTroubled = 1000;

/** What an explanation is about. */
export interface ExplainSubject {
  readonly monitor: {
    readonly id: string;
    readonly name: string;
    /** Null: the configuration no longer has it. */
    readonly configured: Monitor | null;
  };
  /** Null: it is a monitor. */
  readonly peer: Peer | null;
  /** Null: the monitor was named, not an incident of it. */
  readonly incident: IncidentRow | null;
}

export interface ExplainSources {
  readonly sql: SqlReader;
  readonly config: Config;
  readonly nowAt: number;
  /** Samples of the time that is asked about that are not in memory (see readOldHours). */
  readonly older?: readonly OldHour[];
}

/** The samples that explain what happened at a time; null: the present. */
export function explainedSpan(askedAt: number | null, nowAt: number): TimeRange {
  return askedAt === null
    ? { fromAt: nowAt - latelyMs, toAt: nowAt }
    : { fromAt: askedAt - aroundMs, toAt: askedAt + aroundMs };
}

/** `askedAt` null: the present. */
export function explainFactsOf(
  found: ExplainSubject,
  askedAt: number | null,
  sources: ExplainSources,
): ExplainFacts {
  const { sql, config, nowAt } = sources;
  const { monitor, peer } = found;
  const incident = peer === null ? (found.incident ?? incidentAt(sql, monitor.id, askedAt)) : null;
  const configured = monitor.configured;
  const stored = alertStates.find(sql, monitor.id);
  const state = readState(stored);
  const isPresent = askedAt === null && found.incident === null;
  const degradation = state?.degradation ?? null;
  const unstable = isPresent ? readStability(stored).unstable : null;
  return {
    nowAt,
    askedAt: found.incident === null ? askedAt : (askedAt ?? found.incident.startedAt),
    monitor: { id: monitor.id, name: monitor.name },
    policy:
      configured === null
        ? null
        : { failThreshold: configured.fail_threshold, isDegradedNotified: config.alerts.alert_on_degraded },
    peer: peer === null ? null : peerStateOf(sql, peer.id),
    incident,
    ...(incident === null ? {} : saidAbout(sql, incident, nowAt)),
    decisions: decisionsOf(sql, {
      monitor: monitor.id,
      incident,
      isAlone: found.incident !== null,
      fromAt: askedAt === null ? nowAt - latelyMs : askedAt - aroundMs,
      toAt: askedAt === null ? nowAt : askedAt + aroundMs,
    }),
    deliveries: deliveriesOf(sql, {
      monitor: monitor.id,
      incident,
      episodes: [
        ...(degradation === null ? [] : [degradationOf(monitor.id, degradation.startedAt)]),
        ...(unstable === null ? [] : [unstableEpisodeOf(monitor.id, unstable.startedAt)]),
      ],
      isPresent,
    }).map((row) => ({ ...row, foldedInto: foldedInto(row) })),
    ...(askedAt === null ? { ahead: firstDue(sql, nowAt) } : {}),
    step: askedAt === null ? nextStepOf(found, incident, sources) : null,
    state,
    unstable,
    muting: askedAt === null ? mutingOf(peer?.listen_id ?? monitor.id, sources) : { kind: 'open' },
    others:
      askedAt === null && found.incident === null
        ? othersOf(sql, { monitor: monitor.id, incident, nowAt })
        : [],
    samples: samples.list(sql, monitor.id, { ...explainedSpan(askedAt, nowAt), older: sources.older ?? [] }),
  };
}

/** What each channel is to send first of all that is due: the daemon takes the longest due first. */
function firstDue(sql: SqlReader, nowAt: number): ReadonlyMap<string, DeliveryRow> {
  const first = new Map<string, DeliveryRow>();
  for (const row of outbox.due(sql, nowAt, maxTroubled))
    if (!first.has(row.channel)) first.set(row.channel, row);
  return first;
}

/** The step that comes next of the escalation of an open incident that nobody acknowledged; null: none. */
function nextStepOf(
  { monitor: { configured: monitor } }: ExplainSubject,
  incident: IncidentRow | null,
  { sql, config, nowAt }: ExplainSources,
): NonNullable<ExplainFacts['step']> | null {
  if (monitor === null || incident === null || incident.endedAt !== null || incident.acknowledged !== null)
    return null;
  const { uid, confirmedAt, ownFault } = incident;
  const event = ownFault === null ? 'down' : 'unknown';
  const rows = outbox.ofIncident(sql, uid);
  const climbed = climbOutage({ event, monitor, confirmedAt, rows }, config, nowAt);
  const at = climbed?.nextAt ?? null;
  if (climbed === null || at === null) return null;
  const number = climbed.steps.length + 1;
  const notify = climbed.escalation.steps[number - 1]?.notify ?? [];
  const channels = reachedBy(notify, { event, monitor }, { config, at });
  return { number, of: climbed.escalation.name, at, channels };
}

/** The same for programs, with the channels that its alerts go to. */
export function explainedMonitor(configured: Monitor, sources: ExplainSources) {
  const { id, name, notify } = configured;
  const found = { monitor: { id, name, configured }, peer: null, incident: null };
  const { headline, timeline, messages, next } = explain(explainFactsOf(found, null, sources));
  return {
    channels:
      notify === null
        ? sources.config.channels.map((channel) => channel.name)
        : channelNamesOf(notify, sources.config, sources.nowAt),
    summary: headline,
    timeline: timeline.map(momentJson),
    messages: messages.map(messageJson),
    next,
  };
}

interface OthersQuery {
  readonly monitor: string;
  readonly incident: IncidentRow | null;
  readonly nowAt: number;
}

/** The incidents of late beside the one that is explained. */
function othersOf(sql: SqlReader, { monitor, incident, nowAt }: OthersQuery): readonly IncidentRow[] {
  const { incidents: known } = incidents.list(sql, { monitors: [monitor], limit: maxOthers });
  return known.filter(({ uid, endedAt }) => uid !== incident?.uid && (endedAt ?? nowAt) >= nowAt - latelyMs);
}

/** What was said about an incident, and what was changed before and while it lasted. */
export function saidAbout(sql: SqlReader, incident: RecordedIncidentRow, nowAt: number) {
  const { uid, startedAt, endedAt } = incident;
  const monitors = incident.monitor === null ? incident.monitors : [incident.monitor];
  const during = { fromAt: startedAt - recentChangeMs, toAt: endedAt ?? nowAt };
  return {
    updates: incidentUpdates.of(sql, [uid]).get(uid) ?? [],
    events: events.listWithin(sql, { ...during, monitors }),
  };
}

function peerStateOf(sql: SqlReader, id: string): PeerState {
  return readPeerState(peers.list(sql).find((row) => row.id === id)?.state ?? null);
}

/** The incident that was open at a time; as of now (null) the one that is open, else the last one. */
function incidentAt(sql: SqlReader, monitor: string, at: number | null): IncidentRow | null {
  const of = { limit: 1, monitors: [monitor] };
  if (at === null) {
    const [open] = incidents.list(sql, { ...of, isOpen: true }).incidents;
    return open ?? incidents.list(sql, of).incidents[0] ?? null;
  }
  const then = incidents.listWithin(sql, { fromAt: at, toAt: at + 1 });
  return then.find((incident) => incident.monitor === monitor) ?? null;
}

interface DecisionQuery {
  readonly monitor: string;
  readonly incident: IncidentRow | null;
  /** Only those of the incident. */
  readonly isAlone: boolean;
  readonly fromAt: number;
  readonly toAt: number;
}

function decisionsOf(sql: SqlReader, query: DecisionQuery): readonly DecisionFacts[] {
  const { monitor, incident, isAlone, fromAt, toAt } = query;
  const own = incident === null ? [] : decisions.ofIncident(sql, incident.uid);
  if (isAlone) return own;
  const ids = new Set(own.map(({ id }) => id));
  const around = decisions
    .ofMonitor(sql, monitor, { at: toAt, limit: maxDecisions })
    .filter((one) => !ids.has(one.id) && one.at >= fromAt && !isOfAnother(one, incident));
  return [...own, ...around].toSorted((a, b) => a.at - b.at || a.id - b.id);
}

/** What was decided about another incident belongs to the explanation of that one. */
function isOfAnother(decision: DecisionFacts, incident: IncidentRow | null): boolean {
  return incident !== null && decision.incident !== null && decision.incident !== incident.uid;
}

interface DeliveryQuery {
  readonly monitor: string;
  readonly incident: IncidentRow | null;
  /** The names of what it is in, as of now, beside an incident: a confirmed degradation, an unstable time. */
  readonly episodes: readonly string[];
  readonly isPresent: boolean;
}

/**
 * The messages about the incident; as of now also those that say that it is degraded, and whatever else waits about
 * the monitor.
 */
function deliveriesOf(
  sql: SqlReader,
  { monitor, incident, episodes, isPresent }: DeliveryQuery,
): readonly DeliveryRow[] {
  const ofIncident = incident === null ? [] : outbox.ofIncident(sql, incident.uid);
  if (!isPresent) return ofIncident;
  const own = [...ofIncident, ...episodes.flatMap((episode) => outbox.ofIncident(sql, episode))];
  const ids = new Set(own.map(({ id }) => id));
  const waiting = outbox
    .listTroubled(sql, maxTroubled)
    .filter((row) => row.monitor === monitor && row.state === 'waiting' && !ids.has(row.id));
  return [...own, ...waiting.toReversed()];
}

function mutingOf(monitor: string, { sql, config, nowAt }: ExplainSources): Muting {
  return muteOf(monitor, {
    nowAt,
    mutes: {
      silences: silences.active(sql, nowAt),
      maintenances: plannedMaintenance(sql, config, nowAt),
    },
  });
}
