/** Finds the route of a path. */
import type { Method, Route } from './route.ts';

export interface FoundRoute {
  /** The rows of that path by method, in the order they are declared. */
  readonly rows: ReadonlyMap<Method, Route>;
  /** The parameters in the path, by name. */
  readonly path: Readonly<Record<string, string>>;
}

export type FindRoute = (segments: readonly string[]) => FoundRoute | null;

interface PathNode {
  readonly parts: readonly Part[];
  readonly mayEndInSlashes: boolean;
  readonly rows: Map<Method, Route>;
}

/** A segment that must be there as it is, or that has a name and may be anything. */
type Part = { readonly text: string } | { readonly name: string };

/** `segments` are those of a path, decoded: `/api/push/a` is `['api', 'push', 'a']`. */
export function tableOf(routes: readonly Route[]): FindRoute {
  const places = new Map<string, PathNode>();
  for (const row of routes) {
    const place = places.get(row.path) ?? {
      parts: partsOf(row.path),
      mayEndInSlashes: row.mayEndInSlashes === true,
      rows: new Map(),
    };
    place.rows.set(row.method, row);
    places.set(row.path, place);
  }
  const all = [...places.values()];
  return (segments) => {
    for (const { parts, mayEndInSlashes, rows } of all) {
      const path = matchOf(parts, mayEndInSlashes ? withoutEmptyEnd(segments) : segments);
      if (path !== null) return { rows, path };
    }
    return null;
  };
}

function partsOf(path: string): Part[] {
  return path
    .slice(1)
    .split('/')
    .map((segment) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      return name === undefined ? { text: segment } : { name };
    });
}

function withoutEmptyEnd(segments: readonly string[]): readonly string[] {
  const last = segments.findLastIndex((segment) => segment !== '');
  return last === segments.length - 1 ? segments : segments.slice(0, last + 1);
}

function matchOf(
  parts: readonly Part[],
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  if (parts.length !== segments.length) return null;
  const path: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const given = segments[index] ?? '';
    if ('text' in part) {
      if (part.text !== given) return null;
    } else {
      if (given === '') return null;
      path[part.name] = given;
    }
  }
  return path;
}
