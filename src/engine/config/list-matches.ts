/** Finds the files whose names match a pattern such as `conf.d/*.toml`. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * The paths that an absolute pattern matches, sorted. It has `*` and `?` in its last part; names that begin with a dot
 * match only what begins with one. Rejects with the error of the system, also where there is no such folder.
 */
export type ListMatches = (pattern: string) => Promise<readonly string[]>;

export const listMatches: ListMatches = async (pattern) => {
  const folder = dirname(pattern);
  const isMatch = matcherOf(pattern);
  const names = await readdir(folder);
  return names
    .filter(isMatch)
    .sort()
    .map((name) => join(folder, name));
};

/** Whether a path or a part of one is a pattern. */
export function isPattern(path: string): boolean {
  return /[*?]/.test(path);
}

/** Whether a name in the folder of the pattern matches it. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const last = basename(pattern);
  const source = last
    .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  const whole = new RegExp(`^${source}$`, 'su');
  return (name) => name.startsWith('.') === last.startsWith('.') && whole.test(name);
}
