/** Shows a delivery of the outbox as JSON and in words. */
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { holdOf } from '../../engine/alerting/payload.ts';

export function deliveryJson(row: DeliveryRow) {
  const folded = foldedInto(row);
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
    hold: holdReasonOf(row),
    ...(folded === null ? {} : { folded_into: folded }),
  };
}

type Stated = Pick<DeliveryRow, 'state'> & Partial<Pick<DeliveryRow, 'payload'>>;

/** Why it waits longer; null: it does not, or was not looked at yet. */
function holdReasonOf({ state, payload = null }: Stated) {
  return state === 'waiting' ? (holdOf(payload)?.reason ?? null) : null;
}

/** The monitors whose message speaks for one that waits; null: it waits for something else, or no more. */
export function foldedInto({ state, payload }: Pick<DeliveryRow, 'state' | 'payload'>): string[] | null {
  const hold = state === 'waiting' ? holdOf(payload) : null;
  return hold?.reason === 'folded' ? (hold.by?.split(' ') ?? []) : null;
}

/** What became of it: `sent late` is what took more than one try, `no channel` what waits for a channel to be back. */
export function stateText(row: Stated & Pick<DeliveryRow, 'attempts'>): string {
  const { state, attempts } = row;
  switch (state) {
    case 'waiting':
      if (holdReasonOf(row) === 'channel_unavailable') return 'no channel';
      return attempts === 0 ? 'waiting' : 'retrying';
    case 'sent':
      return attempts > 1 ? 'sent late' : 'sent';
    case 'given_up':
      return 'given up';
    case 'dropped':
      return 'dropped';
  }
}
