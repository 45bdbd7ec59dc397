/** Alerts sent by producers over HTTP: lines of a monitor's timeline. */
import { type Delivery, deliveryFields, insertDelivery } from './outbox.ts';
import type { Json, Operation } from '../store/operation.ts';
import type { SqlColumn, SqlReader, SqlRow } from '../store/sql.ts';
import {
  type Field,
  FieldError,
  instant,
  list,
  monitorId,
  oneOf,
  orNull,
  sentence,
  text,
  whole,
} from './fields.ts';
import { declareWrite } from './write.ts';

/** What an alert led to. `suppressed` counts the repeats inside the window, this one included. */
export type Raised =
  | { readonly status: 'dispatched'; readonly id: number }
  | { readonly status: 'coalesced'; readonly suppressed: number; readonly retry_after_secs: number };

/** A delivery as the arguments of `outbox.put`, in that order. */
const delivery: Field<readonly Json[]> = (value) => {
  if (!Array.isArray(value)) throw new FieldError('expected a delivery');
  const given = value as readonly Json[];
  return Object.values(deliveryFields).map((field, index) => field(given[index]));
};

export const alertSeverities = ['info', 'warning', 'error', 'critical'] as const;

const tag: Field<readonly string[]> = list(text(200), 2);

const alertFields = {
  monitor: monitorId,
  at: instant,
  severity: oneOf(alertSeverities),
  title: sentence,
  message: orNull(sentence),
  tags: list(tag, 100),
  dedupKey: orNull(text(400)),
  windowSecs: whole(0, 10 * 365 * 86_400),
  deliveries: list(delivery, 1000),
} as const;

/**
 * The deliveries are put into the outbox only when the alert is dispatched: whether it is, is decided here, so that
 * two alerts at once cannot both be the first. The window is fixed from the first send (`windowSecs`, 0: none).
 */
export const raiseAlert = declareWrite('alert.raise', alertFields, (sql, alert): Raised => {
  const repeated =
    alert.dedupKey === null
      ? null
      : sql.get(
          `SELECT id, window_ends_at, suppressed FROM producer_alerts
             WHERE monitor = ?1 AND dedup_key = ?2 AND at <= ?3 AND window_ends_at > ?3 ORDER BY at DESC LIMIT 1`,
          [alert.monitor, alert.dedupKey, alert.at],
          (row) => ({
            id: row.number('id'),
            windowEndsAt: row.number('window_ends_at'),
            suppressed: row.number('suppressed') + 1,
          }),
        );
  if (repeated !== null) {
    sql.run('UPDATE producer_alerts SET suppressed = ? WHERE id = ?', repeated.suppressed, repeated.id);
    return {
      status: 'coalesced',
      suppressed: repeated.suppressed,
      retry_after_secs: Math.ceil((repeated.windowEndsAt - alert.at) / 1000),
    };
  }
  sql.run(
    `INSERT INTO producer_alerts
         (monitor, at, severity, title, message, tags, dedup_key, window_ends_at, suppressed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    alert.monitor,
    alert.at,
    alert.severity,
    alert.title,
    alert.message,
    JSON.stringify(alert.tags),
    alert.dedupKey,
    alert.at + alert.windowSecs * 1000,
  );
  const id = sql.get('SELECT last_insert_rowid() AS id', [], (row) => row.number('id')) ?? 0;
  for (const values of alert.deliveries) insertDelivery(sql, deliveryOf(values));
  return { status: 'dispatched', id };
});

function deliveryOf(values: readonly Json[]): Delivery {
  return Object.fromEntries(
    Object.keys(deliveryFields).map((key, index) => [key, values[index] ?? null]),
  ) as unknown as Delivery;
}

type AlertSeverity = (typeof alertSeverities)[number];

interface Alert {
  readonly monitor: string;
  readonly at: number;
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly message: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly dedupKey: string | null;
}

export interface NewAlert extends Alert {
  /** How long repeats of the key are coalesced, from the first; 0: never. */
  readonly windowSecs: number;
  /** What goes out unless it is coalesced. */
  readonly deliveries: readonly Delivery[];
}

export interface AlertRow extends Alert {
  readonly id: number;
  /** How many repeats were coalesced with it. */
  readonly suppressed: number;
}

/** Where an operation has the deliveries among its values. */
const deliveriesAt = Object.keys(alertFields).indexOf('deliveries');

/** More than anyone reads at once. */
const mostListed = 200;

export const producerAlerts = {
  severities: alertSeverities,

  /** Its answer (`producerAlerts.raised`) says whether it was dispatched or coalesced. */
  raise: (alert: NewAlert): Operation =>
    raiseAlert({
      ...alert,
      tags: Object.entries(alert.tags),
      deliveries: alert.deliveries.map((delivery) =>
        Object.keys(deliveryFields).map((key) => delivery[key as keyof Delivery]),
      ),
    }),

  raised: raiseAlert.answer,

  /** The ids of the deliveries that an operation puts into the outbox if its alert is dispatched; none of any other. */
  deliveryIdsOf: ([name, ...values]: Operation): readonly string[] => {
    const deliveries = name === raiseAlert.row.name ? values[deliveriesAt] : null;
    if (!Array.isArray(deliveries)) return [];
    return (deliveries as readonly Json[]).flatMap((each) =>
      Array.isArray(each) && typeof each[0] === 'string' ? each[0] : [],
    );
  },

  /**
   * Within a stretch of time (`toAt` is not in it), the newest first; of some monitors, or of all (null). No more than
   * `limit`: who wants the older ones asks again, up to the last one answered.
   */
  listWithin: (
    sql: SqlReader,
    {
      fromAt,
      toAt,
      limit = mostListed,
    }: { readonly fromAt: number; readonly toAt: number; readonly limit?: number },
    monitors: readonly string[] | null = null,
  ): AlertRow[] => {
    const filter = monitors === null ? '' : 'AND monitor IN (SELECT value FROM json_each(?))';
    const params: SqlColumn[] = [
      fromAt,
      toAt,
      ...(monitors === null ? [] : [JSON.stringify(monitors)]),
      limit,
    ];
    return sql.all(
      `SELECT * FROM producer_alerts WHERE at >= ? AND at < ? ${filter} ORDER BY at DESC, id DESC LIMIT ?`,
      params,
      alertOf,
    );
  },
};

function alertOf(row: SqlRow): AlertRow {
  return {
    id: row.number('id'),
    monitor: row.text('monitor'),
    at: row.number('at'),
    severity: row.text('severity') as AlertSeverity,
    title: row.text('title'),
    message: row.textOrNull('message'),
    tags: Object.fromEntries(JSON.parse(row.text('tags')) as [string, string][]),
    dedupKey: row.textOrNull('dedup_key'),
    suppressed: row.number('suppressed'),
  };
}
