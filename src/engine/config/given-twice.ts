/** Finds what a TOML text defines twice, and where first. */
import { pathText } from './finding.ts';
import type { TextPosition } from './problem.ts';

/** A heading or a key at the start of a line, with its whole path. */
interface Definition {
  readonly line: number;
  readonly path: readonly string[];
  readonly kind: 'table' | 'list' | 'key';
}

/** `the key title is given twice, first on line 2`, for the place of the second. Values are never quoted. */
export function givenTwice(text: string, { line, column }: TextPosition): string {
  const lines = text.split('\n');
  const shown = lines[line - 1] ?? '';
  const before = shown.slice(0, column - 1).trim();
  const written = keyAt(shown.slice(column - 1));
  if (written === null) return 'a key or a table is given twice';
  const name = pathText(written);
  const what =
    before === '[' ? `the table [${name}]` : before === '[[' ? `the table [[${name}]]` : `the key ${name}`;
  // What is inside of a value began there, too.
  const first = ['', '[', '[['].includes(before) ? firstOf(definitionsOf(lines.slice(0, line))) : null;
  return `${what} is given twice${first === null ? '' : `, first on line ${first}`}`;
}

/** The line of what is the same as the last of these. A key in one table of a list is another one in the next. */
function firstOf(known: readonly Definition[]): number | null {
  const second = known.at(-1);
  if (second === undefined) return null;
  const { path: wanted } = second;
  const earlier = known.slice(0, -1);
  const start = earlier.findLastIndex(
    ({ path, kind }) => kind === 'list' && path.length < wanted.length && isWithin(wanted, path),
  );
  const found = earlier
    .slice(start + 1)
    .find(({ path, kind }) => isWithin(path, wanted) || (kind === 'key' && isWithin(wanted, path)));
  return found?.line ?? null;
}

function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((key, index) => path[index] === key);
}

function definitionsOf(lines: readonly string[]): readonly Definition[] {
  const definitions: Definition[] = [];
  let table: readonly string[] = [];
  let isInText = false;
  for (const [index, text] of lines.entries()) {
    const wasInText = isInText;
    // A string of several lines begins or ends here.
    if ((text.match(/"""|'''/g) ?? []).length % 2 === 1) isInText = !isInText;
    if (wasInText) continue;
    const [, opening = '', rest = ''] = /^[ \t]*(\[{0,2})(.*)$/s.exec(text) ?? [];
    const key = keyAt(rest);
    if (key === null) continue;
    const line = index + 1;
    if (opening === '') {
      if (/^[^#\[]*=/.test(rest)) definitions.push({ line, path: [...table, ...key], kind: 'key' });
    } else {
      table = key;
      definitions.push({ line, path: key, kind: opening === '[' ? 'table' : 'list' });
    }
  }
  return definitions;
}

const part = `[A-Za-z0-9_-]+|"(?:[^"\\\\]|\\\\.)*"|'[^']*'`;
const dotted = new RegExp(`^[ \\t]*(?:${part})(?:[ \\t]*\\.[ \\t]*(?:${part}))*`);

/** The key that a text begins with; null: none. */
function keyAt(text: string): readonly string[] | null {
  const [written] = dotted.exec(text) ?? [];
  return written === undefined
    ? null
    : [...written.matchAll(new RegExp(part, 'g'))].map(([one]) => one.replace(/^(["'])(.*)\1$/s, '$2'));
}
