/** Writes into the incident record which outage belongs to which, as it becomes known. */
import type { Operation } from '../../db/operation.ts';
import { incidents } from '../../db/topics/incidents.ts';
import { causesOf } from '../../engine/core/tell/fold.ts';
import { blastOf } from './compose.ts';
import type { Facts } from './facts.ts';
import type { Ready, Relation } from './plan.ts';

interface Description {
  readonly cause: string | null;
  readonly impacted: readonly string[];
}

/** What a message that is about to go out says about causes: its own, and that it is the cause of others. */
export function relationsOf(deliveries: readonly Ready[], facts: Facts): Relation[] {
  return deliveries.flatMap(({ row, event, cause }): Relation[] => {
    const { monitor } = row;
    if (event !== 'down' || monitor === null) return [];
    const blast = blastOf(monitor, facts).map((id) => ({ monitor: id, causes: rootsFor(id, facts) }));
    return cause === null ? blast : [...blast, { monitor, causes: [cause] }];
  });
}

/** The upstreams to blame, which need not be those this channel hears of. */
function rootsFor(id: string, { outages, setting }: Facts): readonly string[] {
  const outage = outages().get(id);
  return outage === undefined ? [] : causesOf(outage, { graph: setting.graph, outages: outages() });
}

/** The operations that add these relations to the open incidents; none for what they say already. */
export function relate(relations: readonly Relation[], facts: Facts): Operation[] {
  const changes = new Map<string, Description>();
  const describe = (monitor: string, change: (before: Description) => Description): void => {
    const uid = facts.outages().get(monitor)?.uid;
    const before = uid === undefined ? null : (changes.get(uid) ?? facts.incident(uid));
    if (uid === undefined || before === null) return;
    const after = change(before);
    if (after !== before) changes.set(uid, after);
  };
  for (const { monitor, causes } of relations) {
    const [cause] = causes;
    if (cause === undefined) continue;
    describe(monitor, (before) => (before.cause === null ? { ...before, cause } : before));
    for (const upstream of causes)
      describe(upstream, (before) =>
        before.impacted.includes(monitor) ? before : { ...before, impacted: [...before.impacted, monitor] },
      );
  }
  return [...changes].map(([uid, { cause, impacted }]) =>
    incidents.describe({ uid, cause, impacted, vantage: facts.incident(uid)?.vantage ?? null }),
  );
}
