/** The incidents of monitors. */
import type { IncidentFacts } from '../../engine/core/record.ts';
import type { Category } from '../../engine/core/probe.ts';
import {
  category,
  instant,
  json,
  list,
  monitorId,
  optional,
  orNull,
  sentence,
  type Snapshot,
  snapshot,
  text,
  uid,
} from './fields.ts';
import type { Json, Operation } from '../store/operation.ts';
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { type IncidentPage, type IncidentQuery, isCursor, readPage } from './incident-pages.ts';
import {
  acknowledgeIncident,
  carriable,
  carryAcknowledgement,
  unacknowledgeIncident,
} from './acknowledgements.ts';
import { declareWrite } from './write.ts';

/**
 * Answers the id of the incident: the same one again when the uid is known, the one that is open when the monitor
 * has one, for it cannot have two.
 */
export const openIncident = declareWrite(
  'incident.open',
  {
    uid,
    monitor: monitorId,
    name: text(200),
    startedAt: instant,
    confirmedAt: instant,
    category,
    reason: orNull(sentence),
    cause: optional(orNull(sentence), null),
    impacted: optional(list(monitorId, 10_000), []),
    snapshot: optional(orNull(snapshot), null),
    vantage: optional(orNull(json(20_000)), null),
    /** Of a monitor that cannot be checked, which is no outage. */
    ownFault: optional(orNull(text(200)), null),
    /** The uid of the incident before, whose acknowledgement this one carries on. */
    carriedFrom: optional(orNull(uid), null),
  },
  (sql, incident) => {
    const idOf = () =>
      sql.get('SELECT id FROM incidents WHERE uid = ?', [incident.uid], (row) => row.number('id'));
    const openId = () =>
      sql.get(
        'SELECT id FROM incidents WHERE monitor = ? AND ended_at IS NULL AND impact IS NULL',
        [incident.monitor],
        (row) => row.number('id'),
      );
    const known = idOf() ?? openId();
    if (known !== null) return known;
    sql.run(
      `INSERT INTO incidents
         (uid, monitor, name, started_at, confirmed_at, category, reason, cause, impacted, snapshot, vantage, own_fault)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      incident.uid,
      incident.monitor,
      incident.name,
      incident.startedAt,
      incident.confirmedAt,
      incident.category,
      incident.reason,
      incident.cause,
      JSON.stringify(incident.impacted),
      incident.snapshot === null ? null : JSON.stringify(incident.snapshot),
      incident.vantage === null ? null : JSON.stringify(incident.vantage),
      incident.ownFault,
    );
    carryAcknowledgement(sql, incident);
    if (incident.ownFault !== null) return idOf() ?? 0;
    sql.run(
      `INSERT INTO incident_totals (monitor, count) VALUES (?, 1) ON CONFLICT (monitor) DO UPDATE SET count = count + 1`,
      incident.monitor,
    );
    return idOf() ?? 0;
  },
);

/** Answers whether the incident was open. */
export const closeIncident = declareWrite(
  'incident.close',
  { uid, endedAt: instant },
  (sql, incident) =>
    sql.run(
      `UPDATE incidents SET ended_at = ?1, ack_ended_at = CASE WHEN acknowledged_at IS NULL THEN NULL ELSE ?1 END
       WHERE uid = ?2 AND ended_at IS NULL`,
      incident.endedAt,
      incident.uid,
    ) > 0,
);

/** Why the checks of an open outage fail since `at`, where that is not what they failed for before. */
export const noteReason = declareWrite(
  'incident.reason',
  { uid, category, reason: orNull(sentence), at: instant },
  (sql, latest) =>
    sql.run(
      `UPDATE incidents SET latest_category = ?, latest_reason = ?, latest_at = ? WHERE uid = ? AND ended_at IS NULL`,
      latest.category,
      latest.reason,
      latest.at,
      latest.uid,
    ) > 0,
);

/** What became known later: the root cause, the monitors folded into it, what other nodes saw. */
export const describeIncident = declareWrite(
  'incident.describe',
  {
    uid,
    cause: orNull(sentence),
    impacted: list(monitorId, 10_000),
    vantage: orNull(json(20_000)),
  },
  (sql, incident) =>
    sql.run(
      'UPDATE incidents SET cause = ?, impacted = ?, vantage = ? WHERE uid = ?',
      incident.cause,
      JSON.stringify(incident.impacted),
      incident.vantage === null ? null : JSON.stringify(incident.vantage),
      incident.uid,
    ) > 0,
);

/** Sets the operator's note, null to clear it; `at` is when. Answers whether there is such an incident. */
export const annotateIncident = declareWrite(
  'incident.annotate',
  { uid, note: orNull(sentence), at: instant },
  (sql, { uid: incident, note, at }) =>
    sql.run('UPDATE incidents SET note = ?, noted_at = ? WHERE uid = ?', note, at, incident) > 0,
);

export interface IncidentRow extends IncidentFacts {
  /** When the note was last set or cleared; null: never. */
  readonly notedAt: number | null;
  readonly snapshot: Snapshot | null;
  readonly vantage: Json;
}

/** A monitor that cannot be checked; `ownFault` is the cause (ownFaultKey). */
export type UncheckedRow = Pick<IncidentRow, 'uid' | 'monitor'> & { readonly ownFault: string };

/** What is asked most of an open incident of a monitor. */
export type OpenOutline = Pick<IncidentRow, 'uid' | 'monitor' | 'startedAt' | 'confirmedAt' | 'ownFault'>;

type OpeningFields = Parameters<typeof openIncident>[0];

/** What is written of an incident that begins. */
type NewIncident = Omit<OpeningFields, 'ownFault' | 'carriedFrom'> &
  Partial<Pick<OpeningFields, 'ownFault' | 'carriedFrom'>>;

export const incidents = {
  /** Opens an outage, or with `ownFault` an incident of kind unknown. */
  open: (incident: NewIncident): Operation =>
    openIncident({ ownFault: null, carriedFrom: null, ...incident }),
  close: closeIncident,
  noteReason,
  describe: describeIncident,
  annotate: annotateIncident,
  acknowledge: acknowledgeIncident,
  unacknowledge: unacknowledgeIncident,
  carriable,

  isCursor,

  /** Those of monitors. */
  list: (sql: SqlReader, query: IncidentQuery): IncidentPage<IncidentRow> =>
    readPage(sql, query, { conditions: ['impact IS NULL'], read: incidentOf }),

  /** Those of monitors that are open, the one that started last first. */
  listOpen: (sql: SqlReader): IncidentRow[] =>
    sql.all(
      'SELECT * FROM incidents WHERE ended_at IS NULL AND impact IS NULL ORDER BY started_at DESC, uid DESC',
      [],
      incidentOf,
    ),

  /** The newest of a monitor that was open at some time from `fromAt` to `toAt`, epoch ms; null: there is none. */
  newestWithin: (
    sql: SqlReader,
    monitor: string,
    { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
  ): IncidentRow | null =>
    sql.get(
      `SELECT * FROM incidents WHERE monitor = ?1 AND started_at <= ?3 AND (ended_at IS NULL OR ended_at >= ?2)
         AND impact IS NULL ORDER BY started_at DESC, uid DESC LIMIT 1`,
      [monitor, fromAt, toAt],
      incidentOf,
    ),

  /** The same in the same order, for about a third of the time: after a storm there are thousands. */
  listOpenOutlines: (sql: SqlReader): OpenOutline[] =>
    sql.all(
      `SELECT uid, monitor, started_at, confirmed_at, own_fault FROM incidents
       WHERE ended_at IS NULL AND impact IS NULL ORDER BY started_at DESC, uid DESC`,
      [],
      (row) => ({
        uid: row.text('uid'),
        monitor: row.text('monitor'),
        startedAt: row.number('started_at'),
        confirmedAt: row.number('confirmed_at'),
        ownFault: row.textOrNull('own_fault'),
      }),
    ),

  /** How many of monitors are open, by whether someone acknowledged them. */
  countOpen: (sql: SqlReader): { readonly acknowledged: number; readonly others: number } =>
    sql.get(
      `SELECT count(acknowledged_at) AS acknowledged, count(*) - count(acknowledged_at) AS others
       FROM incidents WHERE ended_at IS NULL AND impact IS NULL`,
      [],
      (row) => ({ acknowledged: row.number('acknowledged'), others: row.number('others') }),
    ) ?? { acknowledged: 0, others: 0 },

  /** Those of kind unknown that are open, and only what is asked most: which monitor, and what prevents its checks. */
  listUnchecked: (sql: SqlReader): UncheckedRow[] =>
    sql.all(
      `SELECT uid, monitor, own_fault FROM incidents WHERE ended_at IS NULL AND own_fault IS NOT NULL
       ORDER BY started_at, uid`,
      [],
      (row) => ({ uid: row.text('uid'), monitor: row.text('monitor'), ownFault: row.text('own_fault') }),
    ),

  /** Those of monitors that were open at some time from `fromAt` until before `toAt`, the one that started last first. */
  listWithin: (sql: SqlReader, between: { readonly fromAt: number; readonly toAt: number }): IncidentRow[] =>
    sql.all(
      `SELECT * FROM incidents WHERE started_at < ?2 AND (ended_at IS NULL OR ended_at > ?1) AND impact IS NULL
       ORDER BY started_at DESC, uid DESC`,
      [between.fromAt, between.toAt],
      incidentOf,
    ),

  /** The same without those of kind unknown, in no order, and only when: what was kept of the answers that failed would be most of the reading. */
  spansWithin: (
    sql: SqlReader,
    between: { readonly fromAt: number; readonly toAt: number },
  ): Pick<IncidentRow, 'monitor' | 'startedAt' | 'endedAt'>[] =>
    sql.all(
      `SELECT monitor, started_at, ended_at FROM incidents
       WHERE started_at < ?2 AND (ended_at IS NULL OR ended_at > ?1) AND own_fault IS NULL
         AND impact IS NULL`,
      [between.fromAt, between.toAt],
      (row) => ({
        monitor: row.text('monitor'),
        startedAt: row.number('started_at'),
        endedAt: row.numberOrNull('ended_at'),
      }),
    ),

  /** When the latest outage of a monitor that is over ended, epoch ms; null: there is none. */
  lastOutageEndedAt: (sql: SqlReader, monitor: string): number | null =>
    sql.get(
      `SELECT ended_at FROM incidents
       WHERE monitor = ? AND ended_at IS NOT NULL AND own_fault IS NULL AND impact IS NULL
       ORDER BY started_at DESC, uid DESC LIMIT 1`,
      [monitor],
      (row) => row.number('ended_at'),
    ),

  find: (sql: SqlReader, uid: string): IncidentRow | null =>
    sql.get('SELECT * FROM incidents WHERE uid = ? AND impact IS NULL', [uid], incidentOf),

  findById: (sql: SqlReader, id: number): IncidentRow | null =>
    sql.get('SELECT * FROM incidents WHERE id = ? AND impact IS NULL', [id], incidentOf),

  /** How many outages each monitor ever had, those since pruned included. */
  totals: (sql: SqlReader): Map<string, number> =>
    new Map(
      sql.all('SELECT monitor, count FROM incident_totals ORDER BY monitor', [], (row) => [
        row.text('monitor'),
        row.number('count'),
      ]),
    ),
};

export function incidentOf(row: SqlRow): IncidentRow {
  const snapshot = row.textOrNull('snapshot');
  const vantage = row.textOrNull('vantage');
  const acknowledgedAt = row.numberOrNull('acknowledged_at');
  const latestAt = row.numberOrNull('latest_at');
  return {
    id: row.number('id'),
    uid: row.text('uid'),
    monitor: row.text('monitor'),
    name: row.text('name'),
    startedAt: row.number('started_at'),
    confirmedAt: row.number('confirmed_at'),
    endedAt: row.numberOrNull('ended_at'),
    category: row.textOrNull('category') as Category | null,
    reason: row.textOrNull('reason'),
    latest:
      latestAt === null
        ? null
        : {
            sinceAt: latestAt,
            category: row.textOrNull('latest_category') as Category | null,
            reason: row.textOrNull('latest_reason'),
          },
    cause: row.textOrNull('cause'),
    impacted: JSON.parse(row.text('impacted')) as string[],
    note: row.textOrNull('note'),
    notedAt: row.numberOrNull('noted_at'),
    snapshot: snapshot === null ? null : (JSON.parse(snapshot) as Snapshot),
    vantage: vantage === null ? null : (JSON.parse(vantage) as Json),
    ownFault: row.textOrNull('own_fault'),
    acknowledged:
      acknowledgedAt === null
        ? null
        : {
            at: acknowledgedAt,
            by: row.textOrNull('acknowledged_by'),
            reason: row.textOrNull('acknowledged_why'),
          },
    carriedFrom: row.textOrNull('carried_from'),
  };
}
