/** Alerts that someone sent: lines of a monitor's timeline. */
import { alertSeverities, raiseAlert } from './mutations/producer-alerts.ts';
import { type Delivery, deliveryFields } from './mutations/outbox.ts';
import type { Operation } from '../store/operation.ts';
import type { SqlColumn, SqlRow, SqlReader } from '../store/sql.ts';

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

/** More than anybody reads at once. */
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
