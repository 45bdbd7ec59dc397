/** Records which outage caused which, as it becomes known. */
import type { Json, Operation } from '../../db/store/operation.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { dependents, upstreams } from '../../engine/core/graph.ts';
import { causesOf, type Outage } from '../../engine/alerting/blast.ts';
import { holdLimitMs } from '../../engine/alerting/hold-limit.ts';
import type { Yielder } from '../../engine/core/yielding.ts';
import type { ChosenBatch } from './choose.ts';
import { blastOf } from './compose-one.ts';
import type { DeliveryContext } from './context.ts';
import type { Ready, Relation } from './plan.ts';

/** What an incident says of others, as far as it is known by now. */
interface Description {
  cause: string | null;
  readonly impacted: Set<string>;
  readonly vantage: Json;
  isNews: boolean;
}

/** What a message that is about to go out says about causes: its own, and that it is the cause of others. */
function relationsOf({ row, event, cause }: Ready, context: DeliveryContext): Relation[] {
  const { monitor } = row;
  if (event !== 'down' || monitor === null) return [];
  const blast = blastOf(monitor, null, context).down.map((id) => ({
    monitor: id,
    causes: rootsFor(id, context),
  }));
  return cause === null ? blast : [...blast, { monitor, causes: [cause] }];
}

/**
 * What the outage of a monitor says about causes, whatever becomes of the message about it: its own, and those of
 * its dependents.
 */
function relationsOfOutage(monitor: string, context: DeliveryContext): Relation[] {
  if (!context.outages().has(monitor)) return [];
  return [monitor, ...dependents(context.settings.graph, monitor)].map((id) => ({
    monitor: id,
    causes: rootsFor(id, context),
  }));
}

/** The upstreams that are the cause, which need not be those whose alerts this channel receives. */
function rootsFor(id: string, context: DeliveryContext): readonly string[] {
  const { outages, settings, look } = context;
  const outage = outages().get(id);
  if (outage === undefined) return [];
  return causesOf(inRecord(outage, context), { graph: settings.graph, outages: outages(), look });
}

/** For how long after an outage was confirmed an upstream that fails is recorded as the cause. */
const causeShownWithinMs = 300_000;

/**
 * An outage as the record sees it. Where no message was sent (nobody is routed, or it is muted) no window ends and no
 * upstream is checked for it: its cause may show for a while.
 */
function inRecord(outage: Outage, { incident, settings }: DeliveryContext): Outage {
  const confirmedAt = incident(outage.uid)?.confirmedAt ?? 0;
  const untilAt = confirmedAt + Math.max(causeShownWithinMs, holdLimitMs(settings.windowMs));
  return { ...outage, windowEndsAt: Math.max(outage.windowEndsAt, untilAt) };
}

/** The operations that add these relations to the open incidents; none for what they say already. */
function relate(relations: readonly Relation[], context: DeliveryContext): Operation[] {
  const descriptions = new Map<string, Description>();
  const describe = (monitor: string, add: (description: Description) => boolean): void => {
    const uid = context.outages().get(monitor)?.uid ?? null;
    const incident = uid === null ? null : context.incident(uid);
    if (uid === null || incident === null) return;
    const { cause, impacted, vantage } = incident;
    const known = descriptions.get(uid) ?? { cause, impacted: new Set(impacted), vantage, isNews: false };
    descriptions.set(uid, known);
    if (add(known)) known.isNews = true;
  };
  for (const { monitor, causes } of relations) {
    describe(monitor, (dependent) => {
      const better = betterCause(dependent.cause, causes, context);
      if (better === null) return false;
      dependent.cause = better;
      return true;
    });
    for (const id of causes) describe(id, ({ impacted }) => impacted.size < impacted.add(monitor).size);
  }
  return [...descriptions]
    .filter(([, { isNews }]) => isNews)
    .map(([uid, { cause, impacted, vantage }]) =>
      incidents.describe({ uid, cause, impacted: [...impacted], vantage }),
    );
}

/** Which of `causes` to name instead of `named`; null: none. What was named may be down because of another one. */
function betterCause(
  named: string | null,
  causes: readonly string[],
  { settings }: DeliveryContext,
): string | null {
  if (named === null) return causes[0] ?? null;
  const above = upstreams(settings.graph, named);
  return causes.find((id) => above.includes(id)) ?? null;
}

export interface WritingRelations {
  /** The monitors whose outage began since this was last written. */
  readonly begun: readonly string[];
  readonly facts: DeliveryContext;
  readonly yielder: Yielder;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

/** Operations that need not be written together, but can be. */
const atOnce = 50;

/** Writes down which outage belongs to which, as far as a round has shown. */
export async function writeRelations(
  held: readonly Relation[],
  chosenBatches: Iterable<ChosenBatch>,
  { begun, facts, yielder, write }: WritingRelations,
): Promise<void> {
  const relations = [...held];
  for (const monitor of begun) {
    await yielder.pass();
    relations.push(...relationsOfOutage(monitor, facts));
  }
  for (const { deliveries } of chosenBatches)
    for (const delivery of deliveries) {
      await yielder.pass();
      relations.push(...relationsOf(delivery, facts));
    }
  const operations = relate(relations, facts);
  for (let from = 0; from < operations.length; from += atOnce)
    await write(operations.slice(from, from + atOnce));
}
