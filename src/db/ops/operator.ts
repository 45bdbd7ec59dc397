/** The changes an operator makes: silences, announcements. */
import type { Sql } from '../sql.ts';
import { instant, list, oneOf, orNull } from './fields.ts';
import { monitorId, sentence } from './names.ts';
import { whole } from './fields.ts';
import { declareWrite } from './write.ts';

const rowId = whole(1, Number.MAX_SAFE_INTEGER);

/** A mute of these monitors, or of all of them (null), until an instant. Answers its id. */
export const addSilence = declareWrite(
  'silence.add',
  {
    monitors: orNull(list(monitorId, 10_000)),
    untilAt: instant,
    reason: orNull(sentence),
    createdAt: instant,
  },
  (sql, silence) => {
    sql.run(
      'INSERT INTO silences (monitors, until_at, reason, created_at) VALUES (?, ?, ?, ?)',
      JSON.stringify(silence.monitors ?? ['*']),
      silence.untilAt,
      silence.reason,
      silence.createdAt,
    );
    return insertedId(sql);
  },
);

/** Ends a silence, or all of them (null). Answers how many. */
export const clearSilences = declareWrite('silence.clear', { id: orNull(rowId) }, (sql, { id }) =>
  sql.run('DELETE FROM silences WHERE id = ?1 OR ?1 IS NULL', id),
);

/** Removes the silences that are over. Answers how many. */
export const sweepSilences = declareWrite('silence.sweep', { at: instant }, (sql, { at }) =>
  sql.run('DELETE FROM silences WHERE until_at <= ?', at),
);

export const announcementSeverities = ['info', 'warning', 'critical', 'resolved'] as const;

/** Pins a banner. Answers its id. */
export const addAnnouncement = declareWrite(
  'announcement.add',
  {
    title: sentence,
    body: orNull(sentence),
    severity: oneOf(announcementSeverities),
    untilAt: orNull(instant),
    createdAt: instant,
  },
  (sql, announcement) => {
    sql.run(
      'INSERT INTO announcements (title, body, severity, until_at, created_at) VALUES (?, ?, ?, ?, ?)',
      announcement.title,
      announcement.body,
      announcement.severity,
      announcement.untilAt,
      announcement.createdAt,
    );
    return insertedId(sql);
  },
);

/** Takes a banner down, or all of them (null). Answers how many. */
export const clearAnnouncements = declareWrite('announcement.clear', { id: orNull(rowId) }, (sql, { id }) =>
  sql.run('DELETE FROM announcements WHERE id = ?1 OR ?1 IS NULL', id),
);

/** Removes the banners that are over. Answers how many. */
export const sweepAnnouncements = declareWrite('announcement.sweep', { at: instant }, (sql, { at }) =>
  sql.run('DELETE FROM announcements WHERE until_at <= ?', at),
);

function insertedId(sql: Sql): number {
  return sql.get('SELECT last_insert_rowid() AS id', [], (row) => row.number('id')) ?? 0;
}
