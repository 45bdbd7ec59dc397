/** Finds headings, keys and values in the syntax tree of a TOML text. */
import type { AST, parseTOML } from 'toml-eslint-parser';
import { createPlaces, type Places } from './places.ts';
import type { TextPosition } from './problem.ts';
import type { Path } from './types/value.ts';

/** Nothing deeper is ever asked for: no setting lies there. */
const maxDepth = 8;

/** The spots of everything in a TOML text. Throws what the parser throws when it does not take the text. */
export function treePlaces(text: string, parse: typeof parseTOML): Places {
  const program = parse(text, { tomlVersion: '1.1' });
  const places = createPlaces();
  const visitValue = (path: Path, value: AST.TOMLContentNode): void => {
    if (value.type === 'TOMLArray') {
      value.elements.forEach((element, index) => {
        places.add([...path, index], { key: startOf(element), value: startOf(element) });
        visitValue([...path, index], element);
      });
    }
    if (value.type === 'TOMLInlineTable')
      value.body.forEach((pair) => {
        visitPair(path, pair);
      });
  };
  const visitPair = (table: Path, { key, value }: AST.TOMLKeyValue): void => {
    const names = namesOf(key);
    const path = [...table, ...names];
    if (path.length > maxDepth) return;
    addParents(table, names, key);
    places.add(path, { key: startOf(key), value: startOf(value) });
    visitValue(path, value);
  };
  /** `a.b = 1` and `[a.b]` make a table `a` without saying so. */
  const addParents = (table: Path, names: readonly string[], node: AST.TOMLNode): void => {
    names
      .slice(0, -1)
      .slice(0, maxDepth)
      .forEach((_, index) => {
        places.add([...table, ...names.slice(0, index + 1)], { key: startOf(node), value: startOf(node) });
      });
  };
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      visitPair([], node);
      continue;
    }
    const start = startOf(node);
    node.resolvedKey.slice(0, maxDepth).forEach((_, index) => {
      places.add(node.resolvedKey.slice(0, index + 1), { key: start, value: start });
    });
    node.body.forEach((pair) => {
      visitPair(node.resolvedKey, pair);
    });
  }
  return places;
}

function namesOf(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function startOf({ loc }: AST.TOMLNode): TextPosition {
  return { line: loc.start.line, column: loc.start.column + 1 };
}
