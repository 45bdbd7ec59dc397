/** Plans a turn part by part, so that thousands of decisions do not hold everything else up. */
import type { Operation } from '../../db/operation.ts';
import type { Slices } from '../../engine/loop/slices.ts';
import { operationsOf } from '../../engine/loop/telling.ts';
import { begun } from './begun.ts';
import type { Facts } from './facts.ts';
import { plan, type Plan, type Ready } from './plan.ts';
import type { Waiter, Waiting } from './waiting.ts';

export interface PartsOptions {
  readonly slices: Slices;
  readonly waiting: Pick<Waiting, 'isCurrent'>;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

export interface Planned extends Omit<Plan, 'intents'> {
  /** What changed meanwhile, and was not decided about. */
  readonly changed: readonly Waiter[];
}

/** Deliveries decided about at once. */
const atOnce = 50;

/**
 * Decides about each of `waiters` as `plan` does. What a part decides is one transaction, under way when the next one
 * is planned; all of them are written when this resolves.
 */
export async function planInParts(
  waiters: readonly Waiter[],
  facts: Facts,
  { slices, waiting, write }: PartsOptions,
): Promise<Planned> {
  const relations: Plan['relations'][number][] = [];
  const asks: Plan['asks'][number][] = [];
  const changed: Waiter[] = [];
  const ready = new Map<string, Ready[]>();
  const writes: Promise<void>[] = [];
  for (let from = 0; from < waiters.length; from += atOnce) {
    await slices.pass();
    const part = waiters.slice(from, from + atOnce);
    changed.push(...part.filter(({ row }) => !waiting.isCurrent(row)));
    const planned = plan(
      part.filter(({ row }) => waiting.isCurrent(row)),
      facts,
    );
    if (planned.intents.length > 0) writes.push(begun(write(operationsOf(planned.intents, facts.nowAt))));
    relations.push(...planned.relations);
    asks.push(...planned.asks);
    for (const [channel, list] of planned.ready) {
      const known = ready.get(channel);
      if (known === undefined) ready.set(channel, [...list]);
      else known.push(...list);
    }
  }
  await Promise.all(writes);
  return { relations, asks, ready, changed };
}
