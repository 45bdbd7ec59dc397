/** Recognises the file of Uptime Kuma by its content. */
import { StatusdError } from '../../../engine/core/errors.ts';
import { decode } from '../../../engine/config/source.ts';
import { readWholeFile } from '../read-whole-file.ts';
import { isSqliteFile } from '../sqlite-file.ts';
import { readKumaDatabase, withKumaDatabase } from './database.ts';
import type { KumaData } from './data.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import { monitorFrom, notificationFrom, proxyFrom, tagText } from './from-record.ts';
import { anObject, fieldsOf, parseJson } from '../../../engine/core/decode.ts';
import { recordsIn, textIn } from '../record.ts';

/** A backup with a thousand monitors has some megabytes. */
const maxBackupBytes = 100_000_000;

/** How to get all of what it wrote. */
export const stopKuma = "stop Uptime Kuma first, or import a copy made with sqlite3's .backup";

export interface KumaSource {
  readonly data: KumaData;
  /** Null in a backup, which has no history. */
  readonly sql: SqlReader | null;
}

/** Does `work` on what the file holds. Throws a usage error when it is unreadable, damaged, or something else. */
export async function withKuma<T>(file: string, work: (source: KumaSource) => T | Promise<T>): Promise<T> {
  if (await isSqliteFile(file))
    return withKumaDatabase(file, (sql) => work({ data: readKumaDatabase(sql), sql }));
  const data = readKumaBackup(jsonIn(await readWholeFile(file, { maxBytes: maxBackupBytes })));
  if (data === null) throw neither(file);
  return work({ data, sql: null });
}

function jsonIn(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  return typeof text === 'string' && /^\s*[{[]/.test(text) ? parseJson(text) : null;
}

function neither(file: string): StatusdError {
  return new StatusdError('usage', `${file} is neither a database nor a backup of Uptime Kuma`, {
    hint: 'Name data/kuma.db of Uptime Kuma 1 or 2, or the JSON that version 1 exports under Settings, Backup.',
  });
}

/** Null when the value is no such backup. */
export function readKumaBackup(value: unknown): KumaData | null {
  if (!anObject(value) || (!Array.isArray(value['monitorList']) && !anObject(value['monitorList'])))
    return null;
  const version = textIn(value, 'version');
  return {
    program: version === '' ? 'a backup of Uptime Kuma' : `a backup of Uptime Kuma ${version}`,
    monitors: recordsIn(value['monitorList']).map((record) => {
      const routes = fieldsOf(record['notificationIDList']);
      return monitorFrom(record, {
        notificationIds: Object.keys(routes)
          .filter((id) => routes[id] === true)
          .map(Number),
        tags: recordsIn(record['tags']).map(tagText),
      });
    }),
    notifications: recordsIn(value['notificationList']).map(notificationFrom),
    proxies: recordsIn(value['proxyList']).map(proxyFrom),
    maintenance: [],
    notices: [],
    pageTitles: [],
    shownIds: null,
    settings: new Map(),
  };
}
