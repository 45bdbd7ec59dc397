/** Banners that an operator pinned. */
import {
  addAnnouncement,
  announcementSeverities,
  clearAnnouncements,
  sweepAnnouncements,
} from '../ops/operator.ts';
import type { Row, SqlReader } from '../sql.ts';

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

export const announcements = {
  severities: announcementSeverities,
  add: addAnnouncement,
  clear: clearAnnouncements,
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

function announcementOf(row: Row): AnnouncementRow {
  return {
    id: row.number('id'),
    title: row.text('title'),
    body: row.textOrNull('body'),
    severity: row.text('severity') as AnnouncementSeverity,
    untilAt: row.numberOrNull('until_at'),
    createdAt: row.number('created_at'),
  };
}
