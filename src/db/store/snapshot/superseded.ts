/** Whether a checkpoint has made a log obsolete. */
import type { Files } from '../files/files.ts';
import type { Names } from '../files/names.ts';
import { readTrailer } from './read.ts';

/**
 * True when a snapshot of another database, or of a later place in the log, is there: then whatever stands under
 * the name of log `log` is not read by anything. Asked after that log was opened, a "no" is final: logs are deleted
 * only after a later snapshot is in place, and nobody makes a log whose name is taken.
 */
export async function isSuperseded(
  { files, names }: { readonly files: Files; readonly names: Names },
  { databaseId, log }: { readonly databaseId: string; readonly log: number },
): Promise<boolean> {
  const current = await readTrailer(files, names.snapshot);
  if (current !== null && current.databaseId !== databaseId) return true;
  return isSealed({ files, names }, { databaseId, log });
}

/** Whether a snapshot of a later place in the log is there, damaged or not: log `log` was sealed before it was made. */
export async function isSealed(
  { files, names }: { readonly files: Files; readonly names: Names },
  { databaseId, log }: { readonly databaseId: string; readonly log: number },
): Promise<boolean> {
  const trailers = [await readTrailer(files, names.snapshot), await readTrailer(files, names.previous)];
  return trailers.some((trailer) => trailer?.databaseId === databaseId && trailer.log > log);
}
