/**
 * Records the contents of a message before it is sent, so that a crash leaves no doubt about what a channel was given.
 */
import type { Operation } from '../../db/store/operation.ts';
import { outbox } from '../../db/tables/outbox.ts';
import { copiesOf, markedAs, messageOf } from '../../engine/alerting/copies.ts';
import { changed, type EventFields } from '../../engine/alerting/events/stored.ts';
import { endsOf, namedOf } from '../../engine/alerting/group.ts';
import { groupKindOf, isAgain } from './group-kind.ts';
import { uidsOf } from './context.ts';
import { endedWith, mostRemembered, stillOver } from './contents.ts';
import type { DeliveryContext } from './context.ts';
import { messageIdOf } from './message-id.ts';
import type { OutboxCache } from './outbox-cache.ts';
import type { Ready } from './plan.ts';
import type { Batch } from './record-delivery.ts';
import { begun, type PartsWriter } from './write-in-parts.ts';

export interface PrepareOptions extends PartsWriter {
  readonly facts: () => DeliveryContext;
  /** These incidents are over and their recoveries are still to be found. */
  readonly onLeftOut: (incidents: readonly string[]) => void;
  readonly cache: OutboxCache;
}

/** Deliveries written down in one transaction. */
const atOnce = 25;

/**
 * Writes down, before the first attempt, what goes in a message: with which deliveries, so that after a crash it goes
 * again as it was, and receivers that discard what they know miss nothing; and what each recovery ends. Null: one of them
 * is not to be sent any more, so what is left is decided again.
 */
export async function prepare(batch: Batch, options: PrepareOptions): Promise<Batch | null> {
  const { cache, yielder, write } = options;
  const [first, ...others] = batch.deliveries;
  const message = { as: messageIdOf(batch.deliveries), lead: first.row.deliveryId };
  const leftOpen: string[] = [];
  const operations = leftBehind(batch, message.as, cache);
  const writes: Promise<void>[] = [];
  const prepareOne = async (ready: Ready): Promise<Ready> => {
    await yielder.pass();
    const { row } = ready;
    const context = options.facts();
    const { ends, open } = endsFor(ready, cache, context);
    leftOpen.push(...open);
    const count = copiesOf(row.payload)?.count ?? 0;
    const changes = { ...ends, ...(couldJoinOthers(ready, context) ? markedAs(message, count) : {}) };
    if (Object.keys(changes).length === 0) return ready;
    operations.push(outbox.change({ deliveryId: row.deliveryId, changes, nextAt: null }));
    if (operations.length >= atOnce) writes.push(begun(write(operations.splice(0))));
    return { ...ready, row: { ...row, payload: changed(row.payload, changes) } };
  };
  const deliveries: [Ready, ...Ready[]] = [await prepareOne(first)];
  for (const ready of others) deliveries.push(await prepareOne(ready));
  if (operations.length > 0) writes.push(write(operations));
  await Promise.all(writes);
  const { incident } = options.facts();
  const over = leftOpen.filter((uid) => (incident(uid)?.endedAt ?? null) !== null);
  if (over.length > 0) options.onLeftOut(over);
  return deliveries.every(({ row }) => cache.has(row.deliveryId)) ? { ...batch, deliveries } : null;
}

/** What was in a message (its id is of one channel) that goes again without it has one of its own, if it is still to be sent. */
function leftBehind({ deliveries }: Batch, as: string, cache: OutboxCache): Operation[] {
  if (messageOf(deliveries[0].row.payload)?.as !== as) return [];
  const going = new Set(deliveries.map(({ row }) => row.deliveryId));
  return [...cache.ofChannel(deliveries[0].row.channel)].flatMap(({ row }) => {
    const { deliveryId, payload } = row;
    if (going.has(deliveryId) || messageOf(payload)?.as !== as) return [];
    const alone = markedAs({ as: deliveryId, lead: deliveryId }, copiesOf(payload)?.count ?? 0);
    return [outbox.change({ deliveryId, changes: alone, nextAt: null })];
  });
}

/** Whether it is to be written that a delivery goes in this message: another time it could go with others. */
function couldJoinOthers(ready: Ready, { settings }: DeliveryContext): boolean {
  const kind = groupKindOf(ready);
  if (settings.windowMs === 0 || kind === null || isAgain(kind)) return false;
  return ready.event === 'down' || ready.event === 'recovered' || ready.event === 'alert';
}

/**
 * What a recovery ends is fixed before its first attempt, so that every attempt names the same, and what ends later has a
 * recovery of its own. Only what is down again is taken out, unless an attempt may have been received. `open`: uids of
 * what its alert named, and it does not end.
 */
function endsFor(
  { row, event }: Ready,
  cache: OutboxCache,
  context: DeliveryContext,
): { readonly ends: EventFields; readonly open: readonly string[] } {
  const none = { ends: {}, open: [] };
  const fixed = endsOf(row.payload);
  const remembered = event === 'recovered' ? (fixed ?? namedOf(row.payload)) : null;
  if (remembered === null || (fixed !== null && copiesOf(row.payload) !== null)) return none;
  const named = uidsOf(remembered, context);
  const known = fixed === null ? null : named;
  const rowsOf = (uid: string) => cache.ofIncident(uid);
  const over = known === null ? endedWith({ ...row, named }, rowsOf, context) : stillOver(known, context);
  const ends = over.slice(0, mostRemembered);
  const isSame = known === null ? named.length + ends.length === 0 : ends.length === known.length;
  if (isSame) return none;
  return { ends: { named: [], ends }, open: named.filter((uid) => !ends.includes(uid)) };
}
