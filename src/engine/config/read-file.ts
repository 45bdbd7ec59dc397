/** Reads a file up to a limit. */
import { open } from 'node:fs/promises';

/** The most bytes of a configuration. */
export const maxConfigBytes = 64 * 1024 * 1024;

/** The most bytes of any file it names. */
export const maxFileBytes = 1024 * 1024;

/** Reads a file from the disk. Rejects with the error of the system. */
export type ReadFile = (path: string, maxBytes?: number) => Promise<Uint8Array>;

/**
 * The content of a file, but never more than a byte over `maxBytes`: endless files (`/dev/zero`) end here,
 * and the excess byte shows the caller that there was more. Opened without waiting, so that a pipe that
 * nobody writes to is an empty file instead of a hang.
 */
export const readSmallFile: ReadFile = async (path, maxBytes = maxFileBytes) => {
  const { O_RDONLY, O_NONBLOCK } = (await import('node:fs')).constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK);
  try {
    let buffer = Buffer.alloc(Math.min(65_536, maxBytes + 1));
    for (let length = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (bytesRead === 0 || length > maxBytes) return buffer.subarray(0, length);
      if (length < buffer.length) continue;
      const larger = Buffer.alloc(Math.min(2 * length, maxBytes + 1));
      buffer.copy(larger);
      buffer = larger;
    }
  } finally {
    await handle.close();
  }
};
