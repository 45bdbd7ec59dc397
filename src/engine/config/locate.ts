/** Finds the place of a setting in the text of the file. */
import { createPlaces, type Places, type Spots } from './places.ts';
import type { TextPosition } from './problem.ts';
import { treePlaces } from './tree.ts';
import type { Path } from './types/value.ts';

/** The position of a path in the file; that of the nearest table around it when the file does not have it. */
export type Locate = (path: Path, spot?: keyof Spots) => Promise<TextPosition>;

/**
 * A lookup for a text that parsed as TOML. The text is read a second time, for positions, by the first call. Should
 * the second parser not take what the first one took, headings and keys are found line by line.
 */
export function locator(text: string): Locate {
  let places: Promise<Places> | null = null;
  return async (path, spot = 'value') => {
    places ??= readPlaces(text);
    const known = await places;
    for (let length = path.length; length > 0; length--) {
      const spots = known.find(path.slice(0, length));
      if (spots !== null) return length === path.length ? spots[spot] : spots.key;
    }
    return { line: 1, column: 1 };
  };
}

async function readPlaces(text: string): Promise<Places> {
  // A large parser, needed only once a position is asked for.
  const { default: parser } = await import('toml-eslint-parser');
  try {
    return treePlaces(text, parser.parseTOML);
  } catch {
    return scanPlaces(text);
  }
}

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
