/** A lookup from a path of the configuration to where it stands in the text. */
import type { TextPosition } from './problem.ts';
import type { Path } from './types/value.ts';

/** Where a key stands, and where what is written after it begins. */
export interface KeyPositions {
  readonly key: TextPosition;
  readonly value: TextPosition;
}

/** Spots by path. */
export interface Places {
  readonly add: (path: Path, spots: KeyPositions) => void;
  readonly find: (path: Path) => KeyPositions | null;
}

/** An empty lookup. The first spots of a path stay: those of a table that is opened twice are its first. */
export function createPlaces(): Places {
  const spotsByPath = new Map<string, KeyPositions>();
  return {
    add: (path, spots) => {
      const name = JSON.stringify(path);
      if (!spotsByPath.has(name)) spotsByPath.set(name, spots);
    },
    find: (path) => spotsByPath.get(JSON.stringify(path)) ?? null,
  };
}
