/** Chooses what a channel that is free gets next: one delivery, many as one, or nothing yet. */
import { coalesce } from '../../engine/core/tell/coalesce.ts';
import { groupOf, isFirstOfGroup } from '../../engine/core/tell/group.ts';
import { copiesOf } from '../../engine/core/tell/copies.ts';
import { holdEndsAt } from '../../engine/core/tell/hold-limit.ts';
import { isPartOf } from '../../engine/core/tell/outage.ts';
import { readRecovery } from '../../engine/core/tell/payload.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { muteOf } from '../../engine/core/mute.ts';
import type { Facts } from './facts.ts';
import type { Ready } from './plan.ts';
import type { Waiter } from './waiting.ts';

/**
 * What may be told as one; the recoveries of a group, and what a copy repeats, only with each other. What shares a
 * cause that prevents its checks is told as one in any case.
 */
export type Sort =
  | 'down'
  | 'recovered'
  | 'late'
  | 'removed'
  | `group ${string}`
  | `copy ${string}`
  | `unknown ${string}`;

export type LastStorms = Readonly<Partial<Record<Sort, number>>>;

/** Which sorts go out no sooner than when (epoch ms): more are gathered, or the window after many is not over. */
export type Gathering = ReadonlyMap<Sort, number>;

export interface Parting {
  readonly sort: Sort | null;
  readonly deliveries: readonly [Ready, ...Ready[]];
}

export interface Choice {
  /** Null: nothing yet. */
  readonly parting: Parting | null;
  readonly gathering: Gathering;
}

export interface Queue {
  /** At least one, the longest due first. */
  readonly ready: readonly Ready[];
  /** What waits for the channel beside them. */
  readonly waiting: readonly Waiter[];
  readonly lastStorms: LastStorms;
  /** They were chosen before, and waited for something else since: nothing more is gathered. */
  readonly isChosen: boolean;
}

export function choose({ ready, waiting, lastStorms, isChosen }: Queue, facts: Facts): Choice {
  const { nowAt, setting } = facts;
  const gathering = new Map<Sort, number>();
  for (const first of ready) {
    const sort = sortOf(first);
    if (sort === null) return { parting: { sort, deliveries: [first] }, gathering };
    if (gathering.has(sort)) continue;
    const alike = ready.filter((other) => sortOf(other) === sort);
    const all: Parting = { sort, deliveries: ledBy(leadOf(alike) ?? first, alike) };
    if (isCopy(sort)) return { parting: all, gathering };
    if (sort.startsWith('unknown ')) {
      const others = sort.startsWith(over) ? notYetDue(sort, { ready, waiting }, facts) : [];
      const [head, ...rest] = all.deliveries;
      return { parting: { sort, deliveries: [head, ...rest, ...others] }, gathering };
    }
    const coalescing = coalesce({
      nowAt,
      windowMs: setting.windowMs,
      dueAts: alike.map(({ outage, row }) => outage?.windowEndsAt ?? row.nextAt),
      soonAts: isChosen ? [] : soonOf(sort, waiting, facts),
      lastStormAt: isChosen ? null : (lastStorms[sort] ?? null),
      isOneGroup: isGroup(sort),
      limitAt: limitOf(alike, facts),
    });
    switch (coalescing.kind) {
      case 'one':
        return { parting: { sort, deliveries: [first] }, gathering };
      case 'all':
        return { parting: all, gathering };
      case 'hold':
        gathering.set(sort, coalescing.untilAt);
    }
  }
  return { parting: null, gathering };
}

/** When the first of them is to be sent at the latest. */
function limitOf(alike: readonly Ready[], { nowAt, setting }: Facts): number {
  const { windowMs } = setting;
  return alike.reduce(
    (first, { outage }) =>
      outage === null ? first : Math.min(first, holdEndsAt(outage, { windowMs, nowAt })),
    Infinity,
  );
}

const over = 'unknown over ';

/** The recoveries of the same group that wait only to be gathered: what was found is said at once. */
function notYetDue(
  sort: Sort,
  { ready, waiting }: Pick<Queue, 'ready' | 'waiting'>,
  { situation }: Facts,
): Ready[] {
  const known = new Set(ready.map(({ row }) => row.deliveryId));
  return waiting
    .filter(({ row }) => !known.has(row.deliveryId) && row.attempts === 0)
    .filter((waiter) => sortOf(waiter) === sort)
    .filter(({ row: { monitor } }) => monitor === null || muteOf(monitor, situation).kind === 'open')
    .map((waiter) => ({ ...waiter, event: 'recovered', cause: null, reason: 'sent' }));
}

export function sortOf({ row, outage }: Waiter): Sort | null {
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
export function isCopy(sort: Sort): boolean {
  return sort.startsWith('copy ');
}

function isGroup(sort: Sort): boolean {
  return sort.startsWith('group ');
}

/** What the down named first is what its recovery names first. */
function leadOf(alike: readonly Ready[]): Ready | undefined {
  return alike.find(({ row }) => isFirstOfGroup(row.payload) || copiesOf(row.payload)?.as === row.deliveryId);
}

function ledBy(first: Ready, all: readonly Ready[]): [Ready, ...Ready[]] {
  return [first, ...all.filter((other) => other !== first)];
}

/** When those are due that wait for nothing but their window, and that no upstream is about to speak for. */
function soonOf(sort: Sort, waiting: readonly Waiter[], facts: Facts): number[] {
  const { nowAt } = facts;
  return waiting
    .filter((waiter) => waiter.row.nextAt > nowAt && (waiter.hold?.reason ?? 'window') === 'window')
    .filter((waiter) => sortOf(waiter) === sort && !isSpokenFor(waiter, facts))
    .map(({ row }) => row.nextAt);
}

function isSpokenFor({ row }: Waiter, { setting, outages }: Facts): boolean {
  const { graph } = setting;
  if (row.event !== 'down' || row.monitor === null || (graph.above.get(row.monitor)?.length ?? 0) === 0)
    return false;
  const outage = outages().get(row.monitor);
  return upstreams(graph, row.monitor).some((id) => {
    const upstream = outages().get(id);
    return outage !== undefined && upstream !== undefined && isPartOf(outage, upstream);
  });
}
