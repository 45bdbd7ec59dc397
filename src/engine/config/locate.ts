/** Finds the place of a setting in the text of the file. */
import type { Places, Spots } from './places.ts';
import type { TextPosition } from './problem.ts';
import { scanPlaces } from './scan.ts';
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
