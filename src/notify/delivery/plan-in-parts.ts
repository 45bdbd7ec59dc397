/** Plans a turn part by part, so that thousands of decisions do not hold everything else up. */
import type { Operation } from '../../db/store/operation.ts';
import type { Yielder } from '../../engine/monitoring/yielder.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import { begun } from './begun.ts';
import type { DeliveryContext } from './context.ts';
import { plan, type DeliveryPlan, type Ready } from './plan.ts';
import type { PendingDelivery, OutboxCache } from './outbox-cache.ts';

export interface PartsOptions {
  readonly yielder: Yielder;
  readonly cache: Pick<OutboxCache, 'isCurrent'>;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

export interface Planned extends Omit<DeliveryPlan, 'intents'> {
  /** What changed meanwhile, and was not decided about. */
  readonly changed: readonly PendingDelivery[];
}

/** Deliveries decided about at once. */
const atOnce = 50;

/**
 * Decides about each of `waiters` as `plan` does. What a part decides is one transaction, under way when the next one
 * is planned; all of them are written when this resolves.
 */
export async function planInParts(
  pendings: readonly PendingDelivery[],
  context: DeliveryContext,
  { yielder, cache, write }: PartsOptions,
): Promise<Planned> {
  const relations: DeliveryPlan['relations'][number][] = [];
  const asks: DeliveryPlan['asks'][number][] = [];
  const changed: PendingDelivery[] = [];
  const ready = new Map<string, Ready[]>();
  const writes: Promise<void>[] = [];
  for (let from = 0; from < pendings.length; from += atOnce) {
    await yielder.pass();
    const part = pendings.slice(from, from + atOnce);
    changed.push(...part.filter(({ row }) => !cache.isCurrent(row)));
    const planned = plan(
      part.filter(({ row }) => cache.isCurrent(row)),
      context,
    );
    if (planned.intents.length > 0) writes.push(begun(write(operationsOf(planned.intents, context.nowAt))));
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
