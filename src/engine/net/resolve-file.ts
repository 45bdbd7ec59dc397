/** A small system file, parsed once and again whenever it changes. */
import { readFile, stat } from 'node:fs/promises';

/** Reads as the empty text when the file is not there. A passing failure to read keeps what was read last. */
export function watchedText<T>(file: string, parse: (text: string) => T): () => Promise<T> {
  let stamp = '';
  let value = parse('');
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const seen = `${mtimeMs}:${size}:${ino}`;
      if (seen !== stamp) {
        value = parse(await readFile(file, 'utf8'));
        stamp = seen;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        value = parse('');
        stamp = '';
      }
    }
    return value;
  };
}
