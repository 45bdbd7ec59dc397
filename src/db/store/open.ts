/** Opens a database: from a path to the data in memory and the log to append to; creates it on the first start. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { quarantineOriginal, quarantine } from './quarantine.ts';
import { openFault } from './files/faults.ts';
import type { Files } from './files/files.ts';
import type { Names } from './files/names.ts';
import { load, orDiscard, type LoadedDatabase } from './load.ts';
import { createWal } from '../wal/create.ts';
import { logFormat } from '../wal/header.ts';
import { readHeader } from '../wal/open.ts';
import type { StoreSchema } from './operation.ts';
import { isNews, type FileFinding } from './snapshot/base.ts';

export interface OpenOptions {
  readonly files: Files;
  readonly names: Names;
  readonly schema: StoreSchema;
  readonly clock: Clock;
  readonly mode: 'read' | 'append';
}

/** A write in progress ends within this time. */
const writeInProgressMs = 20;
const attempts = 10;

/**
 * Opens what is there. A missing database is made (`append`) or is an error (`read`). `isOwner`: this process holds
 * the lock, and may move aside what is in its way.
 * Throws `store_unusable`.
 */
export async function openFiles(
  options: OpenOptions & { readonly isOwner: boolean },
): Promise<LoadedDatabase> {
  const { files, names, schema, clock, mode, isOwner } = options;
  const pause = () => clock.sleep(writeInProgressMs);
  const found: FileFinding[] = [];
  let made: string | null = null;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const loaded = await load({ files, names, schema, mode, pause });
    if (made !== null && loaded !== null && loaded.replica.databaseId !== made)
      await orDiscard(loaded, removeOwn(options, made));
    if (loaded !== null && (loaded.current !== null || mode === 'read')) {
      return {
        ...loaded,
        findings: [...found, ...loaded.findings.filter((finding) => isNews(finding, found))],
      };
    }
    if (mode === 'read') {
      throw new StatusdError('store_unusable', `there is no database at ${names.snapshot}`, {
        hint: 'Start `statusd serve` once, or correct server.database_path.',
      });
    }
    loaded?.replica.sql.close();
    // Once the log is made, what was found in its place is no longer known.
    if (isOwner) await quarantine(options, loaded?.findings ?? []);
    for (const finding of loaded?.findings ?? []) found.push({ ...finding, keep: 'none' });
    const database: string = loaded?.replica.databaseId ?? randomUUID();
    if (loaded === null) made = database;
    const number = loaded?.replica.log ?? 1;
    try {
      if (isOwner) await makeNextLog(options, { database, number });
      else await createWal(files, names, { format: logFormat, schema: schema.version, database, number });
    } catch (error) {
      throw openFault(error, names.snapshot);
    }
  }
  const path = names.log(1).replace(/1$/, '*');
  throw new StatusdError(
    'store_unusable',
    `cannot use the database ${names.snapshot}: one of ${path} is in the way`,
    {
      hint: 'Start `statusd serve`, which sets aside the files that do not belong there.',
    },
  );
}

/** Two processes made the same database at once, and the other one was faster. */
async function removeOwn({ files, names }: OpenOptions, database: string): Promise<void> {
  const path = names.log(1);
  if ((await readHeader(files, path))?.database === database) await files.remove(path);
}

/**
 * Makes log `number` of a database, durably; what stands under that name and is no such log is set aside.
 * Only for the holder of the lock.
 */
export async function makeNextLog(
  place: Omit<OpenOptions, 'mode'>,
  { database, number }: { readonly database: string; readonly number: number },
): Promise<void> {
  const { files, names, schema } = place;
  const header = { format: logFormat, schema: schema.version, database, number };
  if (await createWal(files, names, header)) return;
  const path = names.log(number);
  const found = await readHeader(files, path);
  const isSame = found?.database === database && found.number === number && found.schema === schema.version;
  if (isSame) return;
  await quarantineOriginal(place, path);
  if (!(await createWal(files, names, header))) {
    throw Object.assign(new Error(`${path} cannot be made`), { code: 'EEXIST' });
  }
}
