/** Creates a log atomically: never visible without its header. */
import { systemCode } from '../store/files/faults.ts';
import type { Files } from '../store/files/files.ts';
import type { Names } from '../store/files/names.ts';
import { writeTemporary } from '../store/files/temporary.ts';
import { encodeHeader, type WalHeader } from './header.ts';

/** A starting daemon sweeps temporary files away, and may meet one that was just made. */
const attempts = 3;

/**
 * Makes the log of `header`, durably. Answers false when there is a file of that name already, made by a process
 * that came first or that died before it could use it; then its name is made durable all the same.
 */
export async function createWal(files: Files, names: Names, header: WalHeader): Promise<boolean> {
  let isNew: boolean | null = null;
  for (let attempt = 1; isNew === null; attempt += 1) {
    const temporary = names.temporary();
    await writeTemporary(files, temporary, { parts: [encodeHeader(header)], isDurable: true });
    try {
      isNew = await linkAs(files, temporary, names.log(header.number));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt === attempts) throw error;
    } finally {
      await files.remove(temporary);
    }
  }
  await files.syncDirectory(names.directory);
  return isNew;
}

/** False when the name is taken. */
async function linkAs(files: Files, from: string, to: string): Promise<boolean> {
  try {
    await files.link(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
