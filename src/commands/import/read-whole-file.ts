/** Reads a file that is imported, within bounds. */
import { type FileHandle, open } from 'node:fs/promises';
import { StatusdError } from '../../engine/core/errors.ts';
import { systemCode, whyNot } from '../../engine/config/source.ts';

export interface ReadBounds {
  readonly maxBytes: number;
  /** What to do about a file that is larger; absent: nothing but to look whether it is the right one. */
  readonly tooLargeHint?: string;
}

/** The bytes of a regular file. Throws a usage error when there is none, it cannot be read, or is too large. */
export async function readWholeFile(file: string, bounds: ReadBounds): Promise<Uint8Array> {
  const { handle, size } = await openRegular(file);
  try {
    if (size > bounds.maxBytes) throw tooLarge(file, bounds);
    return await handle.readFile();
  } catch (cause) {
    throw unreadable(file, cause);
  } finally {
    await handle.close();
  }
}

/** Opens a regular file for reading; the caller closes it. Throws a usage error when that is impossible. */
export async function openRegular(
  file: string,
): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const { O_RDONLY, O_NONBLOCK } = (await import('node:fs')).constants;
  try {
    // Without waiting, so that a pipe nobody writes to is no hang.
    const handle = await open(file, O_RDONLY | O_NONBLOCK);
    const facts = await handle.stat();
    if (facts.isFile()) return { handle, size: facts.size };
    await handle.close();
    if (facts.isDirectory()) throw refuse(`${file} is a directory`, 'Name the file itself.');
    throw refuse(`${file} is no regular file`, 'Save it as a file first.');
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): StatusdError {
  if (cause instanceof StatusdError) return cause;
  return refuse(`${file} ${whyNot(systemCode(cause))}`, 'Check its name, its owner and its mode.', cause);
}

function tooLarge(
  file: string,
  { maxBytes, tooLargeHint = 'Is it the right file?' }: ReadBounds,
): StatusdError {
  return refuse(`${file} is larger than ${Math.floor(maxBytes / 1_000_000)} MB`, tooLargeHint);
}

function refuse(message: string, hint: string, cause?: unknown): StatusdError {
  return new StatusdError('usage', message, { hint, ...(cause === undefined ? {} : { cause }) });
}
