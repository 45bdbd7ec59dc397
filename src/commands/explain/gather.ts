/** Reads everything there is to explain a monitor or an incident by. */
import { type DecisionFacts, recentChangeMs } from '../../engine/core/record.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { events } from '../../db/tables/events.ts';
import { incidentUpdates } from '../../db/tables/incident-updates.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import { type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { peers } from '../../db/tables/peers.ts';
import { outbox, type DeliveryRow } from '../../db/tables/outbox.ts';
import { samples } from '../../db/tables/samples.ts';
import { silences } from '../../db/tables/silences.ts';
import type { Peer } from '../../engine/config/config.ts';
import { readState } from '../../engine/monitoring/confirm/state.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { graphOfMonitors } from '../../engine/core/graph.ts';
import { muteOf, type Muting } from '../../engine/core/mute.ts';
import { type PeerState, readPeerState } from '../../engine/peers/rules/state.ts';
import type { ExplainFacts } from '../../engine/views/explain-facts.ts';
import { peerNamed } from '../../engine/views/peers.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { findIncident, findMonitor, monitorHint, type KnownMonitor } from '../incidents/known.ts';
import type { OpenedStore } from '../open-store.ts';
import { foldedInto } from '../outbox/render.ts';

/** Samples and decisions this far around the time asked about may bear on it. */
const aroundMs = 1_800_000;
/** As of now, what was decided lately. */
const latelyMs = 86_400_000;
const maxDecisions = 50;
const maxOthers = 50;
const maxTroubled = 1000;

/**
 * `subject`: a monitor's id, a peer's `listen_id` or id, or an incident's number, uid or `last`; looked for in that
 * order.
 * `askedAt` null: the present. Throws `not_found`.
 */
export function gatherFacts(subject: string, askedAt: number | null, openedStore: OpenedStore): ExplainFacts {
  const { store, config, nowAt } = openedStore;
  const found = find(subject, openedStore);
  const { monitor, peer } = found;
  const incident = peer === null ? (found.incident ?? incidentAt(store.sql, monitor.id, askedAt)) : null;
  const configured = monitor.configured;
  return {
    nowAt,
    askedAt: found.incident === null ? askedAt : (askedAt ?? found.incident.startedAt),
    monitor: { id: monitor.id, name: monitor.name },
    policy:
      configured === null
        ? null
        : { failThreshold: configured.fail_threshold, isDegradedNotified: config.alerts.alert_on_degraded },
    peer: peer === null ? null : peerStateOf(store.sql, peer.id),
    incident,
    ...(incident === null ? {} : saidAbout(store.sql, incident, nowAt)),
    decisions: decisionsOf(store.sql, {
      monitor: monitor.id,
      incident,
      isAlone: found.incident !== null,
      fromAt: askedAt === null ? nowAt - latelyMs : askedAt - aroundMs,
      toAt: askedAt === null ? nowAt : askedAt + aroundMs,
    }),
    deliveries: deliveriesOf(store.sql, {
      monitor: monitor.id,
      incident,
      isPresent: askedAt === null && found.incident === null,
    }).map((row) => ({ ...row, foldedInto: foldedInto(row) })),
    state: readState(alertStates.find(store.sql, monitor.id)),
    muting: askedAt === null ? mutingOf(peer?.listen_id ?? monitor.id, openedStore) : { kind: 'open' },
    others:
      askedAt === null && found.incident === null
        ? othersOf(store.sql, { monitor: monitor.id, incident, nowAt })
        : [],
    samples: samples.list(
      store.sql,
      monitor.id,
      askedAt === null
        ? { fromAt: nowAt - latelyMs, toAt: nowAt }
        : { fromAt: askedAt - aroundMs, toAt: askedAt + aroundMs },
    ),
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

interface Subject {
  readonly monitor: KnownMonitor;
  /** Null: it is a monitor. */
  readonly peer: Peer | null;
  /** Null: the monitor was named, not an incident of it. */
  readonly incident: IncidentRow | null;
}

function find(subject: string, openedStore: OpenedStore): Subject {
  const monitor = findMonitor(subject, openedStore);
  const peer = peerNamed(subject, openedStore.config.peers);
  if (peer !== null && (monitor?.configured ?? null) === null)
    return { monitor: { id: peer.id, name: peer.name, configured: null }, peer, incident: null };
  if (monitor !== null) return { monitor, peer: null, incident: null };
  const incident = findIncident(subject, openedStore);
  if (incident === null) {
    const listenIds = openedStore.config.peers.map(({ listen_id }) => listen_id);
    throw new StatusdError('not_found', `there is no monitor or incident ${quoted(subject)}`, {
      hint: `${monitorHint(subject, openedStore, listenIds)} \`statusd incidents\` lists the incidents.`,
    });
  }
  if (incident.monitor === null) {
    throw new StatusdError('not_found', `incident ${incident.id} was opened by hand: no monitor alerted`, {
      hint: `\`statusd incidents show ${incident.id}\` shows all of it.`,
    });
  }
  const { monitor: id, name } = incident;
  return { monitor: findMonitor(id, openedStore) ?? { id, name, configured: null }, peer: null, incident };
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
  readonly isPresent: boolean;
}

/** The messages about the incident; as of now also whatever else waits about the monitor. */
function deliveriesOf(
  sql: SqlReader,
  { monitor, incident, isPresent }: DeliveryQuery,
): readonly DeliveryRow[] {
  const own = incident === null ? [] : outbox.ofIncident(sql, incident.uid);
  if (!isPresent) return own;
  const ids = new Set(own.map(({ id }) => id));
  const waiting = outbox
    .listTroubled(sql, maxTroubled)
    .filter((row) => row.monitor === monitor && row.state === 'waiting' && !ids.has(row.id));
  return [...own, ...waiting.toReversed()];
}

function mutingOf(monitor: string, { store, config, nowAt }: OpenedStore): Muting {
  return muteOf(monitor, {
    nowAt,
    graph: graphOfMonitors(config.monitors),
    mutes: {
      silences: silences.active(store.sql, nowAt),
      maintenances: plannedMaintenance(store.sql, config, nowAt),
    },
  });
}
