/** Reads the YAML of Gatus into plain values. */
import type { ErrorCode } from 'yaml';
import { StatusdError } from '../../../engine/core/errors.ts';
import { decode } from '../../../engine/config/source.ts';
import { isRecord, type Loose } from '../record.ts';

/** Anchors save typing, but a few lines of them can stand for gigabytes. */
const maxAliases = 1000;

/** The configuration in one file. Throws what readYaml throws. */
export async function readGatusYaml(bytes: Uint8Array, file: string): Promise<Loose> {
  return expectGatus((await readYaml(bytes, file)) ?? {}, file);
}

/** Throws a usage error when it is that of another program. */
export function expectGatus(value: Loose, file: string): Loose {
  if (!isGatus(value)) throw foreign(file);
  return value;
}

/**
 * Null when the file is empty. Throws a usage error that names line and column; never the text there, which may be a
 * secret.
 */
export async function readYaml(bytes: Uint8Array, file: string): Promise<Loose | null> {
  const text = decode(bytes);
  if (typeof text !== 'string')
    throw refuse(`${file}:${text.line}:${text.column}: ${text.message}`, text.hint);
  const { default: yaml } = await import('yaml');
  const lines = new yaml.LineCounter();
  let value: unknown;
  try {
    const document = yaml.parseDocument(text, {
      merge: true,
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw refuse(`${file}:${line}:${col}: ${sayings[error.code] ?? 'this is not valid YAML'}`, null);
    }
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    if (error instanceof StatusdError) throw error;
    throw tooDeep(file, error);
  }
  if (value === null || value === undefined) return null;
  if (!isRecord(value)) throw foreign(file);
  return value;
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

function refuse(message: string, hint: string | null): StatusdError {
  return new StatusdError('usage', message, hint === null ? {} : { hint });
}
