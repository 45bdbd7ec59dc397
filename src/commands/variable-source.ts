/** Names the environment variable that set the path in an error. */
import { resolve } from 'node:path';
import { StatusdError } from '../engine/core/errors.ts';
import type { Context } from './context.ts';

/** The error, with `$STATUSD_CONFIG` or `$STATUSD_DATABASE` in what to do about it where its path is at fault. */
export function namingVariable(error: unknown, { env, cwd }: Pick<Context, 'env' | 'cwd'>): unknown {
  if (!(error instanceof StatusdError)) return error;
  const hint = cureOf(error, { env, cwd });
  if (hint === error.hint || hint === null) return error;
  const named = new StatusdError(error.code, error.message, { hint, cause: error.cause });
  if (error.stack !== undefined) named.stack = error.stack;
  return named;
}

function cureOf(
  { code, message, hint }: StatusdError,
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
): string | null {
  const { STATUSD_CONFIG: config = '', STATUSD_DATABASE: database = '' } = env;
  if (code === 'config_missing' || code === 'config_unreadable') {
    if (config === '' || !message.includes(`configuration file ${resolve(cwd, config)}`)) return hint;
    return ['The path comes from $STATUSD_CONFIG.', hint].filter((part) => part !== null).join(' ');
  }
  if (code !== 'store_unusable' || hint === null) return hint;
  if (database !== '') return hint.replaceAll('server.database_path', '$STATUSD_DATABASE');
  // A service may have what this terminal lacks.
  return message.startsWith('there is no database at ')
    ? `${hint} Where the daemon has $STATUSD_DATABASE, set it here too.`
    : hint;
}
