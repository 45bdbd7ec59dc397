/** Reads a file that is imported, within bounds. */
import type { FileHandle } from 'node:fs/promises';
import { StatusdError } from '../../engine/core/errors.ts';
import { openRegularFile, readRegularFile } from '../../engine/config/read-file.ts';
import { systemCode, whyNot } from '../../engine/config/source.ts';

export interface ReadBounds {
  readonly maxBytes: number;
  /** What to do about a file that is larger; absent: nothing but to look whether it is the right one. */
  readonly tooLargeHint?: string;
}

/** The bytes of a regular file. Throws a usage error when there is none, it cannot be read, or is too large. */
export async function readWholeFile(file: string, bounds: ReadBounds): Promise<Uint8Array> {
  try {
    return await readRegularFile(file, bounds.maxBytes);
  } catch (cause) {
    throw systemCode(cause) === 'EFBIG' ? tooLarge(file, bounds) : unreadable(file, cause);
  }
}

/** Opens a regular file for reading; the caller closes it. Throws a usage error when that is impossible. */
export async function openRegular(
  file: string,
): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  try {
    return await openRegularFile(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): StatusdError {
  const code = systemCode(cause);
  return refuse(`${file} ${whyNot(code)}`, cures[code] ?? 'Check its name, its owner and its mode.', cause);
}

const cures: Readonly<Record<string, string>> = {
  EISDIR: 'Name the file itself.',
  EFTYPE: 'Save it as a file first.',
  ENXIO: 'Save it as a file first.',
};

function tooLarge(
  file: string,
  { maxBytes, tooLargeHint = 'Is it the right file?' }: ReadBounds,
): StatusdError {
  return refuse(`${file} is larger than ${Math.floor(maxBytes / 1_000_000)} MB`, tooLargeHint);
}

function refuse(message: string, hint: string, cause?: unknown): StatusdError {
  return new StatusdError('usage', message, { hint, ...(cause === undefined ? {} : { cause }) });
}
