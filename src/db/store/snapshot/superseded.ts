/** Whether a checkpoint has made a log obsolete. */
import type { Files } from '../files/files.ts';
import type { Names } from '../files/names.ts';
import { readTrailer } from './read.ts';
import type { Trailer } from './trailer.ts';

interface Place {
  readonly files: Files;
  readonly names: Names;
}

interface LogOfDatabase {
  readonly databaseId: string;
  readonly log: number;
}

/**
 * True when a snapshot of another database, or of a later place in the log, is there: then whatever stands under
 * the name of log `log` is not read by anything. Asked after that log was opened, a "no" is final: logs are deleted
 * only after a later snapshot is in place, and nobody makes a log whose name is taken.
 */
export async function isSuperseded(place: Place, log: LogOfDatabase): Promise<boolean> {
  const [current, previous] = await trailersIn(place);
  if (current !== null && current.databaseId !== log.databaseId) return true;
  return isLater(current, log) || isLater(previous, log);
}

/** Whether a snapshot of a later place in the log is there, damaged or not: log `log` was sealed before it was made. */
export async function isSealed(place: Place, log: LogOfDatabase): Promise<boolean> {
  return (await trailersIn(place)).some((trailer) => isLater(trailer, log));
}

async function trailersIn({ files, names }: Place): Promise<readonly [Trailer | null, Trailer | null]> {
  return [await readTrailer(files, names.snapshot), await readTrailer(files, names.previous)];
}

function isLater(trailer: Trailer | null, { databaseId, log }: LogOfDatabase): boolean {
  return trailer?.databaseId === databaseId && trailer.log > log;
}
