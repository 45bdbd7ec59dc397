/** Messages on their way: one row a delivery, that is one event for one channel. */
import {
  dropDelivery,
  failedDelivery,
  putDelivery,
  replaceDelivery,
  retryDelivery,
  sentDelivery,
} from './mutations/outbox.ts';
import type { Json } from '../store/operation.ts';
import type { SqlRow, SqlReader } from '../store/sql.ts';

export type DeliveryState = 'waiting' | 'sent' | 'given_up' | 'dropped';

export interface DeliveryRow {
  readonly id: number;
  /** Stable over every attempt and restart: what the receiver can tell repeats by. */
  readonly deliveryId: string;
  readonly channel: string;
  readonly event: string;
  readonly monitor: string | null;
  readonly incident: string | null;
  readonly payload: Json;
  readonly createdAt: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it is due, while it waits. */
  readonly nextAt: number;
  readonly lastError: string | null;
  readonly finishedAt: number | null;
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
