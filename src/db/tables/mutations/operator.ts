/** The changes an operator makes: silences, announcements. */
import type { Sql } from '../../store/sql.ts';
import { instant, list, oneOf, optional, orNull } from './fields.ts';
import { monitorId, sentence, uid } from './names.ts';
import { identityFields, type NumberedTable, numberFor, rowId } from './numbers.ts';
import { declareWrite } from './write.ts';

/** What a clear names: a row by its uid, one without a uid by its number, or (both null) all rows. */
const clearFields = { id: orNull(rowId), uid: optional(orNull(uid), null) } as const;

/**
 * A mute of these monitors, or of all of them (null), until an instant. Answers its id: the same one again when the
 * uid is known.
 */
export const addSilence = declareWrite(
  'silence.add',
  {
    monitors: orNull(list(monitorId, 10_000)),
    untilAt: instant,
    reason: orNull(sentence),
    createdAt: instant,
    ...identityFields,
  },
  (sql, silence) => {
    const known = knownId(sql, 'silences', silence.uid);
    if (known !== null) return known;
    const id = numberFor(sql, 'silences', silence.id);
    sql.run(
      'INSERT INTO silences (id, uid, monitors, until_at, reason, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      silence.uid,
      JSON.stringify(silence.monitors ?? ['*']),
      silence.untilAt,
      silence.reason,
      silence.createdAt,
    );
    return id;
  },
);

/** Ends a silence, or all of them. Answers how many. */
export const clearSilences = declareWrite('silence.clear', clearFields, (sql, row) =>
  clearRows(sql, 'silences', row),
);

/** Removes the silences that are over. Answers how many. */
export const sweepSilences = declareWrite('silence.sweep', { at: instant }, (sql, { at }) =>
  sql.run('DELETE FROM silences WHERE until_at <= ?', at),
);

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
  (sql, announcement) => {
    const known = knownId(sql, 'announcements', announcement.uid);
    if (known !== null) return known;
    const id = numberFor(sql, 'announcements', announcement.id);
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
    return id;
  },
);

/** Takes a banner down, or all of them. Answers how many. */
export const clearAnnouncements = declareWrite('announcement.clear', clearFields, (sql, row) =>
  clearRows(sql, 'announcements', row),
);

/** Removes the banners that are over. Answers how many. */
export const sweepAnnouncements = declareWrite('announcement.sweep', { at: instant }, (sql, { at }) =>
  sql.run('DELETE FROM announcements WHERE until_at <= ?', at),
);

type Cleared = Extract<NumberedTable, 'silences' | 'announcements'>;

function knownId(sql: Sql, table: Cleared, known: string | null): number | null {
  if (known === null) return null;
  return sql.get(`SELECT id FROM ${table} WHERE uid = ?`, [known], (row) => row.number('id'));
}

function clearRows(
  sql: Sql,
  table: Cleared,
  row: { readonly id: number | null; readonly uid: string | null },
): number {
  if (row.uid !== null) return sql.run(`DELETE FROM ${table} WHERE uid = ?`, row.uid);
  return sql.run(`DELETE FROM ${table} WHERE id = ?1 OR ?1 IS NULL`, row.id);
}
