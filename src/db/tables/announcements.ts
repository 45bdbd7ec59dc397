/** Banners that an operator pinned. */
import {
  clearFields,
  clearRows,
  identityFields,
  insertNumbered,
  numberedRows,
  type RowIdentity,
} from './numbered.ts';
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, oneOf, orNull, sentence } from './fields.ts';
import { declareWrite } from './write.ts';

type AnnouncementSeverity = (typeof announcementSeverities)[number];

export interface AnnouncementRow {
  readonly id: number;
  readonly title: string;
  readonly body: string | null;
  readonly severity: AnnouncementSeverity;
  /** Null: until it is cleared. */
  readonly untilAt: number | null;
  readonly createdAt: number;
}

type New = Omit<Parameters<typeof addAnnouncement>[0], keyof RowIdentity>;
export const announcementSeverities = ['info', 'warning', 'critical', 'resolved'] as const;

/** Pins a banner. Answers its id: the same one again when the uid is known. */
export const addAnnouncement = declareWrite(
  'announcement.add',
  {
    title: sentence,
    body: orNull(sentence),
    severity: oneOf(announcementSeverities),
    untilAt: orNull(instant),
    createdAt: instant,
    ...identityFields,
  },
  (sql, announcement) =>
    insertNumbered(sql, { ...announcement, table: 'announcements' }, (id) => {
      sql.run(
        `INSERT INTO announcements (id, uid, title, body, severity, until_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
        id,
        announcement.uid,
        announcement.title,
        announcement.body,
        announcement.severity,
        announcement.untilAt,
        announcement.createdAt,
      );
    }),
);

/** Takes a banner down, or all of them. Answers how many. */
export const clearAnnouncements = declareWrite('announcement.clear', clearFields, (sql, row) =>
  clearRows(sql, 'announcements', row),
);

/** Removes the banners that are over. Answers how many. */
export const sweepAnnouncements = declareWrite('announcement.sweep', { at: instant }, (sql, { at }) =>
  sql.run('DELETE FROM announcements WHERE until_at <= ?', at),
);

export const announcements = {
  severities: announcementSeverities,
  ...numberedRows<New>({ table: 'announcements', add: addAnnouncement, clear: clearAnnouncements }),

  sweep: sweepAnnouncements,

  /** Those that last beyond an instant, the newest first. */
  active: (sql: SqlReader, at: number): AnnouncementRow[] =>
    sql.all(
      'SELECT * FROM announcements WHERE until_at IS NULL OR until_at > ? ORDER BY id DESC',
      [at],
      announcementOf,
    ),

  find: (sql: SqlReader, id: number): AnnouncementRow | null =>
    sql.get('SELECT * FROM announcements WHERE id = ?', [id], announcementOf),
};

function announcementOf(row: SqlRow): AnnouncementRow {
  return {
    id: row.number('id'),
    title: row.text('title'),
    body: row.textOrNull('body'),
    severity: row.text('severity') as AnnouncementSeverity,
    untilAt: row.numberOrNull('until_at'),
    createdAt: row.number('created_at'),
  };
}
