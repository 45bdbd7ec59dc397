/** Opens one log of a database and verifies that it is the expected one. */
import { StatusdError } from '../../engine/core/errors.ts';
import { systemCode } from '../store/files/faults.ts';
import type { Files, OpenFile } from '../store/files/files.ts';
import { logSeed } from './frame.ts';
import { decodeHeader, headerSpace, logFormat, type WalHeader } from './header.ts';
import { WalReader } from './reader.ts';

export interface WalPlace {
  readonly path: string;
  readonly databaseId: string;
  readonly number: number;
}

export type OpenedWal =
  | { readonly is: 'missing' }
  /** `header` is null when it cannot be read; the records carry a proof of their own. */
  | { readonly is: 'open'; readonly reader: WalReader; readonly header: WalHeader | null }
  /** A log of another database, or of another place in this one. */
  | { readonly is: 'stray'; readonly header: WalHeader };

export interface WalNeeds {
  readonly mode: 'read' | 'append';
  /** The newest schema that this process knows. */
  readonly schema: number;
}

/** The log at `place`, ready to read its first record. Throws `store_unusable` when a newer version wrote it. */
export async function openWal(files: Files, place: WalPlace, needs: WalNeeds): Promise<OpenedWal> {
  const file = await openExisting(files, place.path, needs.mode);
  if (file === null) return { is: 'missing' };
  try {
    const start = await readStart(file);
    const seed = logSeed(place.databaseId, place.number);
    if (start === null) return { is: 'open', reader: new WalReader(file, seed, 0), header: null };
    const { header, end } = start;
    if (header.database !== place.databaseId || header.number !== place.number) {
      await file.close();
      return { is: 'stray', header };
    }
    refuseNewer(header, place.path, needs.schema);
    return { is: 'open', reader: new WalReader(file, seed, end), header };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The header of the log at `path`; null when there is no such log, or its header cannot be read. */
export async function readHeader(files: Files, path: string): Promise<WalHeader | null> {
  const file = await openExisting(files, path, 'read');
  if (file === null) return null;
  try {
    return (await readStart(file))?.header ?? null;
  } finally {
    await file.close();
  }
}

async function readStart(file: OpenFile): Promise<ReturnType<typeof decodeHeader>> {
  const bytes = Buffer.alloc(headerSpace);
  const count = await file.read(bytes, 0);
  return decodeHeader(bytes.subarray(0, count));
}

async function openExisting(files: Files, path: string, mode: 'read' | 'append'): Promise<OpenFile | null> {
  try {
    return await files.open(path, mode);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function refuseNewer(header: WalHeader, path: string, schema: number): void {
  if (header.format <= logFormat && header.schema <= schema) return;
  throw new StatusdError('store_unusable', `${path} was written by a newer version of statusd`, {
    hint: 'Use that version, or a later one. Nothing was changed.',
  });
}
