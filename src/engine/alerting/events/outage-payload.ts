/** A confirmed outage as the outbox keeps it. Instants are epoch ms. */
import { fieldsOf, type Hold, holdOf, numberIn, type PayloadJson, textIn, textsIn } from './stored.ts';

/** A confirmed outage, degradation or time without checks that is to be sent, as the outbox keeps it. */
export interface OutagePayload {
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** How it was confirmed, in words. */
  readonly confirmation: string;
  /** Until when it waits for a flap to end and for a cause to show. Renewed when an upstream recovers without it. */
  readonly windowEndsAt: number;
  /** The upstream that is the cause; null: none, as far as was known when it was sent. */
  readonly cause: string | null;
  /** It was sent in one message with many others, so its recovery will be too. */
  readonly isGrouped: boolean;
  /** Degraded only. */
  readonly latencyMs: number | null;
  readonly limitMs: number | null;
  readonly reason: string | null;
  /** Unstable only: as of UnstableConfirmed. */
  readonly downPercent: number | null;
  readonly outages: number | null;
  readonly spanMs: number | null;
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
  /** What ends before that ended with the upstream whose message covered it, epoch ms; null: none did so far. */
  readonly spokenForUntilAt: number | null;
  /** The holds logged since it was last covered, as `reason by`: each is logged once. */
  readonly loggedHolds: readonly string[];
  /** What was changed shortly before the first failure, and when; null: nothing on record. */
  readonly changeTitle: string | null;
  readonly changeAt: number | null;
  /** The id of its monitor when it was queued, which its end names too; null: a version that did not keep it wrote this. */
  readonly knownAs: string | null;
  /** The deliveries about the degradation that it became down from. */
  readonly degradation: readonly string[];
}

/** The payload of an outage that was just confirmed. */
export function outagePayload(
  begun: Pick<OutagePayload, 'startedAt' | 'confirmedAt' | 'confirmation' | 'windowEndsAt' | 'ownFault'> &
    Partial<
      Pick<
        OutagePayload,
        | 'latencyMs'
        | 'limitMs'
        | 'reason'
        | 'downPercent'
        | 'outages'
        | 'spanMs'
        | 'changeTitle'
        | 'changeAt'
        | 'knownAs'
        | 'degradation'
      >
    >,
): OutagePayload & { readonly hold: null } {
  const { startedAt, confirmedAt, confirmation, windowEndsAt, ownFault } = begun;
  return {
    startedAt,
    confirmedAt,
    confirmation,
    windowEndsAt,
    cause: null,
    isGrouped: false,
    latencyMs: begun.latencyMs ?? null,
    limitMs: begun.limitMs ?? null,
    reason: begun.reason ?? null,
    downPercent: begun.downPercent ?? null,
    outages: begun.outages ?? null,
    spanMs: begun.spanMs ?? null,
    ownFault,
    causeGroup: null,
    alsoNamed: [],
    hold: null,
    coveredMs: 0,
    coveredSinceAt: null,
    renewedAfter: null,
    spokenForUntilAt: null,
    loggedHolds: [],
    changeTitle: begun.changeTitle ?? null,
    changeAt: begun.changeAt ?? null,
    knownAs: begun.knownAs ?? null,
    degradation: begun.degradation ?? [],
  };
}

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
    downPercent: numberIn(fields, 'downPercent'),
    outages: numberIn(fields, 'outages'),
    spanMs: numberIn(fields, 'spanMs'),
    ownFault: textIn(fields, 'ownFault'),
    causeGroup: textIn(fields, 'causeGroup'),
    alsoNamed: textsIn(fields, 'alsoNamed'),
    hold: holdOf(payload),
    coveredMs: numberIn(fields, 'coveredMs') ?? 0,
    coveredSinceAt: coveredSinceOf(payload, confirmedAt),
    renewedAfter: textIn(fields, 'renewedAfter'),
    spokenForUntilAt: numberIn(fields, 'spokenForUntilAt'),
    loggedHolds: textsIn(fields, 'loggedHolds'),
    changeTitle: textIn(fields, 'changeTitle'),
    changeAt: numberIn(fields, 'changeAt'),
    knownAs: textIn(fields, 'knownAs'),
    degradation: textsIn(fields, 'degradation'),
  };
}

/** A payload from before covers were kept has none: what holds it now has covered it from the beginning. */
function coveredSinceOf(payload: PayloadJson, confirmedAt: number): number | null {
  const fields = fieldsOf(payload);
  if (fields['coveredSinceAt'] !== undefined) return numberIn(fields, 'coveredSinceAt');
  const reason = holdOf(payload)?.reason;
  return reason === 'folded' || reason === 'muted' ? confirmedAt : null;
}
