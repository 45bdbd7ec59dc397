/** What is decided about one delivery of the outbox. */
import type { EventName } from '../../engine/alerting/event-names.ts';
import type { Hold } from '../../engine/alerting/payload.ts';
import type { ReasonWord } from '../../engine/alerting/reasons.ts';

/** What becomes of a delivery that was looked at. Instants are epoch ms. */
export type DeliveryDecision =
  | {
      readonly kind: 'send';
      readonly event: EventName;
      readonly cause: string | null;
      readonly reason: ReasonWord;
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
      /** The upstreams it is folded into, the roots first. */
      readonly causes?: readonly string[];
    }
  | { readonly kind: 'spare'; readonly reason: ReasonWord }
  | { readonly kind: 'late'; readonly endedAt: number; readonly detail: string }
  /** `untilAt` (epoch ms): when it is decided again at the latest. */
  | { readonly kind: 'ask'; readonly ids: readonly string[]; readonly untilAt: number };

/** It is sent by itself. */
export function alone(event: EventName): DeliveryDecision {
  return { kind: 'send', event, cause: null, reason: 'sent' };
}

/** It is never sent, for this reason. */
export function suppress(reason: ReasonWord): DeliveryDecision {
  return { kind: 'spare', reason };
}
