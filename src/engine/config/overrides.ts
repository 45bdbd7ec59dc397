/** Environment variables that take precedence over the file. */
import { resolve } from 'node:path';
import type { Environment } from './expand.ts';
import type { ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';

const overrides = [
  { section: 'server', key: 'bind', name: 'STATUSD_BIND', read: (value: string) => value },
  {
    section: 'server',
    key: 'database_path',
    name: 'STATUSD_DATABASE',
    read: (value: string) => resolve(value),
  },
  { section: 'storage', key: 'url', name: 'STATUSD_STORAGE_URL', read: (value: string) => value },
  { section: 'node', key: 'id', name: 'STATUSD_NODE', read: (value: string) => value },
] as const;

export function withOverrides(table: RawTable, env: Environment): RawTable {
  let changed = table;
  for (const { section, key, name, read } of overrides) {
    const value = env[name] ?? '';
    const given = changed[section] ?? {};
    if (value === '' || typeof given !== 'object' || Array.isArray(given)) continue;
    // What is read from a file gives way to the variable, too.
    const rest = Object.entries(given).filter(([name]) => name !== `${key}_file`);
    changed = { ...changed, [section]: { ...Object.fromEntries(rest), [key]: read(value) } };
  }
  return changed;
}

/** Which variable a wrong value comes from, if not from the file. */
export function overriding({ path: [section, key] }: ConfigFinding, env: Environment): string | null {
  const name = overrides.find((one) => one.section === section && one.key === key)?.name;
  return name !== undefined && (env[name] ?? '') !== '' ? `the value comes from $${name}` : null;
}
