/** Files that are written whole before they get the name that readers look for. */
import type { Files, OpenFile } from './files.ts';

/** Writes all of `bytes` at the end of a file that nobody else knows yet. */
async function writeWhole(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) {
    const count = await file.write(rest);
    if (count === 0) throw Object.assign(new Error('the write took nothing'), { code: 'ENOSPC' });
    rest = rest.subarray(count);
  }
}

/** What a new file is to hold, and whether it must outlive a loss of power. */
export interface FileContents {
  readonly parts: readonly Uint8Array[];
  readonly isDurable: boolean;
}

/** Makes a file under a name that nobody looks for; the caller gives it its real one. */
export async function writeTemporary(files: Files, path: string, contents: FileContents): Promise<void> {
  const file = await files.open(path, 'create');
  try {
    for (const part of contents.parts) await writeWhole(file, part);
    if (contents.isDurable) await file.sync();
  } catch (error) {
    await files.remove(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}
