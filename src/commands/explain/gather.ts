/** Finds the monitor or incident to explain. */
import type { Peer } from '../../engine/config/config.ts';
import type { IncidentRow } from '../../db/tables/incidents.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { ExplainFacts } from '../../engine/views/explain-facts.ts';
import { peerNamed } from '../../engine/views/peers.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { oneMonitorNamed, selectablePeer } from '../../engine/operations/select-monitors.ts';
import { readOldHours } from '../../db/store/history.ts';
import { explainedSpan, explainFactsOf, type ExplainSubject } from '../../serve/scope/explanation.ts';
import {
  findIncident,
  findMonitor,
  isMonitorId,
  type KnownMonitor,
  monitorHint,
} from '../incidents/known.ts';
import type { OpenedStore } from '../open-store.ts';

interface AskedTime {
  /** As typed; null: nothing was. */
  readonly at: string | null;
  /** Null: the present. */
  readonly askedAt: number | null;
}

/**
 * `subject`: a monitor's id, a peer's `listen_id` or id, an incident's number, uid or `last`, or the name of a monitor or
 * peer; looked for in that order.
 * Rejects with `not_found`, with `usage` for an incident at a time, and with `store_unusable` when old samples cannot be read.
 */
export async function gatherFactsAt(
  subject: string,
  { at: typedAt, askedAt }: AskedTime,
  openedStore: OpenedStore,
): Promise<ExplainFacts> {
  const { store, config, nowAt } = openedStore;
  const found = find(subject, openedStore);
  if (found.incident !== null && askedAt !== null) throw untimely(found.incident, typedAt);
  const older = await readOldHours(store, found.monitor.id, explainedSpan(askedAt, nowAt));
  return explainFactsOf(found, askedAt, { sql: store.sql, config, nowAt, older });
}

/** The same as of the present, of which all samples are in memory. Throws `not_found`. */
export function gatherFacts(subject: string, openedStore: OpenedStore): ExplainFacts {
  const { store, config, nowAt } = openedStore;
  return explainFactsOf(find(subject, openedStore), null, { sql: store.sql, config, nowAt });
}

function untimely({ id, monitor }: IncidentRow, at: string | null): StatusdError {
  return new StatusdError(
    'usage',
    `--at cannot be used with incident ${id}: an incident is explained as a whole`,
    {
      hint: `\`statusd explain ${cleanLine(monitor)} --at ${cleanLine(at ?? '')}\` explains its monitor at that time.`,
    },
  );
}

function find(subject: string, openedStore: OpenedStore): ExplainSubject {
  const { peers } = openedStore.config;
  const ofMonitor = (monitor: KnownMonitor) => ({ monitor, peer: null, incident: null });
  const ofPeer = (peer: Peer) => ({
    monitor: { id: peer.id, name: peer.name, configured: null },
    peer,
    incident: null,
  });
  const byId = isMonitorId(subject, openedStore) ? findMonitor(subject, openedStore) : null;
  const peerById = peerNamed(subject, peers);
  if (peerById !== null && (byId?.configured ?? null) === null) return ofPeer(peerById);
  if (byId !== null) return ofMonitor(byId);
  const incident = findIncident(subject, openedStore);
  if (incident === null) {
    const byName = findMonitor(subject, openedStore);
    if (byName !== null) return ofMonitor(byName);
    const peerByName = oneMonitorNamed(peers.map(selectablePeer), subject);
    const peer = peers.find(({ listen_id }) => listen_id === peerByName?.id);
    if (peer !== undefined) return ofPeer(peer);
    const listenIds = peers.map(({ listen_id }) => listen_id);
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
