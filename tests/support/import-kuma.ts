/** Imports made-up databases of Uptime Kuma. */
import { convertKuma } from '../../src/commands/import/kuma/convert.ts';
import { readKumaDatabase, withKumaDatabase } from '../../src/commands/import/kuma/database.ts';
import { fitToLoad } from '../../src/commands/import/fit.ts';
import type { Imported } from '../../src/commands/import/document.ts';
import type { Item } from '../../src/commands/import/item.ts';
import { createSecrets, type SecretsMode } from '../../src/commands/import/variables.ts';
import { parseConfig, type LoadedConfig } from '../../src/engine/config/load.ts';
import { readSmallFile } from '../../src/engine/config/read-file.ts';
import { inFile } from './in-file.ts';
import { type KumaRow, type KumaVersion, kumaDatabase } from './kuma-database.ts';

export interface ImportedText {
  readonly imported: Imported;
  readonly text: string;
  readonly loaded: LoadedConfig;
}

/** The configuration of these rows, loaded with the values of its variables. */
export async function importKuma(
  rows: Readonly<Record<string, readonly KumaRow[]>>,
  {
    version = '2.0',
    secrets = 'env',
  }: { readonly version?: KumaVersion; readonly secrets?: SecretsMode } = {},
): Promise<ImportedText> {
  const bytes = await kumaDatabase(version, rows);
  const data = await inFile(bytes, (file) => withKumaDatabase(file, readKumaDatabase));
  const nowAt = Date.UTC(2026, 0, 1);
  return loadImported(convertKuma(data, { secrets: createSecrets(secrets), hostZone: 'UTC', nowAt }));
}

export async function loadImported(found: Imported): Promise<ImportedText> {
  const tools = { file: '/nowhere/statusd.toml', env: {} };
  const { imported, text } = await fitToLoad(found, tools);
  const env = Object.fromEntries(imported.wanted.map(({ name, value, standIn }) => [name, value ?? standIn]));
  return { imported, text, loaded: await parseConfig(text, { ...tools, env, readFile: readSmallFile }) };
}

/** The one item of that name. */
export function itemNamed(items: readonly Item[], name: string): Item {
  const item = items.find((one) => one.name === name);
  if (item === undefined) throw new Error(`there is no item ${name}`);
  return item;
}

export function remarksOf(items: readonly Item[], name: string): string[] {
  return itemNamed(items, name).remarks.map(({ level, text }) => `${level}: ${text}`);
}
