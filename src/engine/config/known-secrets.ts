/** Gathers every text of a configuration file that must not be shown. */
import type { Contribution } from './expand.ts';
import type { RawTable } from './parse.ts';
import { partsOfSecretUrl, secretsOfHeader, secretsOfUrl } from './redact.ts';
import { parseUrl } from './types/url.ts';
import { isTable, type Path } from './types/value.ts';

interface SecretSources {
  /** What the secret keys were given. */
  readonly secrets: readonly string[];
  /** The file after expansion. */
  readonly table: RawTable;
  readonly contributions: readonly Contribution[];
}

/**
 * Works on what the file says, not on the configuration made of it: a file with errors has secrets too. Null: others may
 * have their turn, since a large file takes long.
 */
export function* knownSecrets({ secrets, table, contributions }: SecretSources): Generator<string | null> {
  for (const secret of secrets) yield* isUrl(secret) ? partsOfSecretUrl(secret) : [secret];
  yield* secretsIn(table);
  for (const { path, text } of contributions) {
    if (isSensitive(path, text, valueAt(table, path))) yield text;
  }
}

/** No setting lies deeper. */
const maxDepth = 6;

/** Credentials of a URL stand before an @ or behind a ?. */
function mayHoldSecrets(value: unknown): boolean {
  return typeof value === 'string' ? value.includes('://') && /[?@]/.test(value) : typeof value === 'object';
}

/** Credentials in headers and URLs, wherever in the file they stand. */
function* secretsIn(value: unknown, name = '', depth = 0): Generator<string | null> {
  if (typeof value === 'string') {
    if (mayHoldSecrets(value)) yield* secretsOfUrl(value);
    return;
  }
  if (depth >= maxDepth) return;
  if (Array.isArray(value)) for (const item of value) yield* secretsIn(item, name, depth + 1);
  if (!isTable(value)) return;
  yield null;
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (name === 'headers' && typeof item === 'string') yield* secretsOfHeader(key, item);
    if (mayHoldSecrets(item)) yield* secretsIn(item, key, depth + 1);
  }
}

/**
 * A part of a request that is kept in a variable is meant to stay out of the file. A variable that names the host, or
 * is a short word, is taken for harmless: masking it would blank out plain words of every message.
 */
function isSensitive([section, , key]: Path, text: string, value: unknown): boolean {
  if (!['monitors', 'channels', 'outputs'].includes(String(section)) || text.length < 6) return false;
  if (key === 'headers' || key === 'body' || key === 'command') return true;
  const isAddress = key === 'target' || key === 'proxy' || (key === 'url' && section === 'outputs');
  if (!isAddress) return false;
  return typeof value !== 'string' || parseUrl(value)?.host.includes(text.toLowerCase()) !== true;
}

function valueAt(table: RawTable, path: Path): unknown {
  let value: unknown = table;
  for (const step of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  return value;
}

/** A password such as `ab:cd` parses as a URL, too. */
function isUrl(text: string): boolean {
  return /^https?:\/\/./i.test(text);
}
