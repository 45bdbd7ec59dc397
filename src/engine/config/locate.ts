/** Finds the place of a setting in the texts of the files. */
import { basename } from 'node:path';
import { yieldToEventLoop } from '../core/yielding.ts';
import type { ConfigFinding } from './finding.ts';
import type { TomlPart } from './parse-parts.ts';
import { createPlaces, type Places, type KeyPositions } from './places.ts';
import type { SourceName, SourcePosition } from './problem.ts';
import { treePlaces } from './tree.ts';
import type { Path } from './types/value.ts';

/** The position of a path in its file; that of the nearest table around it when the file does not have it. */
export type Locate = (path: Path, spot?: keyof KeyPositions) => Promise<SourcePosition>;

/** A file of a configuration that parsed as TOML. */
export interface ConfigFile extends SourceName {
  readonly parts: readonly TomlPart[];
  /** Of each list that several files may add to, how many tables this one adds. Absent: there is no other file. */
  readonly counts?: ReadonlyMap<string, number>;
}

/** The file and the position that a finding is about. */
export async function placeOfFinding(
  { path, spot, beside }: ConfigFinding,
  locate: Locate,
): Promise<SourcePosition> {
  return beside === undefined ? locate(path, spot) : { ...beside, fileName: basename(beside.file) };
}

/**
 * A lookup for the main file and those it includes: lists of the latter follow on those of the former. A part is read a second
 * time, for positions, by the first call about it. Should the second parser not take what the first one took, headings and keys are found line by line.
 */
export function locator(main: ConfigFile, included: readonly ConfigFile[] = []): Locate {
  const first = withoutTables(main);
  const files = [first, ...included.map(withoutTables)];
  const places = new Map<TomlPart, Promise<Places>>();
  return async (whole, spot = 'value') => {
    const own = fileOf(files, whole);
    const { file, fileName, parts } = own?.source ?? first;
    const { part, path } = partOf(parts, own?.path ?? whole);
    if (part === undefined) return { file, fileName, line: 1, column: 1 };
    const reading = places.get(part) ?? readPlaces(part.text);
    places.set(part, reading);
    const known = await reading;
    for (let length = path.length; length > 0; length--) {
      const spots = known.find(path.slice(0, length));
      if (spots === null) continue;
      const { line, column } = length === path.length ? spots[spot] : spots.key;
      return { file, fileName, line: line + part.line, column };
    }
    return { file, fileName, line: 1, column: 1 };
  };
}

/** A lookup lives as long as the configuration, which has no use for what else belongs to a file that was read. */
function withoutTables({ file, fileName, parts, counts }: ConfigFile): ConfigFile {
  return { file, fileName, parts, ...(counts === undefined ? {} : { counts }) };
}

/** A path as the file counts that has it: lists of an included file follow on those of the files before it. */
export function pathInFile(files: readonly ConfigFile[], path: Path): Path {
  return fileOf(files, path)?.path ?? path;
}

/** The file that adds a table to a list, and what its path is there; null: it is no table of a list that files share. */
function fileOf(
  files: readonly ConfigFile[],
  [key, index, ...rest]: Path,
): { readonly source: ConfigFile; readonly path: Path } | null {
  if (typeof key !== 'string' || typeof index !== 'number') return null;
  let before = 0;
  for (const source of files) {
    const count = source.counts?.get(key) ?? 0;
    if (index < before + count) return { source, path: [key, index - before, ...rest] };
    before += count;
  }
  return null;
}

/** The part that has a path, and what the path is there: lists count from the start of the part. */
function partOf(parts: readonly TomlPart[], path: Path): { readonly part?: TomlPart; readonly path: Path } {
  if (parts.length === 1 && parts[0] !== undefined) return { part: parts[0], path };
  const [key, index, ...rest] = path;
  let before = 0;
  for (const part of parts) {
    const length = typeof key === 'string' ? part.lengths.get(key) : undefined;
    if (length === undefined || typeof key !== 'string') continue;
    if (length === null || typeof index !== 'number') return { part, path };
    if (index < before + length) return { part, path: [key, index - before, ...rest] };
    before += length;
  }
  return { path };
}

async function readPlaces(text: string): Promise<Places> {
  // Each part is a turn of its own, however many are asked about.
  await yieldToEventLoop();
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
