/** Finds headings and keys of a TOML text line by line, for texts that defeat the parser with positions. */
import { createPlaces, type Places } from './places.ts';
import type { Path } from './types/value.ts';

/**
 * Bare headings and `key =` at the start of a line, no more: a line inside of a long string that looks like one
 * is taken for one. Good enough to lead to the right lines.
 */
export function scanPlaces(text: string): Places {
  const places = createPlaces();
  const counts = new Map<string, number>();
  let table: Path = [];
  text.split('\n').forEach((line, index) => {
    const opening = /^\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]/.exec(line);
    if (opening !== null) {
      const [, brackets = '', name = ''] = opening;
      const count = (counts.get(name) ?? -1) + (brackets === '[[' ? 1 : 0);
      if (brackets === '[[') counts.set(name, count);
      table = brackets === '[[' ? [...name.split('.'), count] : name.split('.');
      const start = { line: index + 1, column: line.indexOf('[') + 1 };
      table.forEach((_, depth) => {
        places.add(table.slice(0, depth + 1), { key: start, value: start });
      });
      return;
    }
    const pair = /^(\s*)([A-Za-z0-9_-]+)(\s*=\s*)/.exec(line);
    if (pair === null) return;
    const [, indent = '', key = '', sign = ''] = pair;
    const column = indent.length + 1;
    places.add([...table, key], {
      key: { line: index + 1, column },
      value: { line: index + 1, column: column + key.length + sign.length },
    });
  });
  return places;
}
