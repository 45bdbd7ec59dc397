/** Finds what request targets lead to, and remembers those that are asked for again and again. */
import type { FindRoute, FoundRoute } from './routes/table.ts';
import { readTarget } from './target.ts';

export interface CachedRoute extends FoundRoute {
  readonly query: URLSearchParams;
}

const maxRemembered = 256;
const maxLength = 256;

/** Null: there is nothing at this address. Throws a 400 for what is no target. A query, which may hold a token, is not kept. */
export function createRouteCache(find: FindRoute): (target: string) => CachedRoute | null {
  const remembered = new Map<string, CachedRoute>();
  return (target) => {
    const known = remembered.get(target);
    if (known !== undefined) return known;
    const { segments, query } = readTarget(target);
    const found = find(segments);
    if (found === null) return null;
    const led = { ...found, query };
    if (target.length <= maxLength && !target.includes('?')) {
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(target, led);
    }
    return led;
  };
}
