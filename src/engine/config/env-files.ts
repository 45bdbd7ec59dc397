/** Reads variables from files beside the configuration. */
import { basename, join } from 'node:path';
import { type Environment, neededVariablesIn, variablesIn } from './expand.ts';
import { warning, type ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';
import { maxFileBytes } from './read-file.ts';
import type { FileTools } from './secret-files.ts';
import { decode, systemCode, whyNot } from './source.ts';

/** The first that has a variable gives it. */
const names = ['statusd.env', '.env'] as const;

/** Where an import puts secrets. */
export const secretsFile = names[0];

export interface EnvFiles {
  readonly env: Environment;
  /** By variable the file that gives it. */
  readonly files: ReadonlyMap<string, string>;
  /** What of them could not be read. */
  readonly findings: readonly ConfigFinding[];
}

/** A file that a configuration without variables does not need may be for this program all the same. */
const ownName = /\bSTATUSD_/;

/**
 * The variables of `statusd.env` and `.env` in the folder of the configuration. Both may be missing. Unless the
 * configuration `isAsking` for variables, nothing is wrong with a file that is for other programs.
 */
export async function readEnvFiles({ folder, readFile }: FileTools, isAsking: boolean): Promise<EnvFiles> {
  const env: Record<string, string> = {};
  const files = new Map<string, string>();
  const findings: ConfigFinding[] = [];
  for (const name of names) {
    const file = join(folder, name);
    const warn = (line: number, message: string, hint: string | null = null) => {
      findings.push({ ...warning([], message, hint), beside: { file, line, column: 1 } });
    };
    const isOwn = isAsking || name === secretsFile;
    const text = await readFile(file).then(
      (bytes) => (bytes.length > maxFileBytes ? null : decode(bytes)),
      (error: unknown) => {
        const code = systemCode(error);
        if (code === 'EISDIR' && name === secretsFile)
          warn(1, 'the file is a directory', 'put a file with NAME=value lines in its place');
        else if (isOwn && !isNoFile(code)) warn(1, `the file ${whyNot(code)}`, 'check its owner and mode');
        return '';
      },
    );
    if (typeof text !== 'string') {
      if (isOwn) warn(1, 'the file is not a small text file, and is not read');
      continue;
    }
    const { values, faults } = parseEnv(text);
    for (const [key, value] of Object.entries(values)) {
      if (Object.hasOwn(env, key)) continue;
      env[key] = value;
      files.set(key, file);
    }
    if (isOwn || ownName.test(text))
      for (const { line, fault } of faults) warn(line, lineFaults[fault][0], lineFaults[fault][1]);
  }
  return { env, files, findings };
}

/** A folder named `.env` is a Python environment. */
function isNoFile(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}

/** What is wrong with a line, which may hold a secret and is not quoted. */
const lineFaults = {
  noValue: ['the line is not NAME=value, and is left out', 'put # before it if it is a comment'],
  badName: [
    'the name before the = is none that a variable can have, so the line is left out',
    'letters, digits and _ make one, and no digit is its first',
  ],
  open: [
    'the value has no closing quotation mark, so the line is left out',
    'close it; a value that holds such a mark needs the other kind around it',
  ],
  more: [
    'something follows the closing quotation mark, so the line is left out',
    'put the whole value in quotation marks',
  ],
} as const;

type LineFault = keyof typeof lineFaults;

interface ParsedEnv {
  readonly values: Readonly<Record<string, string>>;
  /** Of lines that are neither empty, nor a comment, nor `NAME=value`. */
  readonly faults: readonly { readonly line: number; readonly fault: LineFault }[];
}

/**
 * Lines of `NAME=value` as systemd and Docker Compose read them: `export` before the name is allowed, a value in single
 * quotes is as it is, one in double quotes has `\\`, `\"`, `\$` and `` \` `` for these characters. The last line of a name
 * counts.
 */
function parseEnv(text: string): ParsedEnv {
  const values: Record<string, string> = {};
  const faults: { line: number; fault: LineFault }[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (/^\s*(#|$)/.test(line)) return;
    const [, name = '', written = ''] =
      /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const read =
      name === '' ? ({ fault: line.includes('=') ? 'badName' : 'noValue' } as const) : valueOf(written);
    if (typeof read === 'string') values[name] = read;
    else faults.push({ line: index + 1, ...read });
  });
  return { values, faults };
}

function valueOf(written: string): string | { readonly fault: LineFault } {
  const mark = written[0];
  if (mark !== "'" && mark !== '"') return written.replace(/\s+#.*$/, '');
  const quoted = mark === "'" ? /^'([^']*)'\s*(#.*)?/ : /^"((?:[^"\\]|\\.)*)"\s*(#.*)?/;
  const [whole, inside] = quoted.exec(written) ?? [];
  if (whole === undefined || inside === undefined) return { fault: 'open' };
  if (whole.length < written.length) return { fault: 'more' };
  return mark === "'" ? inside : inside.replace(/\\([\\"$`])/g, '$1');
}

interface Variables {
  /** As it is written in the file. */
  readonly table: RawTable;
  readonly env: Environment;
  readonly beside: EnvFiles;
}

/**
 * What to do about an error of a value that lacks a variable: the key is right then. Where the files that may set it are
 * not read as a whole, that comes first. Null: something else.
 */
export function unsetVariables({ table, env, beside }: Variables): (finding: ConfigFinding) => string | null {
  const [first] = beside.findings;
  const file = first?.beside === undefined ? null : basename(first.beside.file);
  return ({ severity, path }) => {
    if (severity !== 'error') return null;
    const written = path.reduce<unknown>((value, step) => (value as RawTable | undefined)?.[step], table);
    if (typeof written !== 'string') return null;
    const names = file === null ? neededVariablesIn(written) : variablesIn(written);
    const name = names.find((one) => (env[one] ?? '') === '' && (beside.env[one] ?? '') === '');
    if (name === undefined) return null;
    return `$${name} is not set: ${file === null ? 'set it, or write the value here' : `see to ${file} first`}`;
  };
}

/** A line that every reader of such files takes for the same value; `value` has no line break. */
export function envLine(name: string, value: string): string {
  if (/^[A-Za-z0-9_./:@%+=,-]*$/.test(value)) return `${name}=${value}`;
  return value.includes("'") ? `${name}="${value.replace(/[\\"$`]/g, '\\$&')}"` : `${name}='${value}'`;
}

/** The name that a line gives a value to; null: it gives none. */
export function nameInEnvLine(line: string): string | null {
  return /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=/.exec(line)?.[1] ?? null;
}
