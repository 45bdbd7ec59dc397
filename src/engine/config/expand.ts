/** Puts environment variables into the strings of a parsed file. */
import type { Steps } from '../core/yielding.ts';
import { failure, warning, type ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';
import { isTable, type Path } from './types/value.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A text that came out of the environment, and the value it went into. */
export interface Contribution {
  readonly path: Path;
  readonly text: string;
}

export interface Expansion {
  readonly table: RawTable;
  readonly findings: readonly ConfigFinding[];
  readonly contributions: readonly Contribution[];
  /** The texts that became empty as a whole, each with the variables that are not set. */
  readonly emptied: readonly { readonly path: Path; readonly names: readonly string[] }[];
}

/** No setting lies deeper; what does is an unknown key, and stays as it is. */
const maxDepth = 6;

const reference = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}|\$\{/g;

/** Most values are: what is not may hold a variable. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? !value.includes('$') : typeof value !== 'object';
}

/** The names of the variables that a text refers to. */
export function variablesIn(written: string): readonly string[] {
  return [...written.matchAll(reference)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** The same without those that have a default. */
export function neededVariablesIn(written: string): readonly string[] {
  return [...written.matchAll(reference)].flatMap(([, name, otherwise]) =>
    name === undefined || otherwise !== undefined ? [] : [name],
  );
}

/**
 * Expands, a table at a time, `${VAR}`, `${VAR:-default}` and `$$` in string values, never in keys. An unset variable is the empty
 * text; the default stands for an unset or an empty one. Any other `$` is itself, so that JSONPath queries and
 * patterns need no escape.
 */
export function* expandTable(table: RawTable, env: Environment): Steps<Expansion> {
  const findings: ConfigFinding[] = [];
  const contributions: Contribution[] = [];
  const emptied: { readonly path: Path; readonly names: readonly string[] }[] = [];

  const expandText = (written: string, path: Path): string => {
    const unset: string[] = [];
    const malformed: string[] = [];
    const expanded = written.replace(reference, (found, name?: string, otherwise?: string) => {
      if (found === '$$') return '$';
      if (name === undefined) {
        malformed.push(found);
        return found;
      }
      const value = Object.hasOwn(env, name) ? (env[name] ?? '') : '';
      if (value !== '') contributions.push({ path, text: value });
      else if (otherwise === undefined) unset.push(name);
      return value === '' ? (otherwise ?? '') : value;
    });
    if (malformed.length > 0) {
      findings.push(
        failure(path, 'holds a malformed ${…}', 'write ${NAME} or ${NAME:-default}; $$ is a plain $'),
      );
    } else if (expanded.trim() === '') {
      // It is judged by its setting: it may be a channel that is disabled by it.
      if (unset.length > 0) emptied.push({ path, names: unset });
    } else {
      for (const name of unset) {
        findings.push(
          warning(path, `uses $${name}, which is not set`, `set it, or write \${${name}:-} to allow that`),
        );
      }
    }
    return expanded;
  };

  const walk = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return value.includes('$') ? expandText(value, path) : value;
    if (path.length >= maxDepth) return value;
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    return isTable(value) ? walkTable(value, path) : value;
  };
  const walkTable = (value: RawTable, path: Path): RawTable =>
    Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isPlain(item) ? item : walk(item, [...path, key])]),
    );

  const expanded: [string, unknown][] = [];
  for (const [key, value] of Object.entries(table)) {
    if (!Array.isArray(value)) {
      expanded.push([key, walk(value, [key])]);
      continue;
    }
    const items: unknown[] = [];
    for (const [index, item] of value.entries()) {
      items.push(walk(item, [key, index]));
      yield;
    }
    expanded.push([key, items]);
  }
  return { table: Object.fromEntries(expanded), findings, contributions, emptied };
}
