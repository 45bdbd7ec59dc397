/** Finds the row for a path. */
import type { Method, Route } from './route.ts';

export interface Found {
  /** The rows of that path by method, in the order they are declared. */
  readonly rows: ReadonlyMap<Method, Route>;
  /** The parameters in the path, by name. */
  readonly path: Readonly<Record<string, string>>;
}

export type FindRoute = (segments: readonly string[]) => Found | null;

interface Place {
  readonly segments: readonly string[];
  readonly rows: Map<Method, Route>;
}

/** `segments` are those of a path, decoded: `/api/push/a` is `['api', 'push', 'a']`. */
export function tableOf(routes: readonly Route[]): FindRoute {
  const places = new Map<string, Place>();
  for (const row of routes) {
    const place = places.get(row.path) ?? { segments: row.path.slice(1).split('/'), rows: new Map() };
    place.rows.set(row.method, row);
    places.set(row.path, place);
  }
  const all = [...places.values()];
  return (segments) => {
    for (const place of all) {
      const path = matchOf(place.segments, segments);
      if (path !== null) return { rows: place.rows, path };
    }
    return null;
  };
}

function matchOf(
  template: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  if (template.length !== segments.length) return null;
  const path: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const given = segments[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== given) return null;
    if (name !== undefined && given === '') return null;
    if (name !== undefined) path[name] = given;
  }
  return path;
}
