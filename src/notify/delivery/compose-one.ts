/** Composes the message of one delivery from outbox, incident and configuration. */
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
import type { Down } from '../../engine/alerting/events/outage.ts';
import { readOutage } from '../../engine/alerting/events/outage-payload.ts';
import { readReminder, type Reminder } from '../../engine/alerting/events/reminder.ts';
import { readRecovery, type Recovered } from '../../engine/alerting/events/recovered.ts';
import type { Named, Severity } from '../../engine/alerting/events/event.ts';
import { severityWithHidden } from '../../engine/alerting/filter.ts';
import { copiesOf, messageOf } from '../../engine/alerting/copies.ts';
import { endsOf, failingOf, groupOf, namedOf } from '../../engine/alerting/group.ts';
import { type BlastRadius, impactedBy } from '../../engine/alerting/blast.ts';
import type { LaterGroup } from '../../engine/alerting/group.ts';
import { readVantage } from '../../engine/views/vantage.ts';
import { uidsOf } from './context.ts';
import { stillOver, wereOpenTogether } from './contents.ts';
import { type DeliveryContext, type MessageHead, named, nameOf } from './context.ts';
import { ackLinkOf, linkOf } from './links.ts';

/** A delivery that is to go out now. */
export interface Send {
  readonly row: DeliveryRow;
  readonly event: EventName;
  readonly cause: string | null;
  readonly later?: LaterGroup | null;
}

/** Null: what is stored cannot be read. */
export function composeOne(send: Send, context: DeliveryContext): Message | null {
  const { row, event } = send;
  const head = headOf(send, context);
  if (event === 'down') return downOf(send, head, context);
  if (event === 'degraded') return degradedOf(row, head, context);
  if (event === 'unstable') return unstableOf(row, head, context);
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
  const message = noticeMessageOf(event, { ...head, at }, source);
  if (message === null) return null;
  const { monitors } = context.settings.config;
  return { ...message, severity: severityWithHidden(event, message.severity, monitors) };
}

/** What every message has. */
export function headOf(send: Send, context: DeliveryContext): MessageHead {
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

function downOf(send: Send, head: MessageHead, context: DeliveryContext): Down | null {
  const { row, cause, later = null } = send;
  const payload = readOutage(row.payload);
  const incident = row.incident === null ? null : context.incident(row.incident);
  if (payload === null || incident === null) return null;
  const blast = blastOf(incident.monitor, row.channel, context);
  const hasDependents = (context.settings.graph.below.get(incident.monitor)?.length ?? 0) > 0;
  // A root that has dependents has a group from its first message on: what fails later joins it.
  const lead = messageOf(row.payload)?.lead ?? row.deliveryId;
  const ownGroup = hasDependents && context.settings.windowMs > 0 ? lead : null;
  return {
    ...head,
    event: 'down',
    severity: gradeOfAll('down', [incident.monitor, ...blast.down, ...blast.failing], context),
    at: incident.confirmedAt,
    monitor: { id: incident.monitor, name: nameOf(incident.monitor, context, incident.name) },
    startedAt: incident.startedAt,
    confirmedAt: incident.confirmedAt,
    reason: incident.reason,
    category: incident.category,
    ...latestOf(incident),
    ...(incident.carriedFrom !== null && { carried: incident.acknowledged }),
    snapshot: incident.snapshot,
    confirmation: payload.confirmation === '' ? null : payload.confirmation,
    cause: cause === null ? null : named(cause, context),
    impacted: [...blast.down, ...blast.failing].map((id) => named(id, context)),
    grouping: {
      groupId: (head.repeat === undefined ? null : groupOf(row.payload)) ?? later?.groupId ?? ownGroup,
      incidentIds: [incident.id, ...openIncidentsOf(blast.down, context)],
    },
    ...(blast.failing.length > 0 && { failing: blast.failing }),
    ...(later !== null && { isLater: true }),
    vantage: readVantage(incident.vantage),
    incidentId: incident.id,
    change: changeOf(payload),
    step: stepOf(row),
    knownAs: payload.knownAs,
  };
}

/** The latest reason of an outage, where that is not the first one. */
function latestOf(incident: IncidentRow | null) {
  const latest = incident?.latest ?? null;
  return latest === null ? {} : { latest };
}

function openIncidentsOf(monitors: readonly string[], { outages, incident }: DeliveryContext): number[] {
  return monitors.flatMap((id) => incident(outages().get(id)?.uid ?? '')?.id ?? []);
}

/** The severity of a message that names these monitors: the highest of any. */
export function gradeOfAll(
  event: 'down' | 'reminder' | 'unknown',
  ids: readonly string[],
  { settings }: DeliveryContext,
): Severity {
  const severity = severityOf(event, null);
  const isCritical = ids.some((id) => settings.monitors.get(id)?.critical === true);
  return isCritical ? 'critical' : severity;
}

const noBlast: BlastRadius = { down: [], failing: [] };

/**
 * The monitors that failed with an outage; none with a window of 0, which folds nothing. `channel`: without those that it
 * was sent a message about already; null: all of them.
 */
export function blastOf(monitor: string, channel: string | null, context: DeliveryContext): BlastRadius {
  const { graph, windowMs } = context.settings;
  if (windowMs === 0 || (graph.below.get(monitor)?.length ?? 0) === 0) return noBlast;
  const outages = context.outages();
  const outage = outages.get(monitor);
  return outage === undefined ? noBlast : impactedBy(outage, channel, { graph, outages, look: context.look });
}

function reminderOf(row: DeliveryRow, head: MessageHead, context: DeliveryContext): Reminder | null {
  const payload = readReminder(row.payload);
  const incident = row.incident === null ? null : context.incident(row.incident);
  if (payload === null || incident === null) return null;
  const blast = blastOf(incident.monitor, null, context).down;
  return {
    ...head,
    event: 'reminder',
    severity: gradeOfAll('reminder', [incident.monitor, ...blast], context),
    at: payload.dueAt,
    monitor: { id: incident.monitor, name: nameOf(incident.monitor, context, incident.name) },
    startedAt: incident.startedAt,
    reason: incident.reason,
    ...latestOf(incident),
    because: payload.category === undefined ? 'unacknowledged' : 'reason_changed',
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

function unstableOf(row: DeliveryRow, head: MessageHead, context: DeliveryContext): Message | null {
  const payload = readOutage(row.payload);
  if (payload === null || row.monitor === null) return null;
  const { startedAt, confirmedAt, downPercent, outages, spanMs, reason } = payload;
  const isCritical = context.settings.monitors.get(row.monitor)?.critical === true;
  return {
    ...head,
    event: 'unstable',
    severity: severityOf('unstable', { isCritical }),
    at: confirmedAt,
    monitor: named(row.monitor, context),
    startedAt,
    downPercent,
    outages: outages ?? 0,
    spanMs: spanMs ?? 0,
    reason,
    incidentIds: context.outagesSince(row.monitor, startedAt).map(({ id }) => id),
    step: stepOf(row),
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
  const healed = failingOf(row.payload).filter((id) => context.outageOf(id) === null);
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
    ...latestOf(incident),
    // Without a record of what its down named, everything that was part of the outage and is over too.
    impacted:
      ends === null && namedOf(row.payload) === null
        ? withoutOwn(incident, row.channel, context).map((id) => named(id, context))
        : namesOf([...ended, ...healed.map((id) => ({ monitor: id, name: id }))], context).filter(
            ({ id }) => id !== row.monitor,
          ),
    grouping: {
      groupId: payload.from === 'unstable' ? payload.alertId : groupOf(row.payload),
      incidentIds: [...(incident === null ? [] : [incident.id]), ...ended.map(({ id }) => id)],
    },
    isLate: payload.isLate,
    isRemoved: payload.isRemoved,
    ...(!payload.isRemoved && !context.settings.names.has(row.monitor) && { isGone: true }),
    incidentId: incident?.id ?? null,
    ...(payload.from === 'unstable' && { outages: payload.outages }),
    alertId: payload.alertId,
    knownAs: payload.knownAs,
  };
}

/** What was part of an outage, is over too, and has no message of its own on the channel. */
function withoutOwn(
  root: IncidentRow | null,
  channel: string,
  { outageOf, closedOf, alertsOf }: DeliveryContext,
): readonly string[] {
  const over = root?.impacted.filter((id) => outageOf(id) === null) ?? [];
  if (root === null || over.length === 0) return over;
  const own = closedOf(over)
    .filter((other) => wereOpenTogether(root, other))
    .filter(({ uid }) => {
      const has = (event: string, isOpen: (state: DeliveryRow['state']) => boolean) =>
        alertsOf(uid, event).some((row) => row.channel === channel && isOpen(row.state));
      return has('recovered', (state) => state !== 'dropped') || has('down', (state) => state === 'waiting');
    });
  const monitors = new Set(own.map(({ monitor }) => monitor));
  return over.filter((id) => !monitors.has(id));
}

/** Each monitor once, however often it was down. */
function namesOf(
  incidents: readonly Pick<IncidentRow, 'monitor' | 'name'>[],
  context: DeliveryContext,
): Named[] {
  const names = incidents.map(({ monitor, name }) => [monitor, nameOf(monitor, context, name)] as const);
  return [...new Map(names)].map(([id, name]) => ({ id, name }));
}
