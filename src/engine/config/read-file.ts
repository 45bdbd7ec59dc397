/** Reads a file that is meant to be small. */
import { open } from 'node:fs/promises';

/** The most bytes of a configuration, and of any file it names. */
export const maxFileBytes = 1024 * 1024;

/** Reads a file from the disk. Rejects with the error of the system. */
export type ReadFile = (path: string) => Promise<Uint8Array>;

/**
 * The content of a file, but never more than a byte over `maxFileBytes`: endless files (`/dev/zero`) end here,
 * and the excess byte shows the caller that there was more. Opened without waiting, so that a pipe that
 * nobody writes to is an empty file instead of a hang.
 */
export const readSmallFile: ReadFile = async (path) => {
  const { O_RDONLY, O_NONBLOCK } = (await import('node:fs')).constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(maxFileBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
};
