/** Chooses the next delivery of a free channel: one, several as one, or none yet. */
import { coalesce, fewEnough } from '../../engine/alerting/coalesce.ts';
import { isFirstOfGroup } from '../../engine/alerting/group.ts';
import { messageOf } from '../../engine/alerting/copies.ts';
import { holdEndsAt } from '../../engine/alerting/hold-limit.ts';
import { isPartOf } from '../../engine/alerting/blast.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { muteOf } from '../../engine/core/mute.ts';
import type { DeliveryContext } from './context.ts';
import { decide } from './decide.ts';
import { type GroupKind, groupKindOf, isAgain, isGroup, over } from './group-kind.ts';
import { cascadeOf, refusedLates } from './late-cascade.ts';
import { inOrder, orderOf, type Precedence, putOffIntents } from './order.ts';
import type { Ready } from './plan.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import type { Intent } from '../../engine/alerting/intent.ts';

export type LastStorms = Readonly<Partial<Record<GroupKind, number>>>;

/** Which kinds are sent no sooner than when (epoch ms): more are gathered, or the window after many is not over. */
export type Gathering = ReadonlyMap<GroupKind, number>;

export interface ChosenBatch {
  readonly kind: GroupKind | null;
  readonly deliveries: readonly [Ready, ...Ready[]];
}

/** A channel that is free, and what could be sent on it. */
export interface FreeChannel {
  readonly ready: readonly Ready[];
  /** What waits for the channel beside them. */
  readonly waiting: readonly PendingDelivery[];
  readonly lastStorms: LastStorms;
  readonly precedence: Precedence;
  /** Whether a delivery was chosen before, and waited for the peers since. */
  readonly hasServed: (deliveryId: string) => boolean;
}

export interface BatchChoice {
  /** Null: nothing yet. */
  readonly batch: ChosenBatch | null;
  readonly gathering: Gathering;
}

/** What a free channel gets now, and what is put off for it. */
export function choose(
  { ready: unordered, waiting, lastStorms, precedence, hasServed }: FreeChannel,
  context: DeliveryContext,
): BatchChoice & { readonly intents: readonly Intent[] } {
  const ready = inOrder(unordered, context.settings);
  const { first, putOff, written } = orderOf(ready, { waiting, precedence }, context);
  if (written !== undefined) return { batch: null, gathering: new Map(), intents: written };
  const intents = putOff.flatMap((each) => putOffIntents(each, context.nowAt));
  const none = { gathering: new Map(), intents };
  if (first !== null) return { ...none, batch: { kind: null, deliveries: [first] } };
  const later = new Set(putOff.map(({ down }) => down));
  const current = ready.filter((each) => !later.has(each));
  if (current.length === 0) return { ...none, batch: null };
  const served = current.filter(({ row }) => hasServed(row.deliveryId));
  // What waited for the peers was chosen before: nothing more is gathered for it.
  const isChosen = served.length > 0;
  const chosen = group({ ready: isChosen ? served : current, waiting, lastStorms, isChosen }, context);
  return { ...chosen, intents };
}

interface ReadyQueue extends Pick<FreeChannel, 'ready' | 'waiting' | 'lastStorms'> {
  /** They were chosen before: nothing more is gathered. */
  readonly isChosen: boolean;
}

/** One delivery, many as one, or nothing as long as more are gathered. */
function group({ ready, waiting, lastStorms, isChosen }: ReadyQueue, context: DeliveryContext): BatchChoice {
  const { nowAt, settings } = context;
  const gathering = new Map<GroupKind, number>();
  for (const first of ready) {
    const kind = groupKindOf(first);
    if ((first.later ?? null) !== null && (kind === null || !isAgain(kind)))
      return { batch: { kind: null, deliveries: laterWith(first, { ready, waiting }, context) }, gathering };
    if (kind === null) return { batch: { kind, deliveries: [first] }, gathering };
    if (gathering.has(kind)) continue;
    const alike = ready.filter((other) => groupKindOf(other) === kind);
    // Alerts of producers have no window: whatever has come together while the channel was busy goes at once.
    if (kind === 'alert') {
      const isOne = settings.windowMs > 0 && alike.length > fewEnough;
      return { batch: { kind, deliveries: isOne ? ledBy(first, alike) : [first] }, gathering };
    }
    const all: ChosenBatch = { kind, deliveries: ledBy(leadOf(alike) ?? first, alike) };
    if (isAgain(kind)) return { batch: all, gathering };
    if (kind.startsWith('unknown ')) {
      const others = kind.startsWith(over) ? notYetDue(kind, { ready, waiting }, context) : [];
      const [head, ...rest] = all.deliveries;
      return { batch: { kind, deliveries: [head, ...rest, ...others] }, gathering };
    }
    const coalescing = coalesce({
      nowAt,
      windowMs: settings.windowMs,
      dueAts: alike.map(({ outage, row }) => outage?.windowEndsAt ?? row.nextAt),
      soonAts: isChosen ? [] : soonOf(kind, waiting, context),
      lastStormAt: isChosen ? null : (lastStorms[kind] ?? null),
      isOneGroup: isGroup(kind) || kind === 'reminder',
      limitAt: limitOf(alike, context),
    });
    switch (coalescing.kind) {
      case 'one':
        return { batch: { kind, deliveries: oneOf({ kind, first, alike, waiting }, context) }, gathering };
      case 'all':
        return { batch: all, gathering };
      case 'hold':
        gathering.set(kind, coalescing.untilAt);
    }
  }
  return { batch: null, gathering };
}

/** Everything that failed after the message about the same root left goes in one message, due or gathered. */
function laterWith(
  first: Ready,
  { ready, waiting }: Pick<ReadyQueue, 'ready' | 'waiting'>,
  context: DeliveryContext,
): ChosenBatch['deliveries'] {
  const { cause, reason, later = null } = first;
  const isAlike = (other: Ready) =>
    other.later?.root === later?.root && messageOf(other.row.payload) === null;
  const due = ready.filter((other) => other !== first && isAlike(other));
  const gathered = waiting.flatMap((pending): Ready[] => {
    if (pending.hold?.reason !== 'later_group' || pending.hold.by !== cause) return [];
    const decision = decide(pending, context);
    const isGathered = decision.kind === 'hold' && decision.hold.reason === 'later_group';
    return isGathered && decision.hold.by === cause
      ? [{ ...pending, event: 'down', cause, reason, later }]
      : [];
  });
  return [first, ...due, ...gathered];
}

interface Alike extends Pick<ReadyQueue, 'waiting'> {
  readonly kind: GroupKind;
  readonly first: Ready;
  readonly alike: readonly Ready[];
}

/** One delivery, or the late ones of one cascade; a window of 0 folds nothing. */
function oneOf({ kind, first, alike, waiting }: Alike, context: DeliveryContext): ChosenBatch['deliveries'] {
  if (kind !== 'late' || context.settings.windowMs === 0) return [first];
  const known = new Set(alike.map(({ row }) => row.deliveryId));
  const refused = refusedLates(waiting, context).filter(({ row }) => !known.has(row.deliveryId));
  return cascadeOf(first, [...alike, ...refused], context);
}

/** When the first of them is to be sent at the latest. */
function limitOf(alike: readonly Ready[], { nowAt, settings }: DeliveryContext): number {
  const { windowMs } = settings;
  return alike.reduce(
    (first, { outage }) =>
      outage === null ? first : Math.min(first, holdEndsAt(outage, { windowMs, nowAt })),
    Infinity,
  );
}

/** The recoveries of the same group that wait only to be gathered: what was found is sent at once. */
function notYetDue(
  kind: GroupKind,
  { ready, waiting }: Pick<ReadyQueue, 'ready' | 'waiting'>,
  { situation }: DeliveryContext,
): Ready[] {
  const known = new Set(ready.map(({ row }) => row.deliveryId));
  return waiting
    .filter(({ row }) => !known.has(row.deliveryId) && row.attempts === 0)
    .filter((pending) => groupKindOf(pending) === kind)
    .filter(({ row: { monitor } }) => monitor === null || muteOf(monitor, situation).kind === 'open')
    .map((pending) => ({ ...pending, event: 'recovered', cause: null, reason: 'sent' }));
}

/** What the down named first is what its recovery names first. */
function leadOf(alike: readonly Ready[]): Ready | undefined {
  return alike.find(
    ({ row }) => isFirstOfGroup(row.payload) || messageOf(row.payload)?.lead === row.deliveryId,
  );
}

function ledBy(first: Ready, all: readonly Ready[]): [Ready, ...Ready[]] {
  return [first, ...all.filter((other) => other !== first)];
}

/** When those are due that wait for nothing but their window, and that no message about an upstream will cover. */
function soonOf(kind: GroupKind, waiting: readonly PendingDelivery[], context: DeliveryContext): number[] {
  const { nowAt } = context;
  return waiting
    .filter(({ row, hold }) => {
      const waitsFor = kind === 'reminder' || kind === 'reason' ? 'reminder' : 'window';
      return row.nextAt > nowAt && (hold?.reason ?? 'window') === waitsFor;
    })
    .filter((pending) => groupKindOf(pending) === kind && !isCoveredSoon(pending, context))
    .map(({ row }) => row.nextAt);
}

function isCoveredSoon({ row }: PendingDelivery, { settings, outages }: DeliveryContext): boolean {
  const { graph } = settings;
  if (row.event !== 'down' || row.monitor === null) return false;
  const outage = outages().get(row.monitor);
  return upstreams(graph, row.monitor).some((id) => {
    const upstream = outages().get(id);
    return outage !== undefined && upstream !== undefined && isPartOf(outage, upstream);
  });
}
