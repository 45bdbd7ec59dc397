/** Makes a message of deliveries: the facts of the outbox, the incident and the config brought together. */
import type { DeliveryRow } from '../../db/topics/outbox.ts';
import type { EventName } from '../../engine/core/tell/event.ts';
import type { Slices } from '../../engine/loop/slices.ts';
import { impactedBy } from '../../engine/core/tell/outage.ts';
import { readOutage, readRecovery } from '../../engine/core/tell/payload.ts';
import { readVantage } from '../../engine/views/vantage.ts';
import type { Down, Message, Recovered, VantageView } from '../message.ts';
import { composeNotice } from './compose-notice.ts';
import type { Facts } from './facts.ts';
import { named, nameOf, type Envelope } from './name.ts';

/** A delivery that is to go out now. */
export interface Send {
  readonly row: DeliveryRow;
  readonly event: EventName;
  readonly cause: string | null;
}

/** The message of one delivery, or of several of one event whose first one speaks for all; null: unreadable. */
export async function compose(
  [first, ...others]: readonly [Send, ...Send[]],
  facts: Facts,
  slices: Slices,
): Promise<Message | null> {
  const message = composeOne(first, facts);
  if (message === null || others.length === 0) return message;
  if (message.event !== 'down' && message.event !== 'recovered') return message;
  const rest: (Down | Recovered)[] = [];
  for (const send of others) {
    await slices.pass();
    const other = composeOne(send, facts);
    if (other?.event === 'down' || other?.event === 'recovered') rest.push(other);
  }
  const impactedOf = [
    ...rest.flatMap(({ monitor, impacted }) => [monitor, ...impacted]),
    ...message.impacted,
  ];
  const all = new Map(impactedOf.map((named) => [named.id, named]));
  all.delete(message.monitor.id);
  const together = { ...message, impacted: [...all.values()] };
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
  const envelope: Envelope = {
    deliveryId: row.deliveryId,
    isTest: false,
    link: facts.setting.config.server.base_url,
  };
  switch (event) {
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

function downOf({ row, cause }: Send, envelope: Envelope, facts: Facts): Down | null {
  const payload = readOutage(row.payload);
  const incident = row.incident === null ? null : facts.incident(row.incident);
  if (payload === null || incident === null) return null;
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
    impacted: blastOf(incident.monitor, facts).map((id) => named(id, facts)),
    vantage: readVantage(incident.vantage),
    incidentId: incident.id,
  };
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
    impacted: (incident?.impacted ?? []).map((id) => named(id, facts)),
    isLate: payload.isLate,
    incidentId: incident?.id ?? null,
  };
}
