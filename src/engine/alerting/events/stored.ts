/** What a delivery is stored as: JSON, read back with care, because another version may have written it. */
import { aNumber, aText, fieldsOf as readFields, oneOf, readAs, readList } from '../../core/decode.ts';
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
  return readFields(payload) as EventFields;
}

export function numberIn(fields: EventFields, key: string): number | null {
  return readAs(fields[key], aNumber);
}

export function textIn(fields: EventFields, key: string): string | null {
  return readAs(fields[key], aText);
}

export function textsIn(fields: EventFields, key: string): readonly string[] {
  return readList(fields[key], aText);
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
  'later_group',
  'coming_back',
  'channel_failed',
  'channel_unavailable',
  'same_cause',
  'node_blind',
  'down_again',
  'still_degraded',
  'unstable',
  'reminder',
  'quiet_hours',
  'acknowledged',
  'off_call',
  'not_routed',
] as const;

const aHoldReason = oneOf(holdReasons);

/** Why a delivery waits longer, and for what: the silence, the upstream. A change of either is a new decision. */
export interface Hold {
  readonly reason: (typeof holdReasons)[number];
  readonly by: string | null;
}

/** The monitors whose message covers one that waits; null: it waits for something else, or no more. */
export function foldedInto({
  state,
  payload,
}: {
  readonly state: string;
  readonly payload: Parameters<typeof holdOf>[0];
}): string[] | null {
  const hold = state === 'waiting' ? holdOf(payload) : null;
  return hold?.reason === 'folded' ? (hold.by?.split(' ') ?? []) : null;
}

/** What holds a delivery of any event back at the moment; null: nothing was decided yet. */
export function holdOf(payload: PayloadJson): Hold | null {
  const hold = fieldsOf(fieldsOf(payload)['hold']);
  const reason = readAs(hold['reason'], aHoldReason);
  return reason === null ? null : { reason, by: textIn(hold, 'by') };
}

export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestampText(at);
}

export function namesJson(all: readonly { readonly id: string; readonly name: string }[]): PayloadJson {
  return all.map(({ id, name }) => ({ id, name }));
}
