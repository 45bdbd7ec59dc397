/** Writes the secrets of an import beside its configuration, for their owner alone. */
import { chmod, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { envLine, nameInEnvLine, secretsFile } from '../../engine/config/env-files.ts';
import { refuseUnwritable, writeWhole } from '../document/write-file.ts';
import type { Wanted } from './variables.ts';

export interface Placed {
  /** The configuration that uses them. */
  readonly file: string;
  readonly isForced: boolean;
}

/** Where the secrets of a configuration go; null: the import found none. */
export function secretsFileOf(wanted: readonly Wanted[], file: string): string | null {
  return wanted.some(({ value }) => value !== null) ? join(dirname(file), secretsFile) : null;
}

/**
 * Writes them with mode 0600. A file that is there already is refused (usage error); with `isForced` its other variables
 * stay.
 */
export async function writeSecrets(wanted: readonly Wanted[], { file, isForced }: Placed): Promise<void> {
  const path = secretsFileOf(wanted, file);
  if (path === null) return;
  await refuseUnwritable(path, isForced);
  const written = await readFile(path, 'utf8').catch(() => '');
  if (written !== '') await chmod(path, 0o600);
  const own = wanted.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
  const names = new Set(own.map(({ name }) => name));
  const others = written.split('\n').filter((line) => line !== '' && !names.has(nameInEnvLine(line) ?? ''));
  const lines = [...others, ...own.map(({ name, value }) => envLine(name, value))];
  await writeWhole(path, `${lines.join('\n')}\n`, isForced);
}
