/** A delivery as deciding sees it in the outbox. */
import type { PayloadJson } from './intent.ts';

export interface QueuedRow {
  readonly deliveryId: string;
  readonly channel: string;
  readonly event: string;
  readonly state: 'waiting' | 'sent' | 'given_up' | 'dropped';
  readonly attempts: number;
  readonly nextAt: number;
  readonly payload: PayloadJson;
}
