/** What a delivery remembers in the outbox beside its columns, read back with care: another version may have written it. */
import { severities, type Severity } from './event-names.ts';
import type { PayloadJson } from './intent.ts';

/** Why a delivery waits longer, and for whom: the silence, the upstream. A change of either is a new decision. */
export interface Hold {
  readonly reason: (typeof holdReasons)[number];
  readonly by: string | null;
}

/** A confirmed outage, degradation or time without checks that is to be told. Instants are epoch ms. */
export interface OutagePayload {
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** How it was confirmed, in words. */
  readonly confirmation: string;
  /** Until when it waits for a flap to end and for a cause to show. Renewed when an upstream recovers without it. */
  readonly windowEndsAt: number;
  /** The upstream to blame; null: none, as far as was known when it was told. */
  readonly cause: string | null;
  /** It was told in one message with many others, so its recovery will be too. */
  readonly isGrouped: boolean;
  /** Degraded only. */
  readonly latencyMs: number | null;
  readonly limitMs: number | null;
  readonly reason: string | null;
  /** Unknown only: the cause (ownFaultKey). */
  readonly ownFault: string | null;
  /** Unknown only: the delivery that named it, of the message about all that share the cause; null: not sent yet. */
  readonly causeGroup: string | null;
  /** Unknown only: ids of the other monitors that its message named. */
  readonly alsoNamed: readonly string[];
  readonly hold: Hold | null;
  /** For how long it was covered by a mute or by a message about an upstream, up to `coveredSinceAt`. */
  readonly coveredMs: number;
  /** Since when it is covered; null: it is not. */
  readonly coveredSinceAt: number | null;
  /** It was given another window because these upstreams, apart by spaces, recovered and it did not; null: it was not. */
  readonly renewedAfter: string | null;
  /** What ends before that ended with the upstream whose message spoke for it, epoch ms; null: none did so far. */
  readonly spokenForUntilAt: number | null;
  /** The holds logged since it was last covered, as `reason by`: each is logged once. */
  readonly loggedHolds: readonly string[];
}

/** The end of an outage, a degradation or a time without checks that is to be told. */
export interface RecoveryPayload {
  readonly from: 'down' | 'degraded' | 'unknown';
  readonly startedAt: number;
  readonly endedAt: number;
  /** Nobody could be told while it lasted: the only message about it. */
  readonly isLate: boolean;
  /** The monitor left the configuration: whether it recovered is not known. */
  readonly isRemoved: boolean;
  /** As in the message that it ends. */
  readonly ownFault: string | null;
  readonly causeGroup: string | null;
  readonly alsoNamed: readonly string[];
  readonly hold: Hold | null;
}

type Fields = Readonly<Record<string, PayloadJson | undefined>>;

/** The payload of a `down`, `degraded` or `unknown` delivery; null when it is none. */
export function readOutage(payload: PayloadJson): OutagePayload | null {
  const fields = fieldsOf(payload);
  const startedAt = numberIn(fields, 'startedAt');
  const confirmedAt = numberIn(fields, 'confirmedAt');
  if (startedAt === null || confirmedAt === null) return null;
  return {
    startedAt,
    confirmedAt,
    confirmation: textIn(fields, 'confirmation') ?? '',
    windowEndsAt: numberIn(fields, 'windowEndsAt') ?? confirmedAt,
    cause: textIn(fields, 'cause'),
    isGrouped: fields['isGrouped'] === true,
    latencyMs: numberIn(fields, 'latencyMs'),
    limitMs: numberIn(fields, 'limitMs'),
    reason: textIn(fields, 'reason'),
    ownFault: textIn(fields, 'ownFault'),
    causeGroup: textIn(fields, 'causeGroup'),
    alsoNamed: textsIn(fields, 'alsoNamed'),
    hold: holdOf(payload),
    coveredMs: numberIn(fields, 'coveredMs') ?? 0,
    coveredSinceAt: coveredSinceOf(payload, confirmedAt),
    renewedAfter: textIn(fields, 'renewedAfter'),
    spokenForUntilAt: numberIn(fields, 'spokenForUntilAt'),
    loggedHolds: textsIn(fields, 'loggedHolds'),
  };
}

/** A payload from before covers were kept says nothing of them: what holds it now has covered it from the beginning. */
function coveredSinceOf(payload: PayloadJson, confirmedAt: number): number | null {
  const fields = fieldsOf(payload);
  if (fields['coveredSinceAt'] !== undefined) return numberIn(fields, 'coveredSinceAt');
  const reason = holdOf(payload)?.reason;
  return reason === 'folded' || reason === 'muted' ? confirmedAt : null;
}

/** The payload of a `recovered` delivery; null when it is none. */
export function readRecovery(payload: PayloadJson): RecoveryPayload | null {
  const fields = fieldsOf(payload);
  const startedAt = numberIn(fields, 'startedAt');
  const endedAt = numberIn(fields, 'endedAt');
  if (startedAt === null || endedAt === null) return null;
  const from = (['degraded', 'unknown'] as const).find((each) => each === fields['from']) ?? 'down';
  return {
    from,
    startedAt,
    endedAt,
    isLate: fields['isLate'] === true,
    isRemoved: fields['isRemoved'] === true,
    ownFault: textIn(fields, 'ownFault'),
    causeGroup: textIn(fields, 'causeGroup'),
    alsoNamed: textsIn(fields, 'alsoNamed'),
    hold: holdOf(payload),
  };
}

/** What holds a delivery of any event back at the moment; null: nothing was decided yet. */
export function holdOf(payload: PayloadJson): Hold | null {
  const hold = fieldsOf(fieldsOf(payload)['hold'] ?? null);
  const reason = holdReasons.find((each) => each === hold['reason']);
  return reason === undefined ? null : { reason, by: textIn(hold, 'by') };
}

/** The payload with something changed. */
export function changed(payload: PayloadJson, changes: Fields): PayloadJson {
  return { ...fieldsOf(payload), ...changes } as PayloadJson;
}

export function fieldsOf(payload: PayloadJson): Fields {
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
    ? (payload as Fields)
    : {};
}

export function numberIn(fields: Fields, key: string): number | null {
  const value = fields[key];
  return typeof value === 'number' ? value : null;
}

export function textIn(fields: Fields, key: string): string | null {
  const value = fields[key];
  return typeof value === 'string' ? value : null;
}

function textsIn(fields: Fields, key: string): readonly string[] {
  const value = fields[key];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
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

/** The severity that a producer gave its alert; null for the payload of anything else. */
export function severityOf(payload: PayloadJson): Severity | null {
  const severity = textIn(fieldsOf(payload), 'severity');
  return severities.find((each) => each === severity) ?? null;
}
