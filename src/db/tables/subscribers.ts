/** Readers who want mails: their addresses, their choices, and digests of the links that they were sent. */
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, list, text, uid, whole } from './fields.ts';
import { declareWrite } from './write.ts';

/** As long as SMTP allows (RFC 5321, section 4.5.3.1.3). */
const address = text(254);
const groups = list(text(200), 1000);

/** How many links of one reader work at a time: those of the latest mails with links of their own. */
const maxTokens = 16;
/** How many mails with links are remembered. */
const maxLinkMails = 100;

/**
 * A reader asks for a mail with a link. One who is new is kept under `uid` while there are fewer than `max`; one who has
 * not confirmed yet gets the groups of this time. Answers whether a mail is to be sent.
 */
export const askSubscriber = declareWrite(
  'subscriber.ask',
  { uid, address, groups, at: instant, max: whole(1, 1_000_000) },
  (sql, asked) => {
    const isKnown =
      sql.run(
        `UPDATE subscribers SET requested_at = ?1, asked_at = coalesce(asked_at, ?1),
           groups = iif(confirmed_at IS NULL, ?2, groups) WHERE address = ?3`,
        asked.at,
        JSON.stringify(asked.groups),
        asked.address,
      ) > 0;
    if (isKnown) return true;
    if (countOf(sql) >= asked.max) return false;
    sql.run(
      `INSERT INTO subscribers (uid, address, groups, requested_at, asked_at) VALUES (?1, ?2, ?3, ?4, ?4)
       ON CONFLICT (uid) DO NOTHING`,
      asked.uid,
      asked.address,
      JSON.stringify(asked.groups),
      asked.at,
    );
    return true;
  },
);

/** From now on a link whose secret has this digest works. Answers whether there is such a reader. */
export const admitToken = declareWrite('subscriber.token', { uid, token: text(64) }, (sql, row) => {
  const found = sql.get('SELECT tokens FROM subscribers WHERE uid = ?', [row.uid], tokensOf);
  if (found === null) return false;
  const tokens = [row.token, ...found.filter((known) => known !== row.token)].slice(0, maxTokens);
  sql.run('UPDATE subscribers SET tokens = ? WHERE uid = ?', JSON.stringify(tokens), row.uid);
  return true;
});

/** The mail that was asked for at `askedAt` needs no sending any more. */
export const answerSubscriber = declareWrite(
  'subscriber.answered',
  { uid, askedAt: instant },
  (sql, row) =>
    sql.run('UPDATE subscribers SET asked_at = NULL WHERE uid = ? AND asked_at = ?', row.uid, row.askedAt) >
    0,
);

/** A mail with a link went out. Answers whether there is such a reader. */
export const noteLinkMail = declareWrite('subscriber.mailed', { uid, at: instant }, (sql, row) => {
  const found = sql.get('SELECT link_mails FROM subscribers WHERE uid = ?', [row.uid], linkMailsOf);
  if (found === null) return false;
  const mails = [...found, row.at].slice(-maxLinkMails);
  sql.run('UPDATE subscribers SET link_mails = ? WHERE uid = ?', JSON.stringify(mails), row.uid);
  return true;
});

/** Answers whether there is such a reader; who has confirmed already stays as they are. */
export const confirmSubscriber = declareWrite(
  'subscriber.confirm',
  { uid, at: instant },
  (sql, row) =>
    sql.run(
      'UPDATE subscribers SET confirmed_at = coalesce(confirmed_at, ?) WHERE uid = ?',
      row.at,
      row.uid,
    ) > 0,
);

/** What a reader wants mails about; an empty list: everything. Answers whether there is such a reader. */
export const chooseGroups = declareWrite(
  'subscriber.groups',
  { uid, groups },
  (sql, row) =>
    sql.run('UPDATE subscribers SET groups = ? WHERE uid = ?', JSON.stringify(row.groups), row.uid) > 0,
);

/** Erases one reader. Answers whether there was one. */
export const removeSubscriber = declareWrite(
  'subscriber.remove',
  { uid },
  (sql, row) => sql.run('DELETE FROM subscribers WHERE uid = ?', row.uid) > 0,
);

export interface SubscriberRow {
  readonly id: number;
  readonly uid: string;
  readonly address: string;
  /** Names of groups, '' for monitors of none; none: everything. */
  readonly groups: readonly string[];
  /** SHA-256, hexadecimal. */
  readonly tokens: readonly string[];
  /** When a link was last asked for, epoch ms. */
  readonly requestedAt: number;
  /** Since when a mail with a link waits; null: none does. */
  readonly askedAt: number | null;
  /** Null: not yet, so they get nothing else. */
  readonly confirmedAt: number | null;
  /** When mails with links went out, epoch ms; the latest of them. */
  readonly linkMails: readonly number[];
}

export const subscribers = {
  ask: askSubscriber,
  admit: admitToken,
  answered: answerSubscriber,
  mailed: noteLinkMail,
  confirm: confirmSubscriber,
  choose: chooseGroups,
  remove: removeSubscriber,

  find: (sql: SqlReader, name: string): SubscriberRow | null =>
    sql.get('SELECT * FROM subscribers WHERE uid = ?', [name], subscriberOf),

  /** Whatever the case of its letters. */
  findByAddress: (sql: SqlReader, wanted: string): SubscriberRow | null =>
    sql.get('SELECT * FROM subscribers WHERE address = ?', [wanted], subscriberOf),

  /** All of them, the first one first. */
  list: (sql: SqlReader): SubscriberRow[] =>
    sql.all('SELECT * FROM subscribers ORDER BY id', [], subscriberOf),

  /** Those who wait for a mail with a link, who has waited longest first. */
  listAsked: (sql: SqlReader, limit: number): SubscriberRow[] =>
    sql.all(
      'SELECT * FROM subscribers WHERE asked_at IS NOT NULL ORDER BY asked_at, id LIMIT ?',
      [limit],
      subscriberOf,
    ),

  /** Those who have not confirmed what they asked for before an instant. */
  listUnconfirmed: (sql: SqlReader, before: number): SubscriberRow[] =>
    sql.all(
      'SELECT * FROM subscribers WHERE confirmed_at IS NULL AND requested_at < ? ORDER BY id',
      [before],
      subscriberOf,
    ),

  /** How many have confirmed, and how many have not. */
  counts: (sql: SqlReader): { readonly confirmed: number; readonly waiting: number } =>
    sql.get('SELECT count(*) AS count, count(confirmed_at) AS confirmed FROM subscribers', [], (row) => {
      const confirmed = row.number('confirmed');
      return { confirmed, waiting: row.number('count') - confirmed };
    }) ?? { confirmed: 0, waiting: 0 },

  /** The uids of those who have waited longest to confirm. */
  oldestWaiting: (sql: SqlReader, limit: number): string[] =>
    sql.all(
      'SELECT uid FROM subscribers WHERE confirmed_at IS NULL ORDER BY requested_at, id LIMIT ?',
      [limit],
      (row) => row.text('uid'),
    ),

  findById: (sql: SqlReader, id: number): SubscriberRow | null =>
    sql.get('SELECT * FROM subscribers WHERE id = ?', [id], subscriberOf),

  /** The numbers of the next ones who have confirmed, beyond one and up to one. */
  idsBeyond: (
    sql: SqlReader,
    { after, last, limit }: { readonly after: number; readonly last: number; readonly limit: number },
  ): number[] =>
    sql.all(
      'SELECT id FROM subscribers WHERE id > ? AND id <= ? AND confirmed_at IS NOT NULL ORDER BY id LIMIT ?',
      [after, last, limit],
      (row) => row.number('id'),
    ),
};

function countOf(sql: SqlReader): number {
  return sql.get('SELECT count(*) AS count FROM subscribers', [], (row) => row.number('count')) ?? 0;
}

function tokensOf(row: SqlRow): string[] {
  return JSON.parse(row.text('tokens')) as string[];
}

function linkMailsOf(row: SqlRow): number[] {
  return JSON.parse(row.text('link_mails')) as number[];
}

function subscriberOf(row: SqlRow): SubscriberRow {
  return {
    id: row.number('id'),
    uid: row.text('uid'),
    address: row.text('address'),
    groups: JSON.parse(row.text('groups')) as string[],
    tokens: tokensOf(row),
    requestedAt: row.number('requested_at'),
    askedAt: row.numberOrNull('asked_at'),
    confirmedAt: row.numberOrNull('confirmed_at'),
    linkMails: linkMailsOf(row),
  };
}
