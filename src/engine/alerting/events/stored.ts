/** What a delivery is stored as: JSON, read back with care, because another version may have written it. */

import { timestampText } from '../../core/instant.ts';

/** JSON, as the outbox keeps it. */
export type PayloadJson =
  | null
  | boolean
  | number
  | string
  | readonly PayloadJson[]
  | { readonly [key: string]: PayloadJson };

export type EventFields = Readonly<Record<string, PayloadJson>>;

export function fieldsOf(payload: PayloadJson | undefined): EventFields {
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
    ? (payload as EventFields)
    : {};
}

export function numberIn(fields: EventFields, key: string): number | null {
  const value = fields[key];
  return typeof value === 'number' ? value : null;
}

export function textIn(fields: EventFields, key: string): string | null {
  const value = fields[key];
  return typeof value === 'string' ? value : null;
}

export function textsIn(fields: EventFields, key: string): readonly string[] {
  const value = fields[key];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** The payload with something changed. */
export function changed(payload: PayloadJson, changes: EventFields): PayloadJson {
  return { ...fieldsOf(payload), ...changes };
}

export const holdReasons = [
  'window',
  'muted',
  'folded',
  'upstream_due',
  'upstream_failing',
  'channel_failed',
  'channel_unavailable',
  'same_cause',
  'node_blind',
  'down_again',
] as const;

/** Why a delivery waits longer, and for what: the silence, the upstream. A change of either is a new decision. */
export interface Hold {
  readonly reason: (typeof holdReasons)[number];
  readonly by: string | null;
}

/** What holds a delivery of any event back at the moment; null: nothing was decided yet. */
export function holdOf(payload: PayloadJson): Hold | null {
  const hold = fieldsOf(fieldsOf(payload)['hold']);
  const reason = holdReasons.find((each) => each === hold['reason']);
  return reason === undefined ? null : { reason, by: textIn(hold, 'by') };
}

export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestampText(at);
}

export function namesJson(all: readonly { readonly id: string; readonly name: string }[]): PayloadJson {
  return all.map(({ id, name }) => ({ id, name }));
}
