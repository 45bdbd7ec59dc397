/** Makes a message of deliveries: the facts of the outbox, the incident and the config brought together. */
import type { IncidentRow } from '../../db/tables/incidents.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import {
  type EventName,
  type Message,
  noticeMessageOf,
  severityOf,
} from '../../engine/alerting/events/catalogue.ts';
import { fieldsOf, numberIn } from '../../engine/alerting/events/stored.ts';
import { stepOf } from '../../engine/alerting/events/added-by.ts';
import { changeOf } from '../../engine/alerting/events/recent-change.ts';
import { type Down, readOutage, type SeenFrom } from '../../engine/alerting/events/outage.ts';
import { readReminder, type Reminder } from '../../engine/alerting/events/reminder.ts';
import { readRecovery, type Recovered } from '../../engine/alerting/events/recovered.ts';
import type { Named } from '../../engine/alerting/events/event.ts';
import type { Yielder } from '../../engine/core/yielding.ts';
import { copiesOf, messageOf } from '../../engine/alerting/copies.ts';
import { endsOf, groupOf, namedOf } from '../../engine/alerting/group.ts';
import { idOfAll } from '../../engine/alerting/ids.ts';
import { impactedBy } from '../../engine/alerting/fold.ts';
import { readVantage } from '../../engine/views/vantage.ts';
import { type MessageContents, stillOver, uidsOf } from './contents.ts';
import { composeChecksAgain, composeUnknown } from './compose-unknown.ts';
import { type DeliveryContext, type MessageHead, named, nameOf } from './context.ts';
import { ackLinkOf, linkOf } from './links.ts';

/** A delivery that is to go out now. */
export interface Send {
  readonly row: DeliveryRow;
  readonly event: EventName;
  readonly cause: string | null;
}

export interface ComposedMessage {
  readonly message: Message;
  readonly contents: MessageContents;
}

/** The message of one delivery, or of several of one event the first of which leads; null: unreadable. */
export async function compose(
  deliveries: readonly [Send, ...Send[]],
  context: DeliveryContext,
  yielder: Yielder,
): Promise<ComposedMessage | null> {
  const composed = await contentsOf(deliveries, context, yielder);
  if (composed === null) return null;
  return { ...composed, message: { ...composed.message, deliveryId: messageIdOf(deliveries) } };
}

/**
 * The id that receivers recognise a message of these deliveries by: what was in no other message before has one that says
 * what is in it. So whoever discards what is known misses nothing that is new.
 */
export function messageIdOf([first, ...others]: readonly [Send, ...Send[]]): string {
  const given = messageOf(first.row.payload)?.as;
  const isGiven = others.every(({ row }) => messageOf(row.payload)?.as === given);
  return given !== undefined && isGiven ? given : idOfAll([idOf(first), ...others.map(idOf)]);
}

/** What is said of an outage when it is over already is another message than its alert, which may have come. */
function idOf({ row, event }: Send): string {
  const isLate = event === 'recovered' && readRecovery(row.payload)?.isLate === true;
  return isLate ? `${row.deliveryId}.late` : row.deliveryId;
}

async function contentsOf(
  deliveries: readonly [Send, ...Send[]],
  context: DeliveryContext,
  yielder: Yielder,
): Promise<ComposedMessage | null> {
  const [first, ...others] = deliveries;
  const aboutChecks = composeAboutChecks(deliveries, context);
  if (aboutChecks !== undefined) return aboutChecks;
  const dependents = new Map<string, readonly number[]>();
  const message = composeOne(first, context);
  if (message === null) return null;
  if (message.event === 'reminder') return remindersOf(message, others, context);
  if (message.event !== 'down' && message.event !== 'recovered')
    return { message, contents: { groupId: null, dependents: new Map() } };
  const rest: (Down | Recovered)[] = [];
  for (const send of others) {
    await yielder.pass();
    const other = composeOne(send, context);
    if (other?.event === 'down' || other?.event === 'recovered') {
      rest.push(other);
      dependents.set(send.row.deliveryId, other.grouping.incidentIds);
    }
  }
  dependents.set(first.row.deliveryId, message.grouping.incidentIds);
  const together = rest.length === 0 ? message : joined(message, rest);
  const isAlone = together.impacted.length === 0;
  const groupId =
    together.grouping.groupId ??
    (message.event === 'recovered' || isAlone
      ? null
      : (messageOf(first.row.payload)?.lead ?? first.row.deliveryId));
  return {
    message: {
      ...together,
      grouping: {
        ...together.grouping,
        groupId,
        incidentUids: uidsOf(together.grouping.incidentIds, context),
      },
    },
    contents: { groupId, dependents: withoutOwn(dependents, [message, ...rest], context) },
  };
}

/** One message that reminds of several outages. */
function remindersOf(message: Reminder, others: readonly Send[], context: DeliveryContext): ComposedMessage {
  const all = [message, ...others.map((send) => composeOne(send, context))].flatMap((each) =>
    each?.event === 'reminder' ? each : [],
  );
  const named = all.flatMap(({ monitor, impacted }) => [monitor, ...impacted]);
  const impacted = new Map(named.map((each) => [each.id, each]));
  impacted.delete(message.monitor.id);
  const incidentIds = [...new Set(all.flatMap((each) => each.incidentIds))];
  return {
    message: { ...message, impacted: [...impacted.values()], incidentIds },
    contents: { groupId: null, dependents: new Map() },
  };
}

/** The uids; a dependent with a delivery of its own in the message is not named by another one. */
function withoutOwn(
  dependents: ReadonlyMap<string, readonly number[]>,
  messages: readonly (Down | Recovered)[],
  context: DeliveryContext,
): MessageContents['dependents'] {
  const own = new Set(messages.map(({ incidentId }) => incidentId));
  const others = (named: readonly number[]) => named.filter((incident) => !own.has(incident));
  return new Map([...dependents].map(([id, named]) => [id, uidsOf(others(named), context)]));
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
  const changes = [together, ...rest].flatMap((each) => (each.event === 'down' ? (each.change ?? []) : []));
  return { ...together, vantage: agreedOn(views), change: changes[0] ?? null };
}

/** What each peer says of every outage it was asked about; a peer that contradicts itself is left out. */
function agreedOn(all: readonly (readonly SeenFrom[] | null)[]): SeenFrom[] | null {
  const asked = all.filter((views) => views !== null);
  if (asked.length === 0) return null;
  const byPeer = new Map<string | null, SeenFrom[]>();
  for (const view of asked.flat()) byPeer.set(view.peer, [...(byPeer.get(view.peer) ?? []), view]);
  return [...byPeer.values()].flatMap((views) => {
    const said = views.filter(({ verdict }) => verdict !== null);
    const [first] = said.length === 0 ? views : said;
    return first === undefined || said.some(({ verdict }) => verdict !== first.verdict) ? [] : [first];
  });
}

function composeOne(send: Send, context: DeliveryContext): Message | null {
  const { row, event } = send;
  const head = headOf(send, context);
  if (event === 'down') return downOf(send, head, context);
  if (event === 'degraded') return degradedOf(row, head, context);
  if (event === 'reminder') return reminderOf(row, head, context);
  if (event === 'recovered') return recoveredOf(row, head, context);
  const fields = fieldsOf(row.payload);
  const at = numberIn(fields, 'at') ?? row.createdAt;
  const source = {
    fields,
    at,
    nowAt: context.nowAt,
    about: named(row.monitor ?? '', context),
    named: (id: string) => named(id, context),
    node: context.settings.config.health.id,
  };
  return noticeMessageOf(event, { ...head, at }, source);
}

/** Of monitors that cannot be checked, or can be again; undefined when it is about anything else. */
function composeAboutChecks(
  deliveries: readonly [Send, ...Send[]],
  context: DeliveryContext,
): ComposedMessage | null | undefined {
  const [first, ...others] = deliveries;
  const rows = [first.row, ...others.map(({ row }) => row)] as const;
  const isOver = first.event === 'recovered' && readRecovery(first.row.payload)?.from === 'unknown';
  if (first.event !== 'unknown' && !isOver) return undefined;
  const head = headOf(first, context);
  const message = isOver ? composeChecksAgain(rows, head, context) : composeUnknown(rows, head, context);
  return message && { message, contents: { groupId: null, dependents: new Map() } };
}

function headOf(send: Send, context: DeliveryContext): MessageHead {
  const { row } = send;
  const copies = copiesOf(row.payload);
  const ack = ackLinkOf(send, context);
  return {
    deliveryId: row.deliveryId,
    isTest: false,
    link: linkOf(send, context),
    ...(copies !== null && { repeat: copies.count }),
    ...(ack !== null && { ack }),
  };
}

function downOf({ row, cause }: Send, head: MessageHead, context: DeliveryContext): Down | null {
  const payload = readOutage(row.payload);
  const incident = row.incident === null ? null : context.incident(row.incident);
  if (payload === null || incident === null) return null;
  const blast = blastOf(incident.monitor, context);
  return {
    ...head,
    event: 'down',
    severity: severityOf('down', null),
    at: incident.confirmedAt,
    monitor: { id: incident.monitor, name: nameOf(incident.monitor, context, incident.name) },
    startedAt: incident.startedAt,
    confirmedAt: incident.confirmedAt,
    reason: incident.reason,
    category: incident.category,
    snapshot: incident.snapshot,
    confirmation: payload.confirmation === '' ? null : payload.confirmation,
    cause: cause === null ? null : named(cause, context),
    impacted: blast.map((id) => named(id, context)),
    grouping: {
      groupId: head.repeat === undefined ? null : groupOf(row.payload),
      incidentIds: [incident.id, ...openIncidentsOf(blast, context)],
    },
    vantage: readVantage(incident.vantage),
    incidentId: incident.id,
    change: changeOf(payload),
    step: stepOf(row),
  };
}

function openIncidentsOf(monitors: readonly string[], { outages, incident }: DeliveryContext): number[] {
  return monitors.flatMap((id) => incident(outages().get(id)?.uid ?? '')?.id ?? []);
}

/** The monitors whose outages are part of this one's; none with a window of 0, which folds nothing. */
export function blastOf(monitor: string, context: DeliveryContext): readonly string[] {
  const { graph, windowMs } = context.settings;
  if (windowMs === 0 || (graph.below.get(monitor)?.length ?? 0) === 0) return [];
  const outages = context.outages();
  const outage = outages.get(monitor);
  return outage === undefined ? [] : impactedBy(graph, outages, outage);
}

function reminderOf(row: DeliveryRow, head: MessageHead, context: DeliveryContext): Reminder | null {
  const payload = readReminder(row.payload);
  const incident = row.incident === null ? null : context.incident(row.incident);
  if (payload === null || incident === null) return null;
  const blast = blastOf(incident.monitor, context);
  return {
    ...head,
    event: 'reminder',
    severity: severityOf('reminder', null),
    at: payload.dueAt,
    monitor: { id: incident.monitor, name: nameOf(incident.monitor, context, incident.name) },
    startedAt: incident.startedAt,
    reason: incident.reason,
    number: payload.number,
    impacted: blast.map((id) => named(id, context)),
    incidentId: incident.id,
    incidentIds: [incident.id, ...openIncidentsOf(blast, context)],
  };
}

function degradedOf(row: DeliveryRow, head: MessageHead, context: DeliveryContext): Message | null {
  const payload = readOutage(row.payload);
  if (payload === null || row.monitor === null) return null;
  return {
    ...head,
    event: 'degraded',
    severity: severityOf('degraded', null),
    at: payload.confirmedAt,
    monitor: named(row.monitor, context),
    startedAt: payload.startedAt,
    latencyMs: payload.latencyMs,
    limitMs: payload.limitMs,
    reason: payload.reason,
    confirmation: payload.confirmation === '' ? null : payload.confirmation,
    change: changeOf(payload),
  };
}

function recoveredOf(row: DeliveryRow, head: MessageHead, context: DeliveryContext): Recovered | null {
  const payload = readRecovery(row.payload);
  if (payload === null || row.monitor === null) return null;
  const incident = payload.from === 'down' && row.incident !== null ? context.incident(row.incident) : null;
  const ends = endsOf(row.payload);
  // A copy leaves out what the message it repeats named and is down again: it would read as up.
  const fixed = uidsOf(ends ?? [], context);
  const over = head.repeat === undefined ? fixed : stillOver(fixed, context);
  const ended = over.flatMap((uid) => context.incident(uid) ?? []);
  return {
    ...head,
    event: 'recovered',
    severity: severityOf('recovered', null),
    at: payload.endedAt,
    monitor: { id: row.monitor, name: nameOf(row.monitor, context, incident?.name ?? row.monitor) },
    from: payload.from,
    startedAt: payload.startedAt,
    endedAt: payload.endedAt,
    reason: incident?.reason ?? null,
    // Without a record of what its down named, everything that was part of the outage and is over too.
    impacted:
      ends === null && namedOf(row.payload) === null
        ? (incident?.impacted ?? [])
            .filter((id) => context.outageOf(id) === null)
            .map((id) => named(id, context))
        : namesOf(ended, context).filter(({ id }) => id !== row.monitor),
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
function namesOf(incidents: readonly IncidentRow[], context: DeliveryContext): Named[] {
  const names = incidents.map(({ monitor, name }) => [monitor, nameOf(monitor, context, name)] as const);
  return [...new Map(names)].map(([id, name]) => ({ id, name }));
}
