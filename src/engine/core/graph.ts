/** Answers which monitors are upstream of which in depends_on. */

/** Direct neighbours by id. Ids that no monitor has are left out; a cycle is walked once. */
export interface Graph {
  readonly above: ReadonlyMap<string, readonly string[]>;
  readonly below: ReadonlyMap<string, readonly string[]>;
}

export interface Dependent {
  readonly id: string;
  readonly dependsOn: readonly string[];
}

const none: readonly string[] = [];

export function graphOf(monitors: readonly Dependent[]): Graph {
  const ids = new Set(monitors.map(({ id }) => id));
  const above = new Map<string, readonly string[]>();
  const below = new Map<string, string[]>();
  for (const { id, dependsOn } of monitors) {
    if (dependsOn.length === 0) {
      above.set(id, none);
      continue;
    }
    const direct = [...new Set(dependsOn)].filter((upstream) => ids.has(upstream));
    above.set(id, direct);
    for (const upstream of direct) {
      const dependents = below.get(upstream);
      if (dependents === undefined) below.set(upstream, [id]);
      else dependents.push(id);
    }
  }
  return { above, below };
}

/** The same of monitors as the configuration has them. */
export function graphOfMonitors(
  monitors: readonly { readonly id: string; readonly depends_on: readonly string[] }[],
): Graph {
  return graphOf(monitors.map(({ id, depends_on }) => ({ id, dependsOn: depends_on })));
}

/** Every monitor that `id` depends on, nearest first; never `id` itself. */
export function upstreams({ above }: Graph, id: string): readonly string[] {
  return reached(above, id);
}

/** Every monitor that depends on `id`, nearest first; never `id` itself. */
export function dependents({ below }: Graph, id: string): readonly string[] {
  return reached(below, id);
}

/**
 * The root causes of `id` among its upstreams that fulfil `isCause` (are down, say): those with no such monitor
 * above them. A healthy one between two failing ones does not part them. Empty when no upstream is a cause.
 */
export function rootsOf(graph: Graph, id: string, isCause: (upstream: string) => boolean): string[] {
  return upstreams(graph, id).filter(
    (upstream) => isCause(upstream) && !upstreams(graph, upstream).some((top) => top !== id && isCause(top)),
  );
}

/**
 * Every monitor that `id` depends on along a path whose monitors all fulfil `isFailing`, nearest first. A healthy monitor
 * on the way ends the path: the failure did not come through it.
 */
export function failingAbove(
  { above }: Graph,
  id: string,
  isFailing: (upstream: string) => boolean,
): string[] {
  return reached(above, id, isFailing);
}

/** Every monitor that depends on `id` along a path whose monitors all fulfil `isFailing`, nearest first. */
export function failingBelow(
  { below }: Graph,
  id: string,
  isFailing: (dependent: string) => boolean,
): string[] {
  return reached(below, id, isFailing);
}

/** Breadth first, with a list of its own: a long chain must not be the depth of the call stack. */
function reached(
  neighbours: ReadonlyMap<string, readonly string[]>,
  start: string,
  passes: (id: string) => boolean = () => true,
): string[] {
  const found = new Set([start]);
  for (const id of found) for (const next of neighbours.get(id) ?? []) if (passes(next)) found.add(next);
  found.delete(start);
  return [...found];
}
