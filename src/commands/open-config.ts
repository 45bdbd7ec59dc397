/** Finds and loads the configuration of a command. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { untilAborted } from '../engine/core/abort.ts';
import { findConfig } from '../engine/config/find.ts';
import { loadConfig, type LoadedConfig, type LoadTools } from '../engine/config/load.ts';
import { readSmallFile } from '../engine/config/read-file.ts';
import { writtenBind } from '../engine/config/written-bind.ts';
import type { Context } from './context.ts';

/**
 * The configuration named by `--config` (null when it was not given), else the first found in the usual places.
 * Throws StatusdError `config_missing` or `config_unreadable`, and ConfigError with all its problems.
 */
export async function openConfig(
  flag: string | null,
  { env, cwd, interrupt }: Pick<Context, 'env' | 'cwd' | 'interrupt'>,
  { mayBeEmpty = false }: Pick<LoadTools, 'mayBeEmpty'> = {},
): Promise<LoadedConfig> {
  const file = findConfig({ flag, env, cwd, home: homedir() }, existsSync);
  const loading = loadConfig(file, { env, readFile: readSmallFile, mayBeEmpty });
  // A pipe may be waited for.
  return untilAborted(loading, interrupt);
}

/** `server.bind` of a configuration that cannot be used, as far as it can be read. Null: it cannot. */
export async function bindOfBroken(
  flag: string | null,
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
): Promise<string | null> {
  try {
    const file = findConfig({ flag, env, cwd, home: homedir() }, existsSync);
    return await writtenBind(file, { env, readFile: readSmallFile });
  } catch {
    return null;
  }
}
