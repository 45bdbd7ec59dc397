/** Reads a file up to a limit. */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** The most bytes of a configuration. */
export const maxConfigBytes = 64 * 1024 * 1024;

/** The most bytes of any file it names. */
export const maxFileBytes = 1024 * 1024;

/** Reads a file from the disk. Rejects with the error of the system. */
export type ReadFile = (path: string, maxBytes?: number) => Promise<Uint8Array>;

/** How long a pipe may be silent, in milliseconds: its writer may have to type a password first. */
const patienceMs = 60_000;

/**
 * The content of a file, but never more than a byte over `maxBytes`: endless files (`/dev/zero`) end here,
 * and the excess byte shows the caller that there was more. Opened without waiting, so that a pipe that
 * nobody writes to is an empty file instead of a hang; one with a writer is read to its end, and is EAGAIN when it brings
 * nothing for `silenceMs`.
 */
export async function readSmallFile(
  path: string,
  maxBytes = maxFileBytes,
  silenceMs = patienceMs,
): Promise<Uint8Array> {
  const handle = await openWithoutWaiting(path);
  try {
    return await readToEnd(handle, maxBytes, silenceMs);
  } finally {
    await handle.close();
  }
}

/**
 * The content of a regular file of at most `maxBytes`, however it grows meanwhile. For a file that no user named: a pipe
 * is not waited for. Rejects with the error of the system, with EFTYPE for a pipe or a device, with EFBIG for a larger
 * file.
 */
export async function readRegularFile(path: string, maxBytes = maxFileBytes): Promise<Buffer> {
  const { handle, size } = await openRegularFile(path);
  try {
    const bytes = size > maxBytes ? null : await readToEnd(handle, maxBytes, 0);
    if (bytes === null || bytes.length > maxBytes) throw systemError('EFBIG', path);
    return bytes;
  } finally {
    await handle.close();
  }
}

/** Opens a regular file for reading; the caller closes it. Rejects as `readRegularFile`. `size` is in bytes. */
export async function openRegularFile(
  path: string,
): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const handle = await openWithoutWaiting(path);
  try {
    const facts = await handle.stat();
    if (facts.isDirectory()) throw systemError('EISDIR', path);
    if (!facts.isFile()) throw systemError('EFTYPE', path);
    return { handle, size: facts.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openWithoutWaiting(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK } = (await import('node:fs')).constants;
  return open(path, O_RDONLY | O_NONBLOCK);
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

/** At most a byte over `maxBytes`. */
async function readToEnd(handle: FileHandle, maxBytes: number, silenceMs: number): Promise<Buffer> {
  let buffer = Buffer.alloc(Math.min(65_536, maxBytes + 1));
  for (let length = 0; ; ) {
    const bytesRead = await readMore(handle, buffer.subarray(length), silenceMs);
    length += bytesRead;
    if (bytesRead === 0 || length > maxBytes) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.alloc(Math.min(2 * length, maxBytes + 1));
    buffer.copy(larger);
    buffer = larger;
  }
}

async function readMore(handle: FileHandle, buffer: Uint8Array, silenceMs: number): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    try {
      return (await handle.read(buffer, 0, buffer.length, null)).bytesRead;
    } catch (error) {
      const isSilent = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isSilent || waitedMs >= silenceMs) throw error;
      await pause(pollMs);
    }
  }
}

/** How often a silent pipe is asked again. */
const pollMs = 20;
