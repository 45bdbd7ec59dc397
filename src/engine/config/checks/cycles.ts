/** Finds monitors that depend on themselves by way of others. */
import type { ConfigDraft } from '../draft.ts';
import { failure, type ConfigFinding } from '../finding.ts';

/** One finding for each cycle, at the `depends_on` that closes it. */
export function* checkCycles({ monitors }: ConfigDraft): Generator<ConfigFinding> {
  const upstreams = new Map<string, readonly string[]>();
  const indexes = new Map<string, number>();
  for (const [index, { id, depends_on: ids }] of monitors.entries()) {
    if (id === undefined || indexes.has(id)) continue;
    upstreams.set(id, ids ?? []);
    indexes.set(id, index);
  }
  const done = new Set<string>();
  for (const start of upstreams.keys()) {
    // Depth first with a stack of its own: a long chain must not be the depth of the call stack.
    const trail: { readonly id: string; next: number }[] = done.has(start) ? [] : [{ id: start, next: 0 }];
    const onTrail = new Set(trail.map(({ id }) => id));
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const position = top.next++;
      const upstream = upstreams.get(top.id)?.[position];
      if (upstream === undefined) {
        done.add(top.id);
        onTrail.delete(top.id);
        trail.pop();
      } else if (onTrail.has(upstream)) {
        const ids = trail.map(({ id }) => id);
        const cycle = [...ids.slice(ids.indexOf(upstream)), upstream].join(' -> ');
        yield failure(
          ['monitors', indexes.get(top.id) ?? 0, 'depends_on', position],
          `makes a cycle: ${cycle}`,
          'remove one of these',
        );
      } else if (!done.has(upstream) && upstreams.has(upstream)) {
        trail.push({ id: upstream, next: 0 });
        onTrail.add(upstream);
      }
    }
  }
}
