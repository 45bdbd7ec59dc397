/** Keeps the secrets of a configuration in `statusd.env` beside it. */
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from '../../engine/config/read-file.ts';
import { systemCode, whyNot } from '../../engine/config/source.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { envLine, nameInEnvLine, secretsFile } from '../../engine/config/env-files.ts';
import { refuseUnwritable, writeWhole } from './write-file.ts';

export interface SecretVariable {
  readonly name: string;
  /** Null: not known. */
  readonly value: string | null;
}

/** Where the secrets of the configuration `file` go; null: none of them has a value. */
export function secretsFileOf(secrets: readonly SecretVariable[], file: string): string | null {
  return secrets.some(({ value }) => value !== null) ? join(dirname(file), secretsFile) : null;
}

interface Placed {
  /** The configuration that uses them. */
  readonly file: string;
  readonly isForced: boolean;
}

/**
 * Writes them with mode 0600. A file that is there already is refused (usage error); with `isForced` its other variables
 * stay.
 */
export async function writeSecrets(
  secrets: readonly SecretVariable[],
  { file, isForced }: Placed,
): Promise<void> {
  const path = secretsFileOf(secrets, file);
  if (path === null) return;
  await refuseUnwritable(path, isForced);
  const written = await readRegularFile(path).then(String, (error: unknown) => refuseUnreadable(path, error));
  if (written !== '') await chmod(path, 0o600);
  // What has line breaks is no secret that the loader takes, so nothing refers to it.
  const own = secrets.flatMap(({ name, value }) =>
    value === null || /[\r\n]/.test(value) ? [] : [{ name, value }],
  );
  const names = new Set(own.map(({ name }) => name));
  const others = written.split('\n').filter((line) => line !== '' && !names.has(nameInEnvLine(line) ?? ''));
  const lines = [...others, ...own.map(({ name, value }) => envLine(name, value))];
  await writeWhole(path, `${lines.join('\n')}\n`, isForced);
}

/** The empty text where there is no file; one that cannot be read would lose its other variables. */
function refuseUnreadable(path: string, error: unknown): string {
  const code = systemCode(error);
  if (code === 'ENOENT') return '';
  throw new StatusdError('usage', `${path} ${whyNot(code)}, so its variables cannot be kept`, {
    hint: 'Check its owner and mode, or move it away.',
    cause: error,
  });
}
