/** Shows a delivery of the outbox as JSON and in words. */
import type { DeliveryRow } from '../../db/topics/outbox.ts';
import { rfc3339 } from '../../engine/core/duration.ts';

export function deliveryJson(row: DeliveryRow) {
  return {
    id: row.id,
    delivery_id: row.deliveryId,
    channel: row.channel,
    event: row.event,
    monitor: row.monitor,
    incident: row.incident,
    state: row.state,
    attempts: row.attempts,
    created_at: rfc3339(row.createdAt),
    next_at: row.state === 'waiting' ? rfc3339(row.nextAt) : null,
    finished_at: row.finishedAt === null ? null : rfc3339(row.finishedAt),
    last_error: row.lastError,
  };
}

/** What became of it: `sent late` is what took more than one try. */
export function stateText({ state, attempts }: Pick<DeliveryRow, 'state' | 'attempts'>): string {
  switch (state) {
    case 'waiting':
      return attempts === 0 ? 'waiting' : 'retrying';
    case 'sent':
      return attempts > 1 ? 'sent late' : 'sent';
    case 'given_up':
      return 'given up';
    case 'dropped':
      return 'dropped';
  }
}
