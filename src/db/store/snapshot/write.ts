/** Writes a snapshot and puts it in the place of the last one, so that a whole one is there at every moment. */
import { crc32 } from 'node:zlib';
import { systemCode } from '../files/faults.ts';
import type { Files } from '../files/files.ts';
import type { Names } from '../files/names.ts';
import { writeTemporary } from '../files/temporary.ts';
import { encodeTrailer } from './trailer.ts';

export interface SnapshotContents {
  readonly pages: Uint8Array;
  readonly databaseId: string;
  /** The first log that is not in the pages. */
  readonly log: number;
}

/** Makes a file of its own of a snapshot, safe on the disk under a temporary name. */
export async function writeSnapshot(files: Files, path: string, contents: SnapshotContents): Promise<void> {
  const { pages, databaseId, log } = contents;
  const trailer = encodeTrailer({ length: pages.length, checksum: crc32(pages), databaseId, log });
  await writeTemporary(files, path, { parts: [pages, trailer], isDurable: true });
}

/**
 * Gives the snapshot at `temporary` its name. The one before it keeps a name of its own, unless it is gone or
 * `isLastGood` is false. Durable when it resolves.
 */
export async function publishSnapshot(
  files: Files,
  names: Names,
  { temporary, isLastGood }: { readonly temporary: string; readonly isLastGood: boolean },
): Promise<void> {
  if (isLastGood) await keepPrevious(files, names);
  await files.rename(temporary, names.snapshot);
  await files.syncDirectory(names.directory);
}

/** By a second name for the same file: a rename would leave a moment without any `statusd.db`. */
async function keepPrevious(files: Files, names: Names): Promise<void> {
  const name = names.temporary();
  try {
    await files.link(names.snapshot, name);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  await files.rename(name, names.previous);
  // Renaming one name of a file over another of the same file does nothing (POSIX rename).
  await files.remove(name);
}
