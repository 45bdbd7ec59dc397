/** Reads a file that is imported, within bounds. */
import { open } from 'node:fs/promises';
import { StatusdError } from '../../engine/core/errors.ts';
import { systemCode, whyNot } from '../../engine/config/source.ts';

export interface ReadBounds {
  readonly maxBytes: number;
  /** What to do about a file that is larger; absent: nothing but to look whether it is the right one. */
  readonly tooLargeHint?: string;
}

const magic = 'SQLite format 3\0';

export function isSqlite(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, magic.length)).toString('latin1') === magic;
}

/** The bytes of a regular file. Throws a usage error when there is none, it cannot be read, or is too large. */
export async function readWholeFile(file: string, bounds: ReadBounds): Promise<Uint8Array> {
  const { O_RDONLY, O_NONBLOCK } = (await import('node:fs')).constants;
  try {
    // Without waiting, so that a pipe nobody writes to is no hang.
    const handle = await open(file, O_RDONLY | O_NONBLOCK);
    try {
      const facts = await handle.stat();
      if (facts.isDirectory()) throw refuse(`${file} is a directory`, 'Name the file itself.');
      if (!facts.isFile()) throw refuse(`${file} is no regular file`, 'Save it as a file first.');
      if (facts.size > bounds.maxBytes) throw tooLarge(file, bounds);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof StatusdError) throw cause;
    throw refuse(`${file} ${whyNot(systemCode(cause))}`, 'Check its name, its owner and its mode.', cause);
  }
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
