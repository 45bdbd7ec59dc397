/** Chooses what a channel that is free gets next: one delivery, many as one, or nothing yet. */
import { coalesce } from '../../engine/alerting/coalesce.ts';
import { groupOf, isFirstOfGroup, wasNamed } from '../../engine/alerting/group.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { holdEndsAt } from '../../engine/alerting/hold-limit.ts';
import { isPartOf } from '../../engine/alerting/fold.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { muteOf } from '../../engine/core/mute.ts';
import type { DeliveryContext } from './context.ts';
import { type Ready, say } from './plan.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import type { EventName } from '../../engine/alerting/events/catalogue.ts';
import { changed } from '../../engine/alerting/events/stored.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { firstPauseMs } from '../../engine/alerting/retry.ts';
import { spanText } from '../../engine/alerting/span-text.ts';

/**
 * What may be told as one; the recoveries of a group, and what a copy repeats, only with each other. What shares a
 * cause that prevents its checks is told as one in any case.
 */
export type GroupKind =
  | 'down'
  | 'recovered'
  | 'late'
  | 'removed'
  | `group ${string}`
  | `copy ${string}`
  | `unknown ${string}`;

export type LastStorms = Readonly<Partial<Record<GroupKind, number>>>;

/** Which sorts go out no sooner than when (epoch ms): more are gathered, or the window after many is not over. */
export type Gathering = ReadonlyMap<GroupKind, number>;

export interface ChosenBatch {
  readonly kind: GroupKind | null;
  readonly deliveries: readonly [Ready, ...Ready[]];
}

export interface BatchChoice {
  /** Null: nothing yet. */
  readonly batch: ChosenBatch | null;
  readonly gathering: Gathering;
}

export interface ReadyQueue {
  /** At least one, the longest due first. */
  readonly ready: readonly Ready[];
  /** What waits for the channel beside them. */
  readonly waiting: readonly PendingDelivery[];
  readonly lastStorms: LastStorms;
  /** They were chosen before, and waited for something else since: nothing more is gathered. */
  readonly isChosen: boolean;
}

export function choose(
  { ready, waiting, lastStorms, isChosen }: ReadyQueue,
  context: DeliveryContext,
): BatchChoice {
  const { nowAt, settings } = context;
  const gathering = new Map<GroupKind, number>();
  for (const first of ready) {
    const sort = groupKindOf(first);
    if (sort === null) return { batch: { kind: sort, deliveries: [first] }, gathering };
    if (gathering.has(sort)) continue;
    const alike = ready.filter((other) => groupKindOf(other) === sort);
    const all: ChosenBatch = { kind: sort, deliveries: ledBy(leadOf(alike) ?? first, alike) };
    if (isCopy(sort)) return { batch: all, gathering };
    if (sort.startsWith('unknown ')) {
      const others = sort.startsWith(over) ? notYetDue(sort, { ready, waiting }, context) : [];
      const [head, ...rest] = all.deliveries;
      return { batch: { kind: sort, deliveries: [head, ...rest, ...others] }, gathering };
    }
    const coalescing = coalesce({
      nowAt,
      windowMs: settings.windowMs,
      dueAts: alike.map(({ outage, row }) => outage?.windowEndsAt ?? row.nextAt),
      soonAts: isChosen ? [] : soonOf(sort, waiting, context),
      lastStormAt: isChosen ? null : (lastStorms[sort] ?? null),
      isOneGroup: isGroup(sort),
      limitAt: limitOf(alike, context),
    });
    switch (coalescing.kind) {
      case 'one':
        return { batch: { kind: sort, deliveries: [first] }, gathering };
      case 'all':
        return { batch: all, gathering };
      case 'hold':
        gathering.set(sort, coalescing.untilAt);
    }
  }
  return { batch: null, gathering };
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

/** The recoveries of the same group that wait only to be gathered: what was found is said at once. */
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
  if (row.event !== 'down' && row.event !== 'recovered') return null;
  const recovery = row.event === 'recovered' ? readRecovery(row.payload) : null;
  if (recovery?.from === 'unknown') {
    const { isLate, causeGroup, ownFault } = recovery;
    return isLate ? `unknown late ${ownFault ?? ''}` : `${over}${causeGroup ?? ownFault ?? ''}`;
  }
  const copies = copiesOf(row.payload);
  if (copies !== null) return `copy ${copies.as}`;
  if (row.event === 'down') return 'down';
  if (recovery?.isRemoved === true) return 'removed';
  if (recovery?.isLate === true) return 'late';
  const groupId = groupOf(row.payload);
  return groupId === null ? 'recovered' : `group ${groupId}`;
}

/** Copies go out together as the message did that they repeat, and with nothing that it did not say. */
export function isCopy(kind: GroupKind): boolean {
  return kind.startsWith('copy ');
}

function isGroup(kind: GroupKind): boolean {
  return kind.startsWith('group ');
}

/** What the down named first is what its recovery names first. */
function leadOf(alike: readonly Ready[]): Ready | undefined {
  return alike.find(({ row }) => isFirstOfGroup(row.payload) || copiesOf(row.payload)?.as === row.deliveryId);
}

function ledBy(first: Ready, all: readonly Ready[]): [Ready, ...Ready[]] {
  return [first, ...all.filter((other) => other !== first)];
}

/** When those are due that wait for nothing but their window, and that no upstream is about to speak for. */
function soonOf(kind: GroupKind, waiting: readonly PendingDelivery[], context: DeliveryContext): number[] {
  const { nowAt } = context;
  return waiting
    .filter((pending) => pending.row.nextAt > nowAt && (pending.hold?.reason ?? 'window') === 'window')
    .filter((pending) => groupKindOf(pending) === kind && !isSpokenFor(pending, context))
    .map(({ row }) => row.nextAt);
}

function isSpokenFor({ row }: PendingDelivery, { settings, outages }: DeliveryContext): boolean {
  const { graph } = settings;
  if (row.event !== 'down' || row.monitor === null || (graph.above.get(row.monitor)?.length ?? 0) === 0)
    return false;
  const outage = outages().get(row.monitor);
  return upstreams(graph, row.monitor).some((id) => {
    const upstream = outages().get(id);
    return outage !== undefined && upstream !== undefined && isPartOf(outage, upstream);
  });
}

/** By down that is ready: the recovery that was tried before it, and when the down was due then, epoch ms. */
export type Precedence = Map<string, { readonly recovery: string; readonly dueAt: number }>;

interface Order {
  /** The recovery to be tried now; null: none. */
  readonly first: Ready | null;
  /** The downs that go after a pause, each with the recovery that failed before it. */
  readonly putOff: readonly { readonly down: Ready; readonly recovery: PendingDelivery }[];
}

/** So many recoveries that failed in a row say that it is the channel: the downs do not wait for the others as well. */
const mostFailed = 3;

/**
 * What the order of messages asks for before the downs that are `ready` on a channel go. Each recovery is tried once
 * before each attempt of its down; where it fails before the first one, the down is put off, once, and with it those
 * of other monitors whose recoveries would be tried next.
 */
export function orderOf(
  ready: readonly Ready[],
  waiting: readonly PendingDelivery[],
  precedence: Precedence,
): Order {
  const putOff: { readonly down: Ready; readonly recovery: PendingDelivery }[] = [];
  let failed = 0;
  for (const down of ready) {
    const { row } = down;
    const recovery = down.event === 'down' ? earliestBefore(row, waiting) : null;
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

/** A down that waits for its recovery to be tried once more. */
export function putOffIntents({ down, recovery }: Order['putOff'][number], nowAt: number): Intent[] {
  const { row } = down;
  const hold = { reason: 'channel_failed', by: recovery.row.deliveryId };
  const detail = `Channel ${row.channel} has not taken the recovery of the outage before: that is tried in ${spanText(firstPauseMs)}, and then this.`;
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

/** What was owed first about an earlier outage of the monitor, and was refused; null: nothing. */
function earliestBefore(
  down: PendingDelivery['row'],
  waiting: readonly PendingDelivery[],
): PendingDelivery | null {
  let earliest: PendingDelivery | null = null;
  for (const pending of waiting)
    if (isEarlier(pending, down) && (earliest === null || pending.row.id < earliest.row.id))
      earliest = pending;
  return earliest;
}

function isEarlier({ row, hold }: PendingDelivery, down: PendingDelivery['row']): boolean {
  return (
    row.event === 'recovered' &&
    row.monitor === down.monitor &&
    row.incident !== down.incident &&
    // What may have been received is in its order.
    copiesOf(row.payload) === null &&
    // What only another message named has no order among its own.
    (hold?.reason === 'channel_failed' || (hold?.reason === 'down_again' && !wasNamed(row.payload)))
  );
}
