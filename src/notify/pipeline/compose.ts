/** Makes a message of deliveries: the facts of the outbox, the incident and the config brought together. */
import type { IncidentRow } from '../../db/topics/incidents.ts';
import type { DeliveryRow } from '../../db/topics/outbox.ts';
import type { EventName } from '../../engine/core/tell/event.ts';
import type { Slices } from '../../engine/loop/slices.ts';
import { copiesOf } from '../../engine/core/tell/copies.ts';
import { endsOf, groupOf, namedOf } from '../../engine/core/tell/group.ts';
import { impactedBy } from '../../engine/core/tell/outage.ts';
import { readOutage, readRecovery } from '../../engine/core/tell/payload.ts';
import { readVantage } from '../../engine/views/vantage.ts';
import type { Down, Message, Named, Recovered, VantageView } from '../message.ts';
import type { Contents } from './contents.ts';
import { composeNotice } from './compose-notice.ts';
import { composeChecksAgain, composeUnknown } from './compose-unknown.ts';
import type { Facts } from './facts.ts';
import { named, nameOf, type Envelope } from './name.ts';

/** A delivery that is to go out now. */
export interface Send {
  readonly row: DeliveryRow;
  readonly event: EventName;
  readonly cause: string | null;
}

export interface Composed {
  readonly message: Message;
  readonly contents: Contents;
}

/** The message of one delivery, or of several of one event whose first one speaks for all; null: unreadable. */
export async function compose(
  deliveries: readonly [Send, ...Send[]],
  facts: Facts,
  slices: Slices,
): Promise<Composed | null> {
  const [first, ...others] = deliveries;
  const aboutChecks = composeAboutChecks(deliveries, facts);
  if (aboutChecks !== undefined) return aboutChecks;
  const dependents = new Map<string, readonly number[]>();
  const message = composeOne(first, facts);
  if (message === null) return null;
  if (message.event !== 'down' && message.event !== 'recovered')
    return { message, contents: { groupId: null, dependents } };
  const rest: (Down | Recovered)[] = [];
  for (const send of others) {
    await slices.pass();
    const other = composeOne(send, facts);
    if (other?.event === 'down' || other?.event === 'recovered') {
      rest.push(other);
      dependents.set(send.row.deliveryId, other.grouping.incidentIds.slice(1));
    }
  }
  dependents.set(first.row.deliveryId, message.grouping.incidentIds.slice(1));
  const together = rest.length === 0 ? message : joined(message, rest);
  const isAlone = together.impacted.length === 0;
  const groupId =
    together.grouping.groupId ?? (message.event === 'recovered' || isAlone ? null : message.deliveryId);
  return {
    message: { ...together, grouping: { ...together.grouping, groupId } },
    contents: { groupId, dependents: withoutOwn(dependents, [message, ...rest]) },
  };
}

/** A dependent with a delivery of its own in the message is not named by another one. */
function withoutOwn(
  dependents: ReadonlyMap<string, readonly number[]>,
  messages: readonly (Down | Recovered)[],
): Contents['dependents'] {
  const own = new Set(messages.map(({ incidentId }) => incidentId));
  return new Map([...dependents].map(([id, named]) => [id, named.filter((incident) => !own.has(incident))]));
}

function joined(message: Down | Recovered, rest: readonly (Down | Recovered)[]): Down | Recovered {
  const incidentIds = [...new Set([message, ...rest].flatMap(({ grouping }) => grouping.incidentIds))];
  const grouping = { ...message.grouping, incidentIds };
  const impactedOf = [
    ...rest.flatMap(({ monitor, impacted }) => [monitor, ...impacted]),
    ...message.impacted,
  ];
  const all = new Map(impactedOf.map((named) => [named.id, named]));
  all.delete(message.monitor.id);
  const together = { ...message, impacted: [...all.values()], grouping };
  if (together.event !== 'down') return together;
  const views = [together, ...rest].map((each) => (each.event === 'down' ? each.vantage : null));
  return { ...together, vantage: agreedOn(views) };
}

/** What each peer says of every outage it was asked about; whoever says now this and now that is left out. */
function agreedOn(all: readonly (readonly VantageView[] | null)[]): VantageView[] | null {
  const asked = all.filter((views) => views !== null);
  if (asked.length === 0) return null;
  const byPeer = new Map<string | null, VantageView[]>();
  for (const view of asked.flat()) byPeer.set(view.peer, [...(byPeer.get(view.peer) ?? []), view]);
  return [...byPeer.values()].flatMap((views) => {
    const said = views.filter(({ verdict }) => verdict !== null);
    const [first] = said.length === 0 ? views : said;
    return first === undefined || said.some(({ verdict }) => verdict !== first.verdict) ? [] : [first];
  });
}

function composeOne(send: Send, facts: Facts): Message | null {
  const { row, event } = send;
  const envelope = envelopeOf(send, facts);
  switch (event) {
    case 'unknown':
      return composeUnknown([row], envelope, facts);
    case 'down':
      return downOf(send, envelope, facts);
    case 'degraded':
      return degradedOf(row, envelope, facts);
    case 'recovered':
      return recoveredOf(row, envelope, facts);
    case 'alert':
    case 'channel_failing':
    case 'cert_expiring':
    case 'cert_changed':
    case 'domain_expiring':
    case 'budget_burn':
    case 'peer_down':
    case 'peer_recovered':
    case 'peer_link_degraded':
    case 'node_blind':
    case 'storage_failing':
    case 'digest':
    case 'test':
      return composeNotice({ row, event, envelope }, facts);
  }
}

/** Of monitors that cannot be checked, or can be again; undefined when it is about anything else. */
function composeAboutChecks(
  deliveries: readonly [Send, ...Send[]],
  facts: Facts,
): Composed | null | undefined {
  const [first, ...others] = deliveries;
  const rows = [first.row, ...others.map(({ row }) => row)] as const;
  const isOver = first.event === 'recovered' && readRecovery(first.row.payload)?.from === 'unknown';
  if (first.event !== 'unknown' && !isOver) return undefined;
  const envelope = envelopeOf(first, facts);
  const message = isOver ? composeChecksAgain(rows, envelope, facts) : composeUnknown(rows, envelope, facts);
  return message && { message, contents: { groupId: null, dependents: new Map() } };
}

function envelopeOf({ row }: Send, { setting }: Facts): Envelope {
  const copies = copiesOf(row.payload);
  return {
    deliveryId: copies?.as ?? row.deliveryId,
    isTest: false,
    link: setting.config.server.base_url,
    ...(copies !== null && { repeat: copies.count }),
  };
}

function downOf({ row, cause }: Send, envelope: Envelope, facts: Facts): Down | null {
  const payload = readOutage(row.payload);
  const incident = row.incident === null ? null : facts.incident(row.incident);
  if (payload === null || incident === null) return null;
  const blast = blastOf(incident.monitor, facts);
  return {
    ...envelope,
    event: 'down',
    severity: 'error',
    at: incident.confirmedAt,
    monitor: { id: incident.monitor, name: nameOf(incident.monitor, facts, incident.name) },
    startedAt: incident.startedAt,
    confirmedAt: incident.confirmedAt,
    reason: incident.reason,
    category: incident.category,
    snapshot: incident.snapshot,
    confirmation: payload.confirmation === '' ? null : payload.confirmation,
    cause: cause === null ? null : named(cause, facts),
    impacted: blast.map((id) => named(id, facts)),
    grouping: {
      groupId: envelope.repeat === undefined ? null : groupOf(row.payload),
      incidentIds: [incident.id, ...openIncidentsOf(blast, facts)],
    },
    vantage: readVantage(incident.vantage),
    incidentId: incident.id,
  };
}

function openIncidentsOf(monitors: readonly string[], { outages, incident }: Facts): number[] {
  return monitors.flatMap((id) => incident(outages().get(id)?.uid ?? '')?.id ?? []);
}

/** The monitors whose outages are part of this one's; none with a window of 0, which folds nothing. */
export function blastOf(monitor: string, facts: Facts): readonly string[] {
  const { graph, windowMs } = facts.setting;
  if (windowMs === 0 || (graph.below.get(monitor)?.length ?? 0) === 0) return [];
  const outages = facts.outages();
  const outage = outages.get(monitor);
  return outage === undefined ? [] : impactedBy(graph, outages, outage);
}

function degradedOf(row: DeliveryRow, envelope: Envelope, facts: Facts): Message | null {
  const payload = readOutage(row.payload);
  if (payload === null || row.monitor === null) return null;
  return {
    ...envelope,
    event: 'degraded',
    severity: 'warning',
    at: payload.confirmedAt,
    monitor: named(row.monitor, facts),
    startedAt: payload.startedAt,
    latencyMs: payload.latencyMs,
    limitMs: payload.limitMs,
    reason: payload.reason,
    confirmation: payload.confirmation === '' ? null : payload.confirmation,
  };
}

function recoveredOf(row: DeliveryRow, envelope: Envelope, facts: Facts): Recovered | null {
  const payload = readRecovery(row.payload);
  if (payload === null || row.monitor === null) return null;
  const incident = payload.from === 'down' && row.incident !== null ? facts.incident(row.incident) : null;
  const ends = endsOf(row.payload);
  const ended = (ends ?? []).flatMap((id) => facts.incidentById(id) ?? []);
  return {
    ...envelope,
    event: 'recovered',
    severity: 'info',
    at: payload.endedAt,
    monitor: { id: row.monitor, name: nameOf(row.monitor, facts, incident?.name ?? row.monitor) },
    from: payload.from,
    startedAt: payload.startedAt,
    endedAt: payload.endedAt,
    reason: incident?.reason ?? null,
    // Without a record of what its down named, everything that was part of the outage and is over too.
    impacted:
      ends === null && namedOf(row.payload) === null
        ? (incident?.impacted ?? []).filter((id) => facts.outageOf(id) === null).map((id) => named(id, facts))
        : namesOf(ended, facts).filter(({ id }) => id !== row.monitor),
    grouping: {
      groupId: groupOf(row.payload),
      incidentIds: [...(incident === null ? [] : [incident.id]), ...ended.map(({ id }) => id)],
    },
    isLate: payload.isLate,
    isRemoved: payload.isRemoved,
    incidentId: incident?.id ?? null,
  };
}

/** Each monitor once, however often it was down. */
function namesOf(incidents: readonly IncidentRow[], facts: Facts): Named[] {
  const names = incidents.map(({ monitor, name }) => [monitor, nameOf(monitor, facts, name)] as const);
  return [...new Map(names)].map(([id, name]) => ({ id, name }));
}
