/** The changes to the outbox: one row a delivery, that is one event for one channel. */
import type { Sql } from '../../store/sql.ts';
import { instant, orNull, text } from './fields.ts';
import { channelName, document, monitorId, sentence, uid } from './names.ts';
import { declareWrite, type Fields } from './write.ts';

export const deliveryFields = {
  deliveryId: uid,
  channel: channelName,
  event: text(60),
  monitor: orNull(monitorId),
  incident: orNull(uid),
  payload: document,
  createdAt: instant,
  nextAt: instant,
} as const;

export type Delivery = Fields<typeof deliveryFields>;

/** Answers the id of the row: the same one again, and nothing changed, when the delivery is known. */
export const putDelivery = declareWrite('outbox.put', deliveryFields, (sql, delivery) =>
  insertDelivery(sql, delivery),
);

/** Puts a delivery into the outbox, as part of a larger change. */
export function insertDelivery(sql: Sql, delivery: Delivery): number {
  sql.run(
    `INSERT INTO outbox (delivery_id, channel, event, monitor, incident, payload, created_at, state, attempts, next_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?) ON CONFLICT (delivery_id) DO NOTHING`,
    delivery.deliveryId,
    delivery.channel,
    delivery.event,
    delivery.monitor,
    delivery.incident,
    JSON.stringify(delivery.payload),
    delivery.createdAt,
    delivery.nextAt,
  );
  return (
    sql.get('SELECT id FROM outbox WHERE delivery_id = ?', [delivery.deliveryId], (row) =>
      row.number('id'),
    ) ?? 0
  );
}

/** The channel took it. Answers whether it was waiting. */
export const sentDelivery = declareWrite(
  'outbox.sent',
  { deliveryId: uid, at: instant },
  (sql, { deliveryId, at }) => finish(sql, { deliveryId, at, state: 'sent', attempts: 1, error: null }),
);

/** An attempt failed: it waits until `nextAt`, or is given up when that is null. Answers whether it was waiting. */
export const failedDelivery = declareWrite(
  'outbox.failed',
  { deliveryId: uid, at: instant, error: sentence, nextAt: orNull(instant) },
  (sql, { deliveryId, at, error, nextAt }) => {
    if (nextAt === null) return finish(sql, { deliveryId, at, state: 'given_up', attempts: 1, error });
    return (
      sql.run(
        `UPDATE outbox SET attempts = attempts + 1, next_at = ?, last_error = ?
         WHERE delivery_id = ? AND state = 'waiting'`,
        nextAt,
        error,
        deliveryId,
      ) > 0
    );
  },
);

/** Says something else than was meant to be said, as long as it was not said. Answers whether it was waiting. */
export const replaceDelivery = declareWrite(
  'outbox.replace',
  { deliveryId: uid, event: text(60), payload: document, nextAt: instant },
  (sql, { deliveryId, event, payload, nextAt }) =>
    sql.run(
      `UPDATE outbox SET event = ?, payload = ?, next_at = ? WHERE delivery_id = ? AND state = 'waiting'`,
      event,
      JSON.stringify(payload),
      nextAt,
      deliveryId,
    ) > 0,
);

/** It is not to be sent any more. Answers whether it was waiting. */
export const dropDelivery = declareWrite(
  'outbox.drop',
  { deliveryId: uid, at: instant },
  (sql, { deliveryId, at }) => finish(sql, { deliveryId, at, state: 'dropped', attempts: 0, error: null }),
);

/** What was given up or waits is to be tried at once. Answers whether there was such a delivery. */
export const retryDelivery = declareWrite(
  'outbox.retry',
  { deliveryId: uid, at: instant },
  (sql, { deliveryId, at }) =>
    sql.run(
      `UPDATE outbox SET state = 'waiting', next_at = ?, finished_at = NULL
       WHERE delivery_id = ? AND state IN ('waiting', 'given_up')`,
      at,
      deliveryId,
    ) > 0,
);

interface Ending {
  readonly deliveryId: string;
  readonly at: number;
  readonly state: 'sent' | 'given_up' | 'dropped';
  /** How many attempts this one counts as. */
  readonly attempts: number;
  readonly error: string | null;
}

function finish(sql: Sql, ending: Ending): boolean {
  const changed = sql.run(
    `UPDATE outbox SET state = ?, attempts = attempts + ?, finished_at = ?, last_error = coalesce(?, last_error)
     WHERE delivery_id = ? AND state = 'waiting'`,
    ending.state,
    ending.attempts,
    ending.at,
    ending.error,
    ending.deliveryId,
  );
  if (changed === 0) return false;
  sql.run(
    `INSERT INTO delivery_totals (channel, outcome, count)
     SELECT channel, state, 1 FROM outbox WHERE delivery_id = ?
     ON CONFLICT (channel, outcome) DO UPDATE SET count = count + 1`,
    ending.deliveryId,
  );
  return true;
}
