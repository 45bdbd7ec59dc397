/** A decision about one delivery of the outbox. */
import { type EventName, eventRow } from '../../engine/alerting/events/catalogue.ts';
import type { LaterGroup } from '../../engine/alerting/group.ts';
import type { NamedBy } from '../../engine/alerting/group.ts';
import { mute } from '../../engine/alerting/mute.ts';
import type { Hold } from '../../engine/alerting/events/stored.ts';
import { type ReasonWord, reasons } from '../../engine/alerting/reasons.ts';
import type { DeliveryContext } from './context.ts';
import type { PendingDelivery } from './outbox-cache.ts';

/** The fate of a delivery. Instants are epoch ms. */
export type DeliveryDecision =
  | {
      readonly kind: 'send';
      readonly event: EventName;
      readonly cause: string | null;
      readonly reason: ReasonWord;
      /** The later group below a root that it goes in; absent or null: in none. */
      readonly later?: LaterGroup | null;
    }
  | {
      readonly kind: 'hold';
      readonly untilAt: number;
      readonly hold: Hold;
      readonly detail: string;
      readonly isNewWindow?: boolean;
      /** A mute, or a message about an upstream, covers it: this does not count against the limit of holding. */
      readonly isCovered?: boolean;
      /** It gets another window after these upstreams, apart by spaces, recovered without it. */
      readonly renewedAfter?: string | null;
      /** It may have ended with the upstream that covered it: what ends while it is held so ended with that. */
      readonly mayBeOver?: boolean;
      /** The message that named it, where that is not remembered yet. */
      readonly namedBy?: NamedBy;
      /** The upstreams it is folded into, the roots first. */
      readonly causes?: readonly string[];
    }
  /** Without a `detail` the sentence of the catalogue says why. */
  | { readonly kind: 'suppress'; readonly reason: ReasonWord; readonly detail?: string }
  | { readonly kind: 'late'; readonly endedAt: number; readonly detail: string }
  /** `untilAt` (epoch ms): when it is decided again at the latest. */
  | { readonly kind: 'ask'; readonly ids: readonly string[]; readonly untilAt: number };

/** The message is sent by itself. */
export function alone(event: EventName): DeliveryDecision {
  return { kind: 'send', event, cause: null, reason: 'sent' };
}

/** The message is never sent, for this reason. */
export function suppress(reason: ReasonWord, detail: string = reasons[reason]): DeliveryDecision {
  return { kind: 'suppress', reason, detail };
}

/** A message that waits for an outage is decided again when an incident opens or closes; this often in any case. */
export const foldedForMs = 3_600_000;

/** The message is not for its channel for now, and is decided again when that may have changed. */
export function wait(hold: Hold, detail: string, nowAt: number): DeliveryDecision {
  return { kind: 'hold', untilAt: nowAt + foldedForMs, hold, detail, isCovered: true };
}

/** The hold of a silence or a maintenance window; null: nothing mutes it. */
export function muted(
  { row }: PendingDelivery,
  event: EventName,
  { situation, settings }: DeliveryContext,
): DeliveryDecision | null {
  const muting = mute(event, mutedAs(row.monitor, event, settings), situation);
  if (muting.kind === 'open') return null;
  const { untilAt, by, detail } = muting;
  return { kind: 'hold', untilAt, hold: { reason: 'muted', by }, detail, isCovered: true };
}

/** A message about a peer has its id; mutes name it by its `listen_id`, which no monitor has. */
function mutedAs(
  id: string | null,
  event: EventName,
  { listenIds }: DeliveryContext['settings'],
): string | null {
  return id !== null && eventRow(event).subject === 'peer' ? (listenIds.get(id) ?? id) : id;
}
