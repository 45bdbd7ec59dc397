/** Reads the configuration of Gatus: a file, or a folder of files. */
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { decode, systemCode, whyNot } from '../../../engine/config/source.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { readWholeFile } from '../read-whole-file.ts';
import { anObject } from '../../../engine/core/decode.ts';
import { type Loose } from '../record.ts';
import { hasVariables } from './tree.ts';
import type { ErrorCode } from 'yaml';

/** Thousands of endpoints are a megabyte. */
const maxBytes = 2_000_000;

const maxFiles = 1000;

/** Throws usage errors that name the file, and where they can the line. */
export async function readGatus(path: string): Promise<Merged> {
  const isFolder = await stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    const root = await readGatusYaml(await readWholeFile(path, { maxBytes }), basename(path));
    return { root, fileOf: () => null };
  }
  const parts: FilePart[] = [];
  let left = maxBytes;
  for (const file of await yamlFiles(path)) {
    const bytes = await readWholeFile(join(path, file), { maxBytes: left });
    left -= bytes.length;
    const value = await readYaml(bytes, file);
    if (value !== null) parts.push({ file, value });
  }
  const merged = mergeParts(parts);
  return { ...merged, root: expectGatus(merged.root, basename(path)) };
}

/**
 * As Gatus finds them: in all folders below, in the order of their names. It passes over paths with two dots, because
 * a mounted ConfigMap holds every file once more in a folder named `..data`.
 */
async function yamlFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((cause: unknown) => {
      throw refuse(`${join(folder, below)} ${whyNot(systemCode(cause))}`, 'Check its owner and its mode.');
    });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(below, entry.name);
      if (path.includes('..')) continue;
      if (entry.isDirectory()) await walk(path);
      else if (['.yaml', '.yml'].includes(extname(path))) found.push(path);
      if (found.length > maxFiles)
        throw refuse(`${folder} holds over ${maxFiles} files`, 'Is it the right one?');
    }
  };
  await walk('');
  if (found.length > 0) return found;
  throw refuse(
    `${folder} holds no file that ends in .yaml or .yml`,
    'Name the folder that Gatus reads, or a file.',
  );
}

function refuse(message: string, hint: string | null): StatusdError {
  return new StatusdError('usage', message, hint === null ? {} : { hint });
}

interface FilePart {
  /** Its path within the folder. */
  readonly file: string;
  readonly value: Loose;
}

export interface Merged {
  readonly root: Loose;
  /** The file that a record stands in, or those that its keys are spread over; null: none of these. */
  readonly fileOf: (value: unknown) => string | null;
}

/**
 * Merges the files of a configuration folder as Gatus does, and remembers which file said what. Maps are merged at any
 * depth, lists are joined in the order of the files, and anything else may be given once: Gatus does not start
 * otherwise, and so this throws a usage error, which names both files.
 */
export function mergeParts(parts: readonly FilePart[]): Merged {
  const files = new Map<unknown, readonly string[]>();
  const givenIn = new Map<string, string>();
  const claim = (record: Loose, others: readonly string[]) =>
    files.set(record, [...new Set([...others, ...(files.get(record) ?? [])])]);
  const joined = (base: unknown, more: unknown, at: GatusPath): unknown => {
    if (anObject(more)) return merged(anObject(base) ? base : refuseOther(base, at), more, at);
    if (!Array.isArray(more)) return base === undefined ? more : refuseTwice(at);
    for (const one of more as unknown[]) if (anObject(one)) claim(one, [at.file]);
    return Array.isArray(base) ? [...(base as unknown[]), ...(more as unknown[])] : more;
  };
  const refuseTwice = ({ file, path }: GatusPath): never => {
    throw twice({ file, path }, givenIn.get(path) ?? 'another file');
  };
  const refuseOther = (base: unknown, at: GatusPath): Loose => (base === undefined ? {} : refuseTwice(at));
  const merged = (base: Loose, more: Loose, { file, path }: GatusPath): Loose => {
    const keys = new Map(Object.entries(base));
    for (const [key, value] of Object.entries(more)) {
      const at = { file, path: path === '' ? key : `${path}.${key}` };
      keys.set(key, joined(keys.get(key), value, at));
      if (!givenIn.has(at.path)) givenIn.set(at.path, file);
    }
    const record = Object.fromEntries(keys);
    claim(record, [...(files.get(base) ?? []), file]);
    return record;
  };
  const root = parts.reduce<Loose>((base, { file, value }) => merged(base, value, { file, path: '' }), {});
  return { root, fileOf: (value) => files.get(value)?.join(', ') ?? null };
}

interface GatusPath {
  readonly file: string;
  /** `ui.title`. */
  readonly path: string;
}

function twice({ file, path }: GatusPath, before: string): StatusdError {
  return new StatusdError('usage', `${file}: ${path} is given in ${before} already`, {
    hint: 'Of several files, Gatus joins maps and lists alone, and does not start with this either.',
  });
}

/** Anchors save typing, but a few lines of them can stand for gigabytes. */
const maxAliases = 1000;

/** The configuration in one file. Throws what readYaml throws. */
export async function readGatusYaml(bytes: Uint8Array, file: string): Promise<Loose> {
  return expectGatus((await readYaml(bytes, file)) ?? {}, file);
}

/** Throws a usage error when it is that of another program. */
function expectGatus(value: Loose, file: string): Loose {
  if (!isGatus(value)) throw foreign(file);
  return value;
}

/**
 * Null when the file is empty. Throws a usage error that names line and column; never the text there, which may be a
 * secret.
 */
async function readYaml(bytes: Uint8Array, file: string): Promise<Loose | null> {
  const text = decode(bytes);
  if (typeof text !== 'string')
    throw refuse(`${file}:${text.line}:${text.column}: ${text.message}`, text.hint);
  const { default: yaml } = await import('yaml');
  const lines = new yaml.LineCounter();
  let value: unknown;
  try {
    const document = yaml.parseDocument(hideVariables(text), {
      merge: true,
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      const saying = sayings[error.code] ?? 'this is not valid YAML';
      throw refuse(`${file}:${line}:${col}: ${saying}`, variableHint(text, error.pos));
    }
    // Gatus takes most values for texts, and reads numbers and booleans from these where it wants some.
    yaml.visit(document, {
      Scalar: (_, node) => {
        if (typeof node.value === 'number' || typeof node.value === 'boolean')
          node.value = node.source ?? String(node.value);
        else if (typeof node.value === 'string') node.value = showVariables(node.value);
      },
    });
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    if (error instanceof StatusdError) throw error;
    throw tooDeep(file, error);
  }
  if (value === null || value === undefined) return null;
  if (!anObject(value)) throw foreign(file);
  return value;
}

/** Two characters of private use in place of `${`, one in place of `}`, so that nothing moves. */
const hidden = /\uE000\uE000([^\uE000\uE001]*)\uE001/gu;

/**
 * Gatus puts variables in before it reads the YAML, where `[{enabled: ${ON}}]` has a brace too many. A name with a character
 * that separates values, as between the texts of `{"a":"${"}`, is no name.
 */
function hideVariables(text: string): string {
  return /[\uE000\uE001]/u.test(text)
    ? text
    : text.replace(/\$\{([^\s{}[\]"',#\uE000\uE001]*)\}/gu, '\uE000\uE000$1\uE001');
}

function showVariables(text: string): string {
  return text.replace(hidden, '${$1}');
}

/** The cure for YAML that may be valid with the values of its variables; null where no variable is near. */
function variableHint(text: string, [from, to]: readonly [number, number]): string | null {
  const start = text.lastIndexOf('\n', Math.max(0, from - 1)) + 1;
  const end = text.indexOf('\n', to);
  // The parser notices some mistakes at the start of the next line.
  const before = text.slice(0, Math.max(0, start - 1));
  const lines = text.slice(before.lastIndexOf('\n') + 1, end === -1 ? text.length : end);
  if (!hasVariables(lines)) return null;
  return 'If a variable there holds YAML, write its value in its place, and import that file.';
}

/** Endpoints are what a configuration cannot do without; the first versions called them services. */
function isGatus(value: Loose): boolean {
  return ['endpoints', 'external-endpoints', 'suites', 'services'].some((key) => Array.isArray(value[key]));
}

const sayings: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: 'an alias refers to nothing',
  BAD_INDENT: 'the line is indented wrongly',
  BLOCK_AS_IMPLICIT_KEY: 'a key or its value is misplaced',
  DUPLICATE_KEY: 'a key is given twice',
  MISSING_CHAR: 'a quotation mark, comma or bracket is missing',
  MULTILINE_IMPLICIT_KEY: 'a key spans several lines',
  MULTIPLE_DOCS: 'a second document begins',
  TAB_AS_INDENT: 'a tab is used to indent',
};

function tooDeep(file: string, cause: unknown): StatusdError {
  return new StatusdError('usage', `${file} cannot be read: its aliases or brackets stand for too much`, {
    cause,
  });
}

function foreign(file: string): StatusdError {
  return refuse(`${file} is no configuration of Gatus: it has no endpoints`, 'Name its config.yaml.');
}
