/** The outbox: one row a delivery, that is one event for one channel. */
import { fieldsOf } from '../../engine/core/decode.ts';
import type { DeliveryFacts } from '../../engine/core/record.ts';
import type { Json } from '../store/operation.ts';
import type { Sql, SqlReader, SqlRow } from '../store/sql.ts';
import { channelName, document, instant, monitorId, orNull, sentence, text, uid } from './fields.ts';
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

/** The channel accepted it. Answers whether it was waiting. */
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

/** Replaces the message of a delivery that was not sent yet. Answers whether it was waiting. */
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

/**
 * Changes fields of the message of a delivery that was not sent yet, and when it is due (null: not that). Whatever else was
 * changed before this is applied stays. Answers whether it was waiting.
 */
export const changeDelivery = declareWrite(
  'outbox.change',
  { deliveryId: uid, changes: document, nextAt: orNull(instant) },
  (sql, { deliveryId, changes, nextAt }) => {
    const payload = sql.get(
      `SELECT payload FROM outbox WHERE delivery_id = ? AND state = 'waiting'`,
      [deliveryId],
      (row) => JSON.parse(row.text('payload')) as Json,
    );
    if (payload === null) return false;
    return (
      sql.run(
        'UPDATE outbox SET payload = ?, next_at = coalesce(?, next_at) WHERE delivery_id = ?',
        JSON.stringify({ ...fieldsOf(payload), ...fieldsOf(changes) }),
        nextAt,
        deliveryId,
      ) > 0
    );
  },
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

export type DeliveryState = 'waiting' | 'sent' | 'given_up' | 'dropped';

export interface DeliveryRow extends DeliveryFacts {
  /** Stable over every attempt and restart: the receiver recognises repeats by it. */
  readonly deliveryId: string;
  readonly monitor: string | null;
  readonly payload: Json;
}

export interface DeliveryCount {
  readonly channel: string;
  readonly outcome: DeliveryState;
  readonly count: number;
}

export const outbox = {
  put: putDelivery,
  sent: sentDelivery,
  failed: failedDelivery,
  replace: replaceDelivery,
  change: changeDelivery,
  drop: dropDelivery,
  retry: retryDelivery,

  /** What is due at an instant, the longest due first. */
  due: (sql: SqlReader, at: number, limit: number): DeliveryRow[] =>
    sql.all(
      `SELECT * FROM outbox WHERE state = 'waiting' AND next_at <= ? ORDER BY next_at, id LIMIT ?`,
      [at, limit],
      deliveryOf,
    ),

  /** When the next delivery is due; null: none waits. */
  nextDueAt: (sql: SqlReader): number | null =>
    sql.get(`SELECT min(next_at) AS next_at FROM outbox WHERE state = 'waiting'`, [], (row) =>
      row.numberOrNull('next_at'),
    ),

  /** What was not sent, and what took more than one attempt; the newest first. */
  listTroubled: (sql: SqlReader, limit: number): DeliveryRow[] =>
    sql.all(
      `SELECT * FROM outbox WHERE state <> 'sent' OR attempts > 1 ORDER BY id DESC LIMIT ?`,
      [limit],
      deliveryOf,
    ),

  /** The deliveries about an incident, oldest first. */
  ofIncident: (sql: SqlReader, uid: string): DeliveryRow[] =>
    sql.all('SELECT * FROM outbox WHERE incident = ? ORDER BY id', [uid], deliveryOf),

  /** The deliveries that are named after a key: `<key>.<channel's digest>`, whatever the channel is called now. */
  ofKey: (sql: SqlReader, key: string): DeliveryRow[] =>
    sql
      .all(
        'SELECT * FROM outbox WHERE delivery_id > ? AND delivery_id < ? ORDER BY id',
        // The character after the dot.
        [`${key}.`, `${key}/`],
        deliveryOf,
      )
      .filter(({ deliveryId }) => !deliveryId.slice(key.length + 1).includes('.')),

  /** The deliveries of one event about a monitor, oldest first. */
  ofMonitor: (sql: SqlReader, monitor: string, event: string): DeliveryRow[] =>
    sql.all('SELECT * FROM outbox WHERE event = ? AND monitor = ? ORDER BY id', [event, monitor], deliveryOf),

  /** The messages that a monitor is down which a channel took since an instant. */
  toldSince: (sql: SqlReader, monitor: string, sinceAt: number): DeliveryRow[] =>
    sql.all(
      `SELECT * FROM outbox WHERE finished_at >= ? AND monitor = ? AND event = 'down' AND state = 'sent'`,
      [sinceAt, monitor],
      deliveryOf,
    ),

  /** The channels to which anything about an incident that an operator opened was given, whatever became of it. */
  channelsOfOpened: (sql: SqlReader, uid: string): string[] =>
    sql.all(
      "SELECT DISTINCT channel FROM outbox WHERE incident = ? AND event = 'incident' ORDER BY channel",
      [uid],
      (row) => row.text('channel'),
    ),

  find: (sql: SqlReader, deliveryId: string): DeliveryRow | null =>
    sql.get('SELECT * FROM outbox WHERE delivery_id = ?', [deliveryId], deliveryOf),

  findById: (sql: SqlReader, id: number): DeliveryRow | null =>
    sql.get('SELECT * FROM outbox WHERE id = ?', [id], deliveryOf),

  /** How deliveries of each channel ended, ever. */
  totals: (sql: SqlReader): DeliveryCount[] =>
    sql.all('SELECT channel, outcome, count FROM delivery_totals ORDER BY channel, outcome', [], (row) => ({
      channel: row.text('channel'),
      outcome: row.text('outcome') as DeliveryState,
      count: row.number('count'),
    })),
};

function deliveryOf(row: SqlRow): DeliveryRow {
  return {
    id: row.number('id'),
    deliveryId: row.text('delivery_id'),
    channel: row.text('channel'),
    event: row.text('event'),
    monitor: row.textOrNull('monitor'),
    incident: row.textOrNull('incident'),
    payload: JSON.parse(row.text('payload')) as Json,
    createdAt: row.number('created_at'),
    state: row.text('state') as DeliveryState,
    attempts: row.number('attempts'),
    nextAt: row.number('next_at'),
    lastError: row.textOrNull('last_error'),
    finishedAt: row.numberOrNull('finished_at'),
  };
}
