/** What deciding asks the outbox and the decision log to do, as values. */
import type { EventName } from './events/catalogue.ts';
import type { EventFields, PayloadJson } from './events/stored.ts';
import type { DecisionVerdict, ReasonWord } from './reasons.ts';

/** A line of the decision log. `incident` is the uid of an incident; `detail` a full sentence, shown as it is. */
export interface Decide {
  readonly kind: 'decide';
  readonly monitor: string | null;
  readonly incident: string | null;
  readonly channel: string | null;
  readonly event: EventName;
  readonly verdict: DecisionVerdict;
  readonly reason: ReasonWord;
  readonly detail: string;
}

/** A new delivery. `episode` goes where the outbox keeps the incident: see episodeOf. */
export interface NewDelivery {
  readonly kind: 'put';
  readonly deliveryId: string;
  readonly channel: string;
  readonly event: EventName;
  readonly monitor: string | null;
  readonly incident: string | null;
  readonly payload: PayloadJson;
  /** Epoch ms. */
  readonly nextAt: number;
}

interface Replace {
  readonly kind: 'replace';
  readonly deliveryId: string;
  readonly event: EventName;
  readonly payload: PayloadJson;
  readonly nextAt: number;
}

/** Fields of its message, and when it is due (null: not that): what else is decided at the same moment stays. */
interface Change {
  readonly kind: 'change';
  readonly deliveryId: string;
  readonly changes: EventFields;
  readonly nextAt: number | null;
}

interface Drop {
  readonly kind: 'drop';
  readonly deliveryId: string;
}

export type Intent = NewDelivery | Replace | Change | Drop | Decide;

/** A delivery as deciding sees it in the outbox. */
export interface QueuedRow {
  readonly deliveryId: string;
  readonly channel: string;
  readonly event: string;
  readonly state: 'waiting' | 'sent' | 'given_up' | 'dropped';
  readonly attempts: number;
  readonly nextAt: number;
  readonly payload: PayloadJson;
}

/** A delivery that is finished has an end. */
export interface FinishedRow extends QueuedRow {
  readonly finishedAt: number | null;
}
