/** Reads the variables that lie in files beside the configuration. */
import { basename, join } from 'node:path';
import type { Environment } from './expand.ts';
import { warning, type ConfigFinding } from './finding.ts';
import { maxFileBytes } from './read-file.ts';
import type { FileTools } from './secret-files.ts';
import { decode, systemCode, whyNot } from './source.ts';

/** The first that has a variable gives it. */
const names = ['statusd.env', '.env'] as const;

/** Where an import puts secrets. */
export const secretsFile = names[0];

export interface EnvFiles {
  readonly env: Environment;
  /** What of them could not be read. */
  readonly findings: readonly ConfigFinding[];
}

/** The variables of `statusd.env` and `.env` in the folder of the configuration. Both may be missing. */
export async function readEnvFiles({ folder, readFile }: FileTools): Promise<EnvFiles> {
  const env: Record<string, string> = {};
  const findings: ConfigFinding[] = [];
  for (const name of names) {
    const file = join(folder, name);
    const text = await readFile(file).then(
      (bytes) => (bytes.length > maxFileBytes ? null : decode(bytes)),
      (error: unknown) => {
        const code = systemCode(error);
        if (!isNoFile(code))
          findings.push(warning([], `${name} ${whyNot(code)}`, 'check its owner and mode'));
        return '';
      },
    );
    if (typeof text !== 'string') {
      findings.push(warning([], `${name} is not a small text file, and is not read`));
      continue;
    }
    const { values, badLines } = parseEnv(text);
    for (const [key, value] of Object.entries(values)) if (!Object.hasOwn(env, key)) env[key] = value;
    for (const line of badLines)
      findings.push(
        warning(
          [],
          `${basename(file)}: line ${line} is not NAME=value, and is left out`,
          "quote the value with '",
        ),
      );
  }
  return { env, findings };
}

function isNoFile(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}

interface ParsedEnv {
  readonly values: Readonly<Record<string, string>>;
  /** The numbers of lines that are neither empty, nor a comment, nor `NAME=value`. */
  readonly badLines: readonly number[];
}

/**
 * Lines of `NAME=value` as systemd and Docker Compose read them: `export` before the name is allowed, a value in single
 * quotes is as it is, one in double quotes has `\\`, `\"`, `\$` and `` \` `` for these characters. The last line of a name
 * counts.
 */
function parseEnv(text: string): ParsedEnv {
  const values: Record<string, string> = {};
  const badLines: number[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (/^\s*(#|$)/.test(line)) return;
    const [, name = '', written = ''] =
      /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const value = name === '' ? null : valueOf(written);
    if (value === null) badLines.push(index + 1);
    else values[name] = value;
  });
  return { values, badLines };
}

/** Null: a quotation mark is not closed, or something follows it. */
function valueOf(written: string): string | null {
  const mark = written[0];
  if (mark !== "'" && mark !== '"') return written.replace(/\s+#.*$/, '');
  const quoted = mark === "'" ? /^'([^']*)'\s*(?:#.*)?$/ : /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/;
  const inside = quoted.exec(written)?.[1];
  if (inside === undefined) return null;
  return mark === "'" ? inside : inside.replace(/\\([\\"$`])/g, '$1');
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
