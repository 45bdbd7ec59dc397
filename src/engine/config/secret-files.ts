/** Reads the secrets that a table keeps in files of their own. */
import { resolve } from 'node:path';
import { failure, quote, type ConfigFinding } from './finding.ts';
import { parseToml, type RawTable } from './parse.ts';
import { maxFileBytes, type ReadFile } from './read-file.ts';
import type { ConfigRow, Rows } from './row.ts';
import { decode, systemCode, whyNot } from './source.ts';
import type { Path } from './types/value.ts';

export interface FileTools {
  /** The folder that relative paths start from: that of the configuration file. */
  readonly folder: string;
  readonly readFile: ReadFile;
  /** Called between the tables of a list. */
  readonly yieldTurn?: (() => Promise<void>) | undefined;
}

/** A table in which `<key>_file` has been replaced by the content of the file. */
export interface Resolved {
  readonly table: RawTable;
  readonly findings: readonly ConfigFinding[];
  /** The key a secret was written as, where that is its twin: token to token_file. */
  readonly writtenAs: Readonly<Record<string, string>>;
  /** Secrets whose twin was given, but could not be read. */
  readonly spoiled: readonly string[];
}

const ending = '_file';

/** Every key that holds a secret has a twin, `<key>_file`, that reads it from a file. */
export async function resolveSecretFiles(
  table: RawTable,
  { rows, path, tools }: { readonly rows: Rows; readonly path: Path; readonly tools: FileTools },
): Promise<Resolved> {
  const twins = Object.keys(table)
    .filter((key) => key.endsWith(ending))
    .map((key) => key.slice(0, -ending.length))
    .filter((key) => Object.hasOwn(rows, key) && rows[key]?.type.isSecret === true);
  if (twins.length === 0) return { table, findings: [], writtenAs: {}, spoiled: [] };

  const copy: Record<string, unknown> = { ...table };
  const findings: ConfigFinding[] = [];
  const spoiled: string[] = [];
  for (const key of twins) {
    const twin = twinOf(key);
    Reflect.deleteProperty(copy, twin);
    const content = Object.hasOwn(table, key)
      ? { fault: `is set together with ${key}`, hint: 'keep one of the two' }
      : await contentOf(table[twin], rows[key], tools);
    if ('value' in content) {
      copy[key] = content.value;
    } else {
      Reflect.deleteProperty(copy, key);
      spoiled.push(key);
      findings.push(failure([...path, twin], content.fault, content.hint));
    }
  }
  return {
    table: copy,
    findings,
    spoiled,
    writtenAs: Object.fromEntries(twins.map((key) => [key, twinOf(key)])),
  };
}

function twinOf(key: string): string {
  return `${key}${ending}`;
}

type Content = { readonly value: unknown } | { readonly fault: string; readonly hint: string | null };

async function contentOf(
  named: unknown,
  row: ConfigRow<unknown, unknown> | undefined,
  tools: FileTools,
): Promise<Content> {
  if (typeof named !== 'string' || named === '' || named.includes('\0')) {
    return { fault: 'must be the path of a file', hint: null };
  }
  const file = resolve(tools.folder, named);
  let bytes: Uint8Array;
  try {
    bytes = await tools.readFile(file);
  } catch (error) {
    return { fault: `names ${quote(file)}, which ${whyNot(systemCode(error))}`, hint: null };
  }
  const text = bytes.length > maxFileBytes ? null : decode(bytes);
  if (typeof text !== 'string')
    return { fault: `names ${quote(file)}, which is not a small text file`, hint: null };
  if (row?.type.schema['type'] !== 'object') return { value: text.replace(/[\r\n]+$/, '') };
  const parsed = parseToml(text);
  if ('table' in parsed) return { value: parsed.table };
  return {
    fault: `names ${quote(file)}, whose line ${parsed.fault.line} is not valid TOML`,
    hint: parsed.fault.message,
  };
}
