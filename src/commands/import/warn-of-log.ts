/** Warns of changes that are not in the imported database file yet (its write-ahead log). */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';

/** What a program wrote last is in a log beside its database until it is stopped. `remedy` is how to get all of it. */
export async function warnOfLog(file: string, remedy: string, { cwd, stderr }: Context): Promise<void> {
  const log = await stat(`${resolve(cwd, file)}-wal`).catch(() => null);
  if (log === null || log.size === 0) return;
  const message = `${file}-wal holds changes that are not in ${file} yet and are not read; ${remedy}`;
  stderr.write(`statusd: warning: ${cleanLine(message)}\n`);
}
