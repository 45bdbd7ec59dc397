/** Chooses the next delivery of a free channel: one, several as one, or none yet. */
import { coalesce } from '../../engine/alerting/coalesce.ts';
import { groupOf, isFirstOfGroup, wasNamed } from '../../engine/alerting/group.ts';
import { copiesOf, messageOf } from '../../engine/alerting/copies.ts';
import { holdEndsAt } from '../../engine/alerting/hold-limit.ts';
import { isPartOf } from '../../engine/alerting/fold.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { muteOf } from '../../engine/core/mute.ts';
import type { DeliveryContext } from './context.ts';
import { beforeLate, cascadeOf, refusedLates } from './late-cascade.ts';
import { type Ready, say } from './plan.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import type { EventName } from '../../engine/alerting/events/catalogue.ts';
import { changed } from '../../engine/alerting/events/stored.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { firstPauseMs } from '../../engine/alerting/retry.ts';
import { durationText } from '../../engine/core/duration.ts';

/**
 * What may be sent as one message; the recoveries of a group, and what was given to the channel in one message before,
 * only with each other. What shares a cause that prevents its checks is one message in any case.
 */
export type GroupKind =
  | 'down'
  | 'recovered'
  | 'late'
  | 'removed'
  | 'reminder'
  | `group ${string}`
  | `again ${string}`
  | `unknown ${string}`;

export type LastStorms = Readonly<Partial<Record<GroupKind, number>>>;

/** Which kinds are sent no sooner than when (epoch ms): more are gathered, or the window after many is not over. */
export type Gathering = ReadonlyMap<GroupKind, number>;

export interface ChosenBatch {
  readonly kind: GroupKind | null;
  readonly deliveries: readonly [Ready, ...Ready[]];
}

/** A channel that is free, and what could be sent on it. */
export interface FreeChannel {
  /** The longest due first. */
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
  { ready, waiting, lastStorms, precedence, hasServed }: FreeChannel,
  context: DeliveryContext,
): BatchChoice & { readonly intents: readonly Intent[] } {
  const { first, putOff, written } = orderOf(ready, { waiting, precedence }, context);
  if (written !== undefined) return { batch: null, gathering: new Map(), intents: written };
  const intents = putOff.flatMap((each) => putOffIntents(each, context.nowAt));
  const none = { gathering: new Map(), intents };
  if (first !== null) return { ...none, batch: { kind: null, deliveries: [first] } };
  const later = new Set(putOff.map(({ down }) => down));
  const inOrder = ready.filter((each) => !later.has(each));
  if (inOrder.length === 0) return { ...none, batch: null };
  const served = inOrder.filter(({ row }) => hasServed(row.deliveryId));
  // What waited for the peers was chosen before: nothing more is gathered for it.
  const isChosen = served.length > 0;
  const chosen = group({ ready: isChosen ? served : inOrder, waiting, lastStorms, isChosen }, context);
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
    if (kind === null) return { batch: { kind, deliveries: [first] }, gathering };
    if (gathering.has(kind)) continue;
    const alike = ready.filter((other) => groupKindOf(other) === kind);
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

const over = 'unknown over ';

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

export function groupKindOf({ row, outage }: PendingDelivery): GroupKind | null {
  if (row.event === 'unknown') return `unknown ${outage?.ownFault ?? ''}`;
  if (row.event === 'reminder') return 'reminder';
  if (row.event !== 'down' && row.event !== 'recovered') return null;
  const recovery = row.event === 'recovered' ? readRecovery(row.payload) : null;
  if (recovery?.from === 'unknown') {
    const { isLate, causeGroup, ownFault } = recovery;
    return isLate ? `unknown late ${ownFault ?? ''}` : `${over}${causeGroup ?? ownFault ?? ''}`;
  }
  const message = messageOf(row.payload);
  if (message !== null) return `again ${message.as}`;
  if (row.event === 'down') return 'down';
  if (recovery?.isRemoved === true) return 'removed';
  if (recovery?.isLate === true) return 'late';
  const groupId = groupOf(row.payload);
  return groupId === null ? 'recovered' : `group ${groupId}`;
}

/** A copy, and what a crash may have found on its way, has the deliveries of the message before, and no other. */
export function isAgain(kind: GroupKind): boolean {
  return kind.startsWith('again ');
}

function isGroup(kind: GroupKind): boolean {
  return kind.startsWith('group ');
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
      const waitsFor = kind === 'reminder' ? 'reminder' : 'window';
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

/**
 * By down that is ready: the recovery that was tried before it, and when the down was due then, epoch ms. By late message
 * the same of the down that its outage was part of.
 */
export type Precedence = Map<string, { readonly recovery: string; readonly dueAt: number }>;

interface Order {
  /** The recovery to be tried now; null: none. */
  readonly first: Ready | null;
  /** The downs that go after a pause, each with the recovery that failed before it. */
  readonly putOff: readonly { readonly down: Ready; readonly recovery: PendingDelivery }[];
  /** What has to be written before anything is chosen; absent: nothing. */
  readonly written?: readonly Intent[];
}

/** How many recoveries that fail in a row mean that the channel is at fault: then downs do not wait for the others. */
const mostFailed = 3;

/**
 * Keeps the messages about a monitor in their order on a channel that fails: the recovery of an earlier outage is
 * tried before the down of the next one, or people would take the new outage for the old one, and read last that it is
 * up. Each recovery is tried once before each attempt of its down; where it fails before the first one, the down is
 * put off, once, by a first retry, and with it those of other monitors whose recoveries would be tried next. Before what
 * is late of a cascade the down of its root cause is tried, once an attempt.
 */
function orderOf(
  ready: readonly Ready[],
  { waiting, precedence }: Pick<FreeChannel, 'waiting' | 'precedence'>,
  context: DeliveryContext,
): Order {
  const refused = refusedRecoveries(waiting);
  const putOff: { readonly down: Ready; readonly recovery: PendingDelivery }[] = [];
  let failed = 0;
  for (const down of ready) {
    const { row } = down;
    const before = isLate(down) ? beforeLate(down, waiting, context) : null;
    if (before?.kind === 'late') return { first: null, putOff, written: before.intents };
    if (before !== null && precedence.get(row.deliveryId)?.dueAt !== row.nextAt) {
      precedence.set(row.deliveryId, { recovery: before.root.row.deliveryId, dueAt: row.nextAt });
      return { first: before.root, putOff };
    }
    const recovery = down.event === 'down' ? earliestBefore(row, refused) : null;
    if (recovery === null) continue;
    const tried = precedence.get(row.deliveryId);
    const hasFailed = tried?.dueAt === row.nextAt && tried.recovery === recovery.row.deliveryId;
    const isPutOff = (hasFailed || failed > 0) && canBePutOff(down);
    if (!hasFailed && !isPutOff && failed < mostFailed) {
      precedence.set(row.deliveryId, { recovery: recovery.row.deliveryId, dueAt: row.nextAt });
      return { first: { ...recovery, event: 'recovered', cause: null, reason: 'sent' }, putOff };
    }
    failed += 1;
    if (isPutOff) putOff.push({ down, recovery });
  }
  return { first: null, putOff };
}

function isLate(pending: PendingDelivery): boolean {
  return groupKindOf(pending) === 'late';
}

/** A down that waits for its recovery to be tried once more. */
function putOffIntents({ down, recovery }: Order['putOff'][number], nowAt: number): Intent[] {
  const { row } = down;
  const hold = { reason: 'channel_failed', by: recovery.row.deliveryId };
  const detail = `Channel ${row.channel} has not taken the recovery of the outage before: that is tried in ${durationText(firstPauseMs)}, and then this.`;
  return [
    {
      kind: 'replace',
      deliveryId: row.deliveryId,
      event: row.event as EventName,
      payload: changed(row.payload, { hold }),
      nextAt: nowAt + firstPauseMs,
    },
    say(down, 'held', { reason: 'channel_failed', detail }),
  ];
}

/** What failed before has had its pause. */
function canBePutOff({ row, hold }: Ready): boolean {
  return row.attempts === 0 && hold?.reason !== 'channel_failed';
}

/** The recoveries that the channel refused, by monitor: a storm has too many deliveries to look for them at each. */
function refusedRecoveries(waiting: readonly PendingDelivery[]): Refused {
  const byMonitor = new Map<string | null, PendingDelivery[]>();
  for (const pending of waiting) {
    if (!isRefusedRecovery(pending)) continue;
    const { monitor } = pending.row;
    byMonitor.set(monitor, [...(byMonitor.get(monitor) ?? []), pending]);
  }
  return byMonitor;
}

type Refused = ReadonlyMap<string | null, readonly PendingDelivery[]>;

/** The first of them about the monitor, whose outage lasts, so that they are about earlier ones; null: none. */
function earliestBefore({ monitor }: PendingDelivery['row'], refused: Refused): PendingDelivery | null {
  return refused.get(monitor)?.toSorted((a, b) => a.row.id - b.row.id)[0] ?? null;
}

function isRefusedRecovery({ row, hold }: PendingDelivery): boolean {
  return (
    row.event === 'recovered' &&
    // What may have been received is in its order.
    copiesOf(row.payload) === null &&
    // What only another message named has no order among its own.
    (hold?.reason === 'channel_failed' || (hold?.reason === 'down_again' && !wasNamed(row.payload)))
  );
}
