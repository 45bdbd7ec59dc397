/** A problem that the loader found, before its place in the text is known. */
import { cleanLine, cutText } from '../core/text.ts';
import { isTable, type ValueFault, type Path } from './types/value.ts';

export interface ConfigFinding {
  readonly severity: 'error' | 'warning';
  readonly path: Path;
  /** Whether the key itself is meant, or what is written after it. */
  readonly spot: 'key' | 'value';
  readonly message: string;
  readonly hint: string | null;
  /** The place of what it collides with, for messages that name both. */
  readonly earlier?: Path;
  /** Whether it misses something that a file may have which could not be read. */
  readonly isMissing?: true;
  /** Where it is when it is not in the configuration itself, but in a file of variables beside it. */
  readonly beside?: { readonly file: string; readonly line: number; readonly column: number };
}

/** A finding with the words that its sentence begins with. */
export interface NamedFinding extends ConfigFinding {
  /** `monitor "api": interval_secs`, `server.bind:`; empty for the file as a whole. */
  readonly subject: string;
  /** The path as the file counts in which it stands. */
  readonly ownPath: Path;
}

export function failure(path: Path, message: string, hint: string | null = null): ConfigFinding {
  return { severity: 'error', path, spot: 'value', message, hint };
}

/** A name of something that there is not. */
export function missing(path: Path, message: string, hint: string): ConfigFinding {
  return { ...failure(path, message, hint), isMissing: true };
}

export function warning(path: Path, message: string, hint: string | null = null): ConfigFinding {
  return { severity: 'warning', path, spot: 'value', message, hint };
}

/** The fault of a value, as a finding about the place where the value stands. */
export function faulty(path: Path, { at, ...fault }: ValueFault): ConfigFinding {
  return { severity: 'error', path: [...path, ...at], ...fault };
}

/** What one table of a list is called, in the file of the configuration and in those of `statusd test`. */
export const wordForOne = {
  monitors: 'monitor',
  channels: 'channel',
  rotations: 'rotation',
  escalations: 'escalation',
  outputs: 'output',
  peers: 'peer',
  maintenance: 'maintenance',
  incidents: 'incident',
  tests: 'test',
} as const;

/**
 * The words for a place of the file, to be followed by what is wrong there: `monitor "api": interval_secs`, and
 * `monitors[2].interval_secs:` for a table without an id, name or title, counted as in `ownPath`.
 */
export function subjectOf(path: Path, file: unknown, ownPath = path): string {
  const owners: string[] = [];
  let rest = ownPath;
  let value = file;
  for (const [depth, step] of path.entries()) {
    value = valueAt(value, step);
    const list = path[depth - 1];
    const name = typeof step === 'number' ? nameOf(value) : null;
    if (name === null || !isNamedList(list)) continue;
    owners.push(`${wordForOne[list]} ${quote(name)}:`);
    rest = path.slice(depth + 1);
  }
  const key = pathText(rest);
  if (owners.length === 0) return key === '' ? '' : `${key}:`;
  return [...owners, key].filter((part) => part !== '').join(' ');
}

function isNamedList(step: string | number | undefined): step is keyof typeof wordForOne {
  return typeof step === 'string' && Object.hasOwn(wordForOne, step);
}

function valueAt(value: unknown, step: string | number): unknown {
  if (typeof step === 'string') return isTable(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  // `[channels]` where `[[channels]]` was meant is read as a list of one.
  return Array.isArray(value) ? (value[step] as unknown) : value;
}

function nameOf(value: unknown): string | null {
  if (!isTable(value)) return null;
  const names = ['id', 'name', 'title'].map((key) => value[key]);
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null;
}

/** A path in the notation of the file: `monitors[2].headers."X Y"`; indexes count from 0. */
export function pathText(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : dotted(step, index))).join('');
}

function dotted(key: string, index: number): string {
  const shown = /^[A-Za-z0-9_-]+$/.test(key) ? cutText(key, 60) : quote(key);
  return index === 0 ? shown : `.${shown}`;
}

/** A word of the file in quotation marks, short and printable. Never hand it a secret. */
export function quote(word: string): string {
  return `"${cutText(cleanLine(word), 60)}"`;
}
