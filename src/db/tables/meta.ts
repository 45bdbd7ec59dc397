/** Single values: the last digest slot, the salt of identities, the uid of the database. */
import { createHash } from 'node:crypto';
import type { Json } from '../store/operation.ts';
import type { SqlReader } from '../store/sql.ts';
import { document, text } from './fields.ts';
import { declareWrite } from './write.ts';

export const setMeta = declareWrite(
  'meta.set',
  { name: text(100), value: document },
  (sql, { name, value }) => {
    sql.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, JSON.stringify(value));
    return null;
  },
);

const digestSlot = 'digest_slot';
const identitySalt = 'identity_salt';
const databaseUid = 'database_uid';
const linkKey = 'link_key';

/** One value a monitor. Ids are longer than names may be, so the names are digests. */
function byMonitor(prefix: string) {
  const nameOf = (monitor: string) => prefix + createHash('sha256').update(monitor).digest('hex');
  return {
    set: (monitor: string, value: Json) => setMeta({ name: nameOf(monitor), value }),

    /** Answers for each monitor; null: nothing is kept. */
    read: (sql: SqlReader): ((monitor: string) => Json) => {
      const kept = new Map(
        sql.all(
          'SELECT name, value FROM meta WHERE substr(name, 1, ?) = ?',
          [prefix.length, prefix],
          (row) => [row.text('name'), JSON.parse(row.text('value')) as Json] as const,
        ),
      );
      // Most databases keep none, and a digest takes longer than all else that is read of a monitor.
      return kept.size === 0 ? () => null : (monitor) => kept.get(nameOf(monitor)) ?? null;
    },
  };
}

export const meta = {
  set: setMeta,

  /** Null when it was never set. */
  get: (sql: SqlReader, name: string): Json =>
    sql.get('SELECT value FROM meta WHERE name = ?', [name], (row) => JSON.parse(row.text('value')) as Json),

  /** The digest of this slot (epoch ms, when it was due) is sent, or was skipped for a later one. */
  setDigestSlot: (slotAt: number) => setMeta({ name: digestSlot, value: slotAt }),

  /** What the digests that recognise renamed monitors and channels are salted with. */
  setIdentitySalt: (salt: string) => setMeta({ name: identitySalt, value: salt }),

  /** Null when none was made yet. */
  identitySalt: (sql: SqlReader): string | null => {
    const salt = meta.get(sql, identitySalt);
    return typeof salt === 'string' ? salt : null;
  },

  /** What the links of messages are signed with. */
  setLinkKey: (key: string) => setMeta({ name: linkKey, value: key }),

  /** Null when none was made yet. */
  linkKey: (sql: SqlReader): string | null => {
    const key = meta.get(sql, linkKey);
    return typeof key === 'string' && key !== '' ? key : null;
  },

  /** What readers outside know this database by, whatever host serves it: it stays the same in a copy. */
  setDatabaseUid: (uid: string) => setMeta({ name: databaseUid, value: uid }),

  /** Null when none was given yet. */
  databaseUid: (sql: SqlReader): string | null => {
    const uid = meta.get(sql, databaseUid);
    return typeof uid === 'string' ? uid : null;
  },

  /** The keys that the certificates of a monitor had, where there are several (`certificates` has the last one). */
  certificateKeys: byMonitor('certificate_keys.'),

  /** Which heartbeats a push monitor has to send, and since when. */
  heartbeats: byMonitor('heartbeats.'),

  digestSlot: (sql: SqlReader): number | null => {
    const slot = meta.get(sql, digestSlot);
    return typeof slot === 'number' ? slot : null;
  },
};
