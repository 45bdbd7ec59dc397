/** What a message named: its group, and the folded dependents of each delivery in it. */
import type { Operation } from '../../db/store/operation.ts';
import type { IncidentRow } from '../../db/tables/incidents.ts';
import { outbox, type DeliveryRow } from '../../db/tables/outbox.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { endsOf, type NamedBy, namedByOf, namedOf } from '../../engine/alerting/group.ts';
import { called } from '../../engine/alerting/escalate.ts';
import { freeIdOf } from '../../engine/alerting/ids.ts';
import { holdOf } from '../../engine/alerting/events/stored.ts';
import { type DeliveryContext, uidsOf } from './context.ts';
import type { Ready } from './plan.ts';

/** How many incidents fit into a row of the outbox; what is left out has a recovery of its own. */
export const mostRemembered = 4000;

export interface MessageContents {
  /** Null: the message named one monitor. */
  readonly groupId: string | null;
  /** Uids of incidents, by the delivery that named them. */
  readonly dependents: ReadonlyMap<string, readonly string[]>;
  /** Ids of monitors that were named as failing before they were confirmed down, by the delivery that named them. */
  readonly failing: ReadonlyMap<string, readonly string[]>;
}

/** A dependent that a delivery named. */
export interface Naming {
  readonly incident: string;
  readonly by: Ready;
  readonly groupId: string;
}

/** Every dependent that these deliveries named as down in their message. */
export function namingsOf(deliveries: readonly Ready[], { groupId, dependents }: MessageContents): Naming[] {
  if (groupId === null) return [];
  const alerts = deliveries.filter(({ event }) => event !== 'recovered');
  return alerts.flatMap((by) =>
    (dependents.get(by.row.deliveryId) ?? []).map((incident) => ({ incident, by, groupId })),
  );
}

/**
 * Remembers in the outbox that a dependent was named on a channel: in its own delivery, or in one made for it where
 * it is not routed to that channel, or where it ended while the message was on its way. None when that is written
 * already, or when it was notified on its own, or may have been: then it has a recovery of its own, which ends what it
 * named.
 */
export function operationsOfNaming(
  { incident: uid, by, groupId }: Naming,
  rowsOf: RowsOf,
  context: DeliveryContext,
): Operation[] {
  const incident = context.incident(uid);
  const { channel, incident: root, monitor } = by.row;
  if (incident === null || root === null) return [];
  const { startedAt, confirmedAt } = incident;
  const namedBy = { groupId, root };
  const rows = rowsOf(uid);
  const row = rows.find(
    (each) => each.event === 'down' && each.channel === channel && !wasDroppedUnnamed(each),
  );
  if (row === undefined) {
    const deliveryId = freeIdOf(`${uid}.down`, channel, rows);
    const payload = {
      startedAt,
      confirmedAt,
      windowEndsAt: confirmedAt,
      cause: monitor,
      namedBy,
      hold: null,
    };
    const delivery = { channel, event: 'down', monitor: incident.monitor, incident: uid, payload };
    return [
      outbox.put({ ...delivery, deliveryId, createdAt: context.nowAt, nextAt: context.nowAt }),
      outbox.sent({ deliveryId, at: context.nowAt }),
    ];
  }
  const known = namedByOf(row.payload);
  const isReceivedAlone = row.state !== 'waiting' || copiesOf(row.payload) !== null;
  if (isReceivedAlone || (known?.root === root && known.groupId === groupId)) return [];
  // What else is decided about it at this moment stays: its upstream may be up, and its own alert due.
  // The escalation of a dependent counts from the message that named it.
  const changes = { namedBy, ...called(row, context.nowAt) };
  return [outbox.change({ deliveryId: row.deliveryId, changes, nextAt: null })];
}

/** The channel was sent nothing about it, as far as is written. */
function wasDroppedUnnamed({ state, payload }: DeliveryRow): boolean {
  return state === 'dropped' && copiesOf(payload) === null && namedByOf(payload) === null;
}

type RowsOf = (uid: string) => readonly DeliveryRow[];

interface Recovery extends Pick<DeliveryRow, 'channel' | 'incident'> {
  /** Uids of the incidents that its down named. */
  readonly named: readonly string[];
}

/** Whether one of these deliveries about an incident is a recovery for a channel. */
export function hasRecovery(rows: readonly DeliveryRow[], channel: string): boolean {
  return rows.some((row) => row.event === 'recovered' && row.channel === channel);
}

/** The message that named an incident on the channel of these deliveries; null: none did. */
function namedByIn(rows: readonly DeliveryRow[]): NamedBy | null {
  for (const { event, payload } of rows) {
    const namedBy = event === 'down' ? namedByOf(payload) : null;
    if (namedBy !== null) return namedBy;
  }
  return null;
}

/**
 * Uids of the incidents that a recovery ends beside its own: of those its down named, the ones that are over by now,
 * whose monitors are not down again, and that have neither a message of their own nor another recovery on the
 * channel; then what was folded into it later.
 */
export function endedWith(root: Recovery, rowsOf: RowsOf, context: DeliveryContext): string[] {
  const { named } = root;
  const known = new Set(named);
  const over = stillOver(named, context).filter((uid) => {
    const rows = rowsOf(uid).filter(({ channel }) => channel === root.channel);
    if (hasRecovery(rows, root.channel)) return false;
    const namedBy = namedByIn(rows);
    if (namedBy !== null) return namedBy.root === root.incident;
    return !rows.some(({ event, state }) => event === 'down' && state === 'sent');
  });
  return [...over, ...foldedSince(root, rowsOf, context).filter((uid) => !known.has(uid))];
}

/** Those of these incidents that are over, and whose monitors are not down again: any other would read as up. */
export function stillOver(uids: readonly string[], { incident, outageOf }: DeliveryContext): string[] {
  return uids.filter((uid) => {
    const found = incident(uid);
    return found !== null && found.endedAt !== null && outageOf(found.monitor) === null;
  });
}

/** The uids of the incidents that a recovery ended, or ends, beside its own. */
export function endedBy({ payload }: Pick<DeliveryRow, 'payload'>, context: DeliveryContext): string[] {
  return uidsOf(endsOf(payload) ?? namedOf(payload) ?? [], context);
}

type IncidentSpan = Pick<IncidentRow, 'startedAt' | 'endedAt'>;

/** Whether two incidents lay in each other at some time. */
export function wereOpenTogether(one: IncidentSpan, other: IncidentSpan): boolean {
  return other.startedAt <= (one.endedAt ?? Infinity) && (other.endedAt ?? Infinity) >= one.startedAt;
}

/** What failed after the down was sent, was folded into it, and is up again: no message named it so far. */
function foldedSince(
  { channel, incident: uid }: Pick<DeliveryRow, 'channel' | 'incident'>,
  rowsOf: RowsOf,
  { incident, closedOf, outageOf, stateOf }: DeliveryContext,
): string[] {
  const root = uid === null ? null : incident(uid);
  if (root === null || root.impacted.length === 0) return [];
  // What is down again has a message of its own, or will be named by one: here it would read as up. So would what was
  // out of the configuration and was not checked since it came back.
  const isKnown = (monitor: string) => (stateOf(monitor)?.knownAt ?? null) !== null;
  const over = root.impacted.filter((monitor) => outageOf(monitor) === null && isKnown(monitor));
  return closedOf(over)
    .filter((other) => wereOpenTogether(root, other))
    .filter((other) => {
      const rows = rowsOf(other.uid).filter((row) => row.channel === channel);
      const namedBy = namedByIn(rows);
      const isElsewhere = namedBy !== null && namedBy.root !== root.uid;
      const hasOwn = hasRecovery(rows, channel);
      return !isElsewhere && !hasOwn && rows.some((row) => isFoldedInto(root.monitor, row));
    })
    .map((other) => other.uid);
}

function isFoldedInto(monitor: string, { event, state, payload }: DeliveryRow): boolean {
  const hold = holdOf(payload);
  if (event !== 'down' || state !== 'dropped') return false;
  return hold?.reason === 'folded' && hold.by?.split(' ').includes(monitor) === true;
}
