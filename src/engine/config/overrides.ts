/** Environment variables that take precedence over the file. They may be set in the files beside it, too. */
import { basename, resolve } from 'node:path';
import type { EnvFiles } from './env-files.ts';
import type { Environment } from './expand.ts';
import type { ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';

const overrides = [
  { section: 'server', key: 'bind', name: 'STATUSD_BIND', read: (value: string) => value },
  {
    section: 'server',
    key: 'database_path',
    name: 'STATUSD_DATABASE',
    read: (value: string, folder: string) => resolve(folder, value),
  },
  { section: 'storage', key: 'url', name: 'STATUSD_STORAGE_URL', read: (value: string) => value },
  {
    section: 'probes',
    key: 'exec_dir',
    name: 'STATUSD_EXEC_DIR',
    read: (value: string, folder: string) => resolve(folder, value),
  },
  { section: 'node', key: 'id', name: 'STATUSD_NODE', read: (value: string) => value },
] as const;

export interface OverrideSources {
  readonly env: Environment;
  readonly beside: EnvFiles;
  /** That of the configuration, from which relative paths in the files beside it start. */
  readonly folder: string;
}

/** What is set in the environment wins; a variable that is set to nothing hides none of a file. */
export function withOverrides(table: RawTable, { env, beside, folder }: OverrideSources): RawTable {
  let changed = table;
  for (const { section, key, name, read } of overrides) {
    const isOfProcess = isSet(env, name);
    const value = (isOfProcess ? env : beside.env)[name] ?? '';
    const given = changed[section] ?? {};
    if (value === '' || typeof given !== 'object' || Array.isArray(given)) continue;
    // What is read from a file gives way to the variable, too.
    const rest = Object.entries(given).filter(([name]) => name !== `${key}_file`);
    changed = {
      ...changed,
      [section]: { ...Object.fromEntries(rest), [key]: read(value, isOfProcess ? '' : folder) },
    };
  }
  return changed;
}

/** Which variable a wrong value comes from, if not from the file. */
export function overriding(
  { path: [section, key] }: ConfigFinding,
  { env, beside }: Omit<OverrideSources, 'folder'>,
): string | null {
  const name = overrides.find((one) => one.section === section && one.key === key)?.name;
  if (name === undefined) return null;
  if (isSet(env, name)) return `the value comes from $${name}`;
  const file = isSet(beside.env, name) ? beside.files.get(name) : undefined;
  return file === undefined ? null : `the value comes from ${name} in ${basename(file)}`;
}

const isSet = (env: Environment, name: string): boolean => (env[name] ?? '') !== '';
