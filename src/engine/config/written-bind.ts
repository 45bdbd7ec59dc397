/**
 * Reads `server.bind` of a file that may not be a valid configuration, because the daemon may run on an earlier
 * version of it.
 */
import { dirname, resolve } from 'node:path';
import { readEnvFiles } from './env-files.ts';
import type { LoadTools } from './load.ts';
import { parseToml, type RawTable } from './parse.ts';
import { maxConfigBytes } from './read-file.ts';
import { decode } from './source.ts';
import { parseHostPort } from './types/address.ts';
import { isTable } from './types/value.ts';
import { atOnce } from '../core/yielding.ts';
import { expandTable } from './expand.ts';

/** Null: it cannot be read, or does not say. */
export async function writtenBind(file: string, { env, readFile }: LoadTools): Promise<string | null> {
  const bytes = await readFile(file, maxConfigBytes).catch(() => null);
  const text = bytes === null ? null : decode(bytes);
  if (typeof text !== 'string') return null;
  const server = serverOf(text);
  const beside = await readEnvFiles({ folder: dirname(resolve(file)), readFile }, false);
  const table = atOnce(expandTable(server, { ...beside.env, ...env })).table;
  const bind = beside.env['STATUSD_BIND'] || table['bind'];
  return typeof bind === 'string' && parseHostPort(bind) !== null ? bind : null;
}

function serverOf(text: string): RawTable {
  const parsed = parseToml(text);
  if ('table' in parsed) return isTable(parsed.table['server']) ? parsed.table['server'] : {};
  const section = /^[ \t]*\[[ \t]*server[ \t]*\].*\n((?:(?![ \t]*\[).*\n?)*)/m.exec(text)?.[1] ?? '';
  const line = /^[ \t]*bind[ \t]*=.*$/m.exec(section)?.[0] ?? '';
  const alone = parseToml(line);
  return 'table' in alone ? alone.table : {};
}
