/** Maintenance: what an operator planned, and which windows of a schedule took place. */
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, list, monitorId, orNull, text, uid } from './fields.ts';
import { insertNumbered, namedRows, rowId, type RowIdentity } from './numbered.ts';
import { declareWrite } from './write.ts';

/** From `startAt` to before `endAt`, epoch ms. */
export interface MaintenanceRow {
  readonly id: number;
  readonly uid: string;
  readonly title: string;
  /** Config ids of monitors and listen_ids of peers; empty: all. */
  readonly monitors: readonly string[];
  readonly startAt: number;
  readonly endAt: number;
  readonly createdAt: number;
}

/** Answers its number: the same one again when the uid is known. */
export const addMaintenance = declareWrite(
  'maintenance.add',
  {
    title: text(200),
    monitors: list(monitorId, 10_000),
    startAt: instant,
    endAt: instant,
    createdAt: instant,
    id: orNull(rowId),
    uid,
  },
  (sql, window) =>
    insertNumbered(sql, { ...window, table: 'maintenances' }, (id) => {
      sql.run(
        `INSERT INTO maintenances (id, uid, title, monitors, start_at, end_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
        id,
        window.uid,
        window.title,
        JSON.stringify(window.monitors),
        window.startAt,
        window.endAt,
        window.createdAt,
      );
    }),
);

/**
 * Ends the one that is named, or (both null) all: what is under way ends at `at` and stays on record, what is to come is
 * taken away. What is over stays as it is. Answers how many.
 */
export const cancelMaintenance = declareWrite(
  'maintenance.cancel',
  { id: orNull(rowId), uid: orNull(uid), at: instant },
  (sql, { id, uid: name, at }) => {
    const one = '(uid = ?1 OR (?1 IS NULL AND (id = ?2 OR ?2 IS NULL)))';
    const planned = sql.run(`DELETE FROM maintenances WHERE ${one} AND start_at >= ?3`, name, id, at);
    const present = `UPDATE maintenances SET end_at = ?3 WHERE ${one} AND start_at < ?3 AND end_at > ?3`;
    return planned + sql.run(present, name, id, at);
  },
);

type New = Omit<Parameters<typeof addMaintenance>[0], keyof RowIdentity>;

export const maintenances = {
  ...namedRows<New>('maintenances', addMaintenance),
  add: addMaintenance,
  cancel: cancelMaintenance,

  /** All that are kept, those that are over included, the one that starts first before the others. */
  list: (sql: SqlReader): MaintenanceRow[] =>
    sql.all('SELECT * FROM maintenances ORDER BY start_at, id', [], maintenanceOf),

  /** Says whether any row is another than it was. */
  revision: (sql: SqlReader): string =>
    sql.get(
      `SELECT count(*) || ' ' || coalesce(max(id), 0) || ' ' || coalesce(sum(end_at), 0) AS revision FROM maintenances`,
      [],
      (row) => row.text('revision'),
    ) ?? '',
};

function maintenanceOf(row: SqlRow): MaintenanceRow {
  return {
    id: row.number('id'),
    uid: row.text('uid'),
    title: row.text('title'),
    monitors: JSON.parse(row.text('monitors')) as string[],
    startAt: row.number('start_at'),
    endAt: row.number('end_at'),
    createdAt: row.number('created_at'),
  };
}
