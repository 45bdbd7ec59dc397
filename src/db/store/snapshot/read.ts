/** Reads a snapshot file: says whether it can be trusted, and why not. */
import { crc32 } from 'node:zlib';
import { StatusdError } from '../../../engine/core/errors.ts';
import { systemCode } from '../files/faults.ts';
import type { Files, OpenFile } from '../files/files.ts';
import { applicationId } from '../replica.ts';
import { decodeTrailer, trailerBytes, type Trailer } from './trailer.ts';

export type SnapshotFile =
  | { readonly is: 'missing' }
  /** Whole, by its checksum. */
  | { readonly is: 'good'; readonly pages: Uint8Array; readonly trailer: Trailer; readonly version: number }
  /** A statusd database whose trailer is gone: it was written by another program, or cut off. */
  | { readonly is: 'unsigned'; readonly pages: Uint8Array; readonly version: number }
  | { readonly is: 'damaged'; readonly why: string }
  /** A SQLite database of another program. */
  | { readonly is: 'foreign' };

/** The header of a SQLite file (https://www.sqlite.org/fileformat.html): 100 bytes, big-endian. */
const sqliteMagic = 'SQLite format 3\0';
const sqliteHeaderBytes = 100;

/** Reads the whole file through one descriptor, so that a checkpoint meanwhile does not mix two of them. */
export async function readSnapshot(files: Files, path: string): Promise<SnapshotFile> {
  const bytes = await readAll(files, path);
  if (bytes === null) return { is: 'missing' };
  if (typeof bytes === 'string') return { is: 'damaged', why: bytes };
  return judge(bytes);
}

/** The trailer of the file at `path`, without reading the rest; null when there is none. */
export async function readTrailer(files: Files, path: string): Promise<Trailer | null> {
  const file = await open(files, path);
  if (file === null) return null;
  try {
    const { size } = await file.facts();
    if (size < trailerBytes) return null;
    const bytes = Buffer.alloc(trailerBytes);
    const count = await file.read(bytes, size - trailerBytes);
    return count === trailerBytes ? decodeTrailer(bytes) : null;
  } finally {
    await file.close();
  }
}

function judge(bytes: Buffer): SnapshotFile {
  if (bytes.length === 0) return { is: 'damaged', why: 'it is empty (0 bytes)' };
  const trailer = decodeTrailer(bytes.subarray(Math.max(0, bytes.length - trailerBytes)));
  if (trailer !== null) {
    const pages = bytes.subarray(0, bytes.length - trailerBytes);
    const isWhole = trailer.length === pages.length && crc32(pages) === trailer.checksum;
    if (!isWhole) return { is: 'damaged', why: 'its checksum does not fit its contents' };
    return { is: 'good', pages, trailer, version: bytes.readInt32BE(60) };
  }
  if (bytes.length < sqliteHeaderBytes || bytes.toString('latin1', 0, 16) !== sqliteMagic) {
    return { is: 'damaged', why: 'it is not a SQLite database' };
  }
  if (bytes.readUInt32BE(68) !== applicationId) return { is: 'foreign' };
  const pageBytes = bytes.readUInt16BE(16);
  const length = bytes.readUInt32BE(28) * (pageBytes === 1 ? 65536 : pageBytes);
  if (length === 0 || length > bytes.length) return { is: 'damaged', why: 'its end is missing' };
  return { is: 'unsigned', pages: bytes.subarray(0, length), version: bytes.readInt32BE(60) };
}

/** The contents; null when missing; a reason when the disk cannot read it. */
async function readAll(files: Files, path: string): Promise<Buffer | string | null> {
  const file = await open(files, path);
  if (file === null) return null;
  try {
    const { size } = await file.facts();
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    while (length < size) {
      const count = await file.read(bytes.subarray(length), length);
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  } catch (error) {
    if (systemCode(error) === 'EIO') return 'the disk cannot read it';
    throw error;
  } finally {
    await file.close();
  }
}

async function open(files: Files, path: string): Promise<OpenFile | null> {
  const facts = await files.facts(path);
  if (facts === null) return null;
  // Opening a pipe would wait for a writer.
  if (facts.kind !== 'file') throw noFile(path, facts.kind);
  try {
    return await files.open(path, 'read');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function noFile(path: string, kind: 'folder' | 'other'): StatusdError {
  const is = kind === 'folder' ? 'it is a folder' : 'it is no regular file';
  return new StatusdError('store_unusable', `cannot use the database ${path}: ${is}`, {
    hint: 'Correct server.database_path.',
  });
}
