/** What a delivery remembers of the message that named its monitor, so that each named monitor has one recovery. */
import { fieldsOf, type PayloadJson, textIn } from './events/stored.ts';

/** A dependent that was named in the message about its upstream, and has not had one of its own since. */
export interface NamedBy {
  readonly groupId: string;
  /** The uid of the incident whose recovery lists it, if it is up by then. */
  readonly root: string;
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
