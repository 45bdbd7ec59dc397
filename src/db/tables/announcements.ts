/** Banners that an operator pinned. */
import {
  addAnnouncement,
  announcementSeverities,
  clearAnnouncements,
  sweepAnnouncements,
} from './mutations/operator.ts';
import { type RowIdentity, nextNumber } from './mutations/numbers.ts';
import type { SqlRow, SqlReader } from '../store/sql.ts';
import { addNumbered, type NumberedWrite } from './numbered.ts';

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

type New = Omit<Parameters<typeof addAnnouncement>[0], keyof RowIdentity> & Partial<RowIdentity>;

export const announcements = {
  severities: announcementSeverities,
  /** Without an identity its number is that of its position in the log, which damage before it shifts. */
  add: Object.assign((announcement: New) => addAnnouncement({ id: null, uid: null, ...announcement }), {
    answer: addAnnouncement.answer,
  }),

  /** Adds one; answers its number. Rejects when it is not durable. */
  create: (announcement: Omit<New, keyof RowIdentity>, numbered: NumberedWrite): Promise<number> =>
    addNumbered(addAnnouncement({ ...announcement, ...numbered.identity }), 'announcements', numbered),

  /** What a new one is called, given a uid that nothing had before. */
  identity: (sql: SqlReader, uid: string): RowIdentity => ({ id: nextNumber(sql, 'announcements'), uid }),

  /** Clears one by its number (null: all): the one that has it here, whatever number it has elsewhere. */
  clear: Object.assign(
    ({ id, sql }: { readonly id: number | null; readonly sql?: SqlReader }) =>
      clearAnnouncements({ id, uid: id === null || sql === undefined ? null : uidOf(sql, id) }),
    { answer: clearAnnouncements.answer },
  ),

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

function uidOf(sql: SqlReader, id: number): string | null {
  return sql.get('SELECT uid FROM announcements WHERE id = ?', [id], (row) => row.textOrNull('uid'));
}

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
