/** Mails to readers: one row for all of them, with the progress of sending. */
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, list, oneOf, text, uid, whole } from './fields.ts';
import { rowId } from './numbered.ts';
import { declareWrite } from './write.ts';

const events = ['opened', 'updated', 'resolved', 'announced', 'begun', 'ended', 'cancelled'] as const;
export type BroadcastEvent = (typeof events)[number];

/** About a maintenance. The same uid twice is one; while nobody has subscribed it is none. */
export const putBroadcast = declareWrite(
  'broadcast.put',
  { uid, about: text(4000), event: oneOf(events), at: instant },
  (sql, { uid: name, about, event, at }) => {
    sql.run(
      `INSERT OR IGNORE INTO broadcasts (uid, about, event, created_at, last_subscriber)
       SELECT ?, ?, ?, ?, max(id) FROM subscribers
       WHERE EXISTS (SELECT 1 FROM subscribers WHERE confirmed_at IS NOT NULL) HAVING max(id) IS NOT NULL`,
      name,
      about,
      event,
      at,
    );
    return null;
  },
);

/** How far it has come. */
export const advanceBroadcast = declareWrite(
  'broadcast.advance',
  {
    uid,
    cursor: whole(0, Number.MAX_SAFE_INTEGER),
    ahead: list(rowId, 1000),
    later: list(list(whole(0, Number.MAX_SAFE_INTEGER), 2), 10_000),
    sent: whole(0, Number.MAX_SAFE_INTEGER),
  },
  (sql, row) =>
    sql.run(
      'UPDATE broadcasts SET cursor = ?, ahead = ?, later = ?, sent = ? WHERE uid = ?',
      row.cursor,
      JSON.stringify(row.ahead),
      JSON.stringify(row.later),
      row.sent,
      row.uid,
    ) > 0,
);

/** Nothing more of it is sent. */
export const finishBroadcast = declareWrite(
  'broadcast.finish',
  { uid, at: instant },
  (sql, row) =>
    sql.run('UPDATE broadcasts SET finished_at = ? WHERE uid = ? AND finished_at IS NULL', row.at, row.uid) >
    0,
);

/** Lets go of those that were finished before an instant. */
export const pruneBroadcasts = declareWrite('broadcast.prune', { before: instant }, (sql, { before }) =>
  sql.run('DELETE FROM broadcasts WHERE finished_at < ?', before),
);

export interface BroadcastRow {
  readonly id: number;
  readonly uid: string;
  /** Null: it is about a maintenance. */
  readonly incident: string | null;
  /** The uid of an update, or the maintenance as JSON; null: what happened to the incident by itself. */
  readonly about: string | null;
  readonly event: BroadcastEvent;
  readonly createdAt: number;
  readonly lastSubscriber: number;
  readonly cursor: number;
  readonly ahead: readonly number[];
  /** Ids of readers, each with how often it was tried. */
  readonly later: readonly (readonly [id: number, attempts: number])[];
  readonly sent: number;
  readonly finishedAt: number | null;
}

export const broadcasts = {
  put: putBroadcast,
  advance: advanceBroadcast,
  finish: finishBroadcast,
  prune: pruneBroadcasts,

  /** Those that are not finished, the first one first. */
  open: (sql: SqlReader): BroadcastRow[] =>
    sql.all('SELECT * FROM broadcasts WHERE finished_at IS NULL ORDER BY id', [], broadcastOf),

  find: (sql: SqlReader, name: string): BroadcastRow | null =>
    sql.get('SELECT * FROM broadcasts WHERE uid = ?', [name], broadcastOf),

  /** Those about a maintenance whose latest news is `event`: none of `next` is put down. */
  latest: (sql: SqlReader, event: BroadcastEvent, next: readonly BroadcastEvent[]): BroadcastRow[] =>
    sql.all(
      `SELECT * FROM broadcasts AS one WHERE event = ?1 AND NOT EXISTS (SELECT 1 FROM broadcasts
         WHERE uid IN (SELECT substr(one.uid, 1, length(one.uid) - length(?1)) || value FROM json_each(?2)))`,
      [event, JSON.stringify(next)],
      broadcastOf,
    ),

  /** Whether there is one that was finished before an instant. */
  hasBefore: (sql: SqlReader, at: number): boolean =>
    sql.get('SELECT 1 AS found FROM broadcasts WHERE finished_at < ? LIMIT 1', [at], () => true) === true,

  /** Whether readers were mailed anything about an incident. */
  isIncidentMailed: (sql: SqlReader, incident: string): boolean =>
    sql.get(
      'SELECT 1 AS found FROM broadcasts WHERE incident = ? AND (sent > 0 OR cursor > 0) LIMIT 1',
      [incident],
      () => true,
    ) === true,
};

function broadcastOf(row: SqlRow): BroadcastRow {
  return {
    id: row.number('id'),
    uid: row.text('uid'),
    incident: row.textOrNull('incident'),
    about: row.textOrNull('about'),
    event: row.text('event') as BroadcastEvent,
    createdAt: row.number('created_at'),
    lastSubscriber: row.number('last_subscriber'),
    cursor: row.number('cursor'),
    ahead: JSON.parse(row.text('ahead')) as number[],
    later: JSON.parse(row.text('later')) as [number, number][],
    sent: row.number('sent'),
    finishedAt: row.numberOrNull('finished_at'),
  };
}
