/** What a delivery remembers of the message that named its monitor, so that each named monitor has one recovery. */
import { type EventFields, fieldsOf, numberIn, type PayloadJson, textIn, textsIn } from './events/stored.ts';

/** A dependent that was named in the message about its upstream, and has not had one of its own since. */
export interface NamedBy {
  readonly groupId: string;
  /** The uid of the incident whose recovery lists it, if it is up by then. */
  readonly root: string;
}

/** The message below whose root a dependent is told later, with others that failed since. */
export interface LaterGroup {
  /** The uid of the outage of the root. */
  readonly root: string;
  readonly groupId: string;
  /** 1 is the first of the root on the channel. */
  readonly number: number;
}

/** What all deliveries have in common that one message named; null: that message named one monitor. */
export function groupOf(payload: PayloadJson): string | null {
  return textIn(fieldsOf(payload), 'groupId');
}

export function namedByOf(payload: PayloadJson): NamedBy | null {
  const fields = fieldsOf(fieldsOf(payload)['namedBy'] ?? null);
  const [groupId, root] = [textIn(fields, 'groupId'), textIn(fields, 'root')];
  return groupId === null || root === null ? null : { groupId, root };
}

/** Ids of the monitors that a down named as failing before they were confirmed down. */
export function failingOf(payload: PayloadJson): readonly string[] {
  return textsIn(fieldsOf(payload), 'failing');
}

/** The later group of a root that a down was sent in; null: it was sent in none. */
export function laterGroupOf(payload: PayloadJson): LaterGroup | null {
  const fields = fieldsOf(fieldsOf(payload)['later'] ?? null);
  const [root, groupId, number] = [
    textIn(fields, 'root'),
    textIn(fields, 'groupId'),
    numberIn(fields, 'number'),
  ];
  return root === null || groupId === null || number === null ? null : { root, groupId, number };
}

/** The mark of a down that was sent in a later group. */
export function laterMark(later: LaterGroup | null): EventFields {
  return later === null ? {} : { later: { ...later } };
}

/** An incident by its uid; earlier versions wrote its number. */
export type IncidentRef = string | number;

/**
 * The incidents that a down named beside its own, and that its recovery has to account for. Null: a version that kept
 * no record of them wrote it.
 */
export function namedOf(payload: PayloadJson): readonly IncidentRef[] | null {
  return incidentsIn(fieldsOf(payload)['named']);
}

/** The incidents that a recovery ends beside its own, fixed before its first attempt; null: not fixed yet. */
export function endsOf(payload: PayloadJson): readonly IncidentRef[] | null {
  return incidentsIn(fieldsOf(payload)['ends']);
}

/** Whether a recovery ends the outage that the message about the group began with. */
export function isFirstOfGroup(payload: PayloadJson): boolean {
  return fieldsOf(payload)['isFirst'] === true;
}

/** Whether a recovery ends an outage that had no message of its own, because another one named it. */
export function wasNamed(payload: PayloadJson): boolean {
  return fieldsOf(payload)['wasNamed'] === true;
}

function incidentsIn(value: PayloadJson | undefined): readonly IncidentRef[] | null {
  if (!Array.isArray(value)) return null;
  return (value as readonly PayloadJson[]).filter(
    (each): each is IncidentRef => typeof each === 'string' || typeof each === 'number',
  );
}
