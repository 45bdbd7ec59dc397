/** Puts the files of a database in order when the daemon starts: private, swept, what is damaged set aside. */
import { quarantineOriginal, quarantine, type QuarantinePlace } from './quarantine.ts';
import type { Files } from './files/files.ts';
import type { LoadedDatabase } from './load.ts';
import type { StoreSchema } from './operation.ts';
import { readTrailer } from './snapshot/read.ts';

export interface RepairPlace extends QuarantinePlace {
  readonly schema: StoreSchema;
}

/**
 * Answers whether the files may stay as they are; if not, a new log and a new snapshot are to be made of what was
 * read. Only for the holder of the lock.
 */
export async function repair(place: RepairPlace, opened: LoadedDatabase): Promise<boolean> {
  const { files, names, schema } = place;
  const { replica, current, findings, isSnapshotGood } = opened;
  const entries = await files.list(names.directory);
  for (const path of names.temporaries(entries)) await files.remove(path);
  await quarantine(place, findings);
  await quarantineOther(place, replica.databaseId);
  const logs = names.logNumbers(entries).map(names.log);
  for (const path of [names.snapshot, names.previous, ...logs]) await restrict(files, path);
  const isVersionCurrent = current?.header?.schema === schema.version;
  return isVersionCurrent && isSnapshotGood && findings.length === 0;
}

/** The snapshot before this one, left from a database whose place was given to a backup, is nobody's fall-back. */
async function quarantineOther(place: RepairPlace, databaseId: string): Promise<void> {
  const { files, names } = place;
  const previous = await readTrailer(files, names.previous);
  if (previous !== null && previous.databaseId !== databaseId)
    await quarantineOriginal(place, names.previous);
}

/** Files made by hand, or restored, may be readable by everybody. Only their owner can change that. */
async function restrict(files: Files, path: string): Promise<void> {
  if ((await files.facts(path)) === null) return;
  await files.restrict(path).catch(() => undefined);
}
