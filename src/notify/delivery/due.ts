/** Keeps track of which deliveries are due now, when the next one is, and which channels are busy. */
import { dependents, type Graph } from '../../engine/core/graph.ts';
import type { Hold } from '../../engine/alerting/events/stored.ts';
import type { ChosenBatch, Gathering, LastStorms } from './choose.ts';
import { type GroupKind, groupKindOf, isAgain } from './group-kind.ts';
import { mostAlertsInOne } from '../../engine/alerting/events/producer-alert.ts';
import { inOrder, type Precedence } from './order.ts';
import type { OutboxCache, PendingDelivery } from './outbox-cache.ts';
import type { Move } from '../../engine/core/clock-shift.ts';
import type { Batch } from './record-delivery.ts';

export interface DueOptions {
  readonly cache: OutboxCache;
  readonly channelQueues: ReadonlyMap<string, ChannelQueue>;
  /** Deliveries that wait for a check, or for the peers. */
  readonly asking: ReadonlySet<string>;
  /** What has waited for the peers once. */
  readonly hasServed: (deliveryId: string) => boolean;
}

/** The holds that an outage of another monitor can be the reason for. */
const byOthers: ReadonlySet<Hold['reason']> = new Set([
  'folded',
  'muted',
  'upstream_due',
  'upstream_failing',
  'later_group',
]);

/** The holds that a configuration can end. */
export const byLoad: readonly Hold['reason'][] = [
  'quiet_hours',
  'off_call',
  'not_routed',
  'unstable',
  ...byOthers,
];

export class Due {
  private readonly options: DueOptions;
  /** The holds to decide again before they run out: at a start those that may have ended while nothing ran. */
  private reconsidered = new Set<Hold['reason']>([
    ...byLoad,
    'acknowledged',
    'down_again',
    'coming_back',
    'still_degraded',
    'reminder',
  ]);
  /** The monitors held because of others that are to be decided again. */
  private touched = new Set<string | null>();

  constructor(options: DueOptions) {
    this.options = options;
  }

  /** Whatever is held for these reasons is to be decided again. */
  reconsider(...holds: readonly Hold['reason'][]): void {
    for (const hold of holds) this.reconsidered.add(hold);
  }

  /** The outage of a monitor began or ended: what depends on it is to be decided again. */
  reconsiderBelow(graph: Graph, monitor: string): void {
    this.touched.add(monitor);
    this.reconsiderDependents(graph, monitor);
  }

  /** Say, a message about a monitor was sent: its dependents are to be decided again. */
  reconsiderDependents(graph: Graph, monitor: string): void {
    for (const dependent of dependents(graph, monitor)) this.touched.add(dependent);
  }

  /** When something is due next that nothing under way will bring up by itself; Infinity: nothing is. */
  nextAt(nowAt: number): number {
    const { cache, channelQueues, asking } = this.options;
    const earliestAt = cache.earliestAt();
    // Of a busy channel, maybe: then it is woken once for nothing.
    if (earliestAt > nowAt) return earliestAt;
    let next = Infinity;
    for (const channel of cache.channels()) {
      if (isBusy(channelQueues.get(channel))) continue;
      for (const pending of cache.ofChannel(channel)) {
        const { row } = pending;
        if (asking.has(row.deliveryId)) continue;
        const gatheredAt = row.nextAt <= nowAt ? this.gathersUntil(pending, nowAt) : null;
        next = Math.min(next, gatheredAt ?? row.nextAt);
      }
    }
    return next;
  }

  /** What is due on a free channel, or held for a reason that may be none any more; the longest due first. */
  take(nowAt: number): PendingDelivery[] {
    const { cache, channelQueues, asking } = this.options;
    const { reconsidered, touched } = this;
    this.reconsidered = new Set();
    this.touched = new Set();
    const holds = touched.size === 0 ? reconsidered : new Set([...reconsidered, ...byOthers]);
    const isAnyHeld = cache.isAnyHeld(holds);
    if (cache.earliestAt() > nowAt && !isAnyHeld) return [];
    const isToDecide = (pending: PendingDelivery) => {
      const { row, hold } = pending;
      if (asking.has(row.deliveryId)) return false;
      if (row.nextAt <= nowAt)
        return !isBusy(channelQueues.get(row.channel)) && this.gathersUntil(pending, nowAt) === null;
      if (hold === null) return false;
      if (reconsidered.has(hold.reason)) return true;
      return byOthers.has(hold.reason) && touched.has(row.monitor);
    };
    return [...cache.channels()]
      .filter((channel) => isAnyHeld || !isBusy(channelQueues.get(channel)))
      .flatMap((channel) => withoutLaterAlerts([...cache.ofChannel(channel)].filter(isToDecide)))
      .sort((a, b) => a.row.nextAt - b.row.nextAt || a.row.id - b.row.id);
  }

  /** Until when more is gathered before this goes out; null: it is not held for that. */
  private gathersUntil(pending: PendingDelivery, nowAt: number): number | null {
    const { channelQueues, hasServed } = this.options;
    const { channel, deliveryId } = pending.row;
    if (hasServed(deliveryId)) return null;
    return channelQueues.get(channel)?.gathersUntil(groupKindOf(pending), nowAt) ?? null;
  }
}

/**
 * Leaves out the producer alerts that do not fit into the next message of their channel: they are decided about when it is
 * their turn, and not again with each message before them.
 */
function withoutLaterAlerts(pendings: readonly PendingDelivery[]): readonly PendingDelivery[] {
  if (pendings.length <= mostAlertsInOne) return pendings;
  const isAlert = (pending: PendingDelivery) => groupKindOf(pending) === 'alert';
  const alerts = pendings.filter(isAlert);
  const others = pendings.filter((pending) => !isAlert(pending));
  return [...others, ...inOrder(alerts, { monitors: new Map() }).slice(0, mostAlertsInOne)];
}

function isBusy(channelQueue: ChannelQueue | undefined): boolean {
  return channelQueue !== undefined && channelQueue.batch !== null;
}

/** Groups come and go; those of long ago have nothing left to gather. */
const mostRemembered = 50;

export class ChannelQueue {
  private onItsWay: Batch | null = null;
  /** The deliveries on their way that name no upstream as the cause. */
  private withoutCause: ReadonlySet<string> = new Set();
  private gathering: Gathering = new Map();
  lastStorms: LastStorms = {};
  readonly precedence: Precedence = new Map();

  /** What is on its way; null: the channel is free. */
  get batch(): Batch | null {
    return this.onItsWay;
  }

  set batch(batch: Batch | null) {
    this.onItsWay = batch;
    const withoutCause = batch?.deliveries.filter(({ cause }) => cause === null) ?? [];
    this.withoutCause = new Set(withoutCause.map(({ row }) => row.deliveryId));
  }

  /** Whether a delivery is on its way that names no upstream as the cause. */
  isNotifyingAlone(deliveryId: string): boolean {
    return this.withoutCause.has(deliveryId);
  }

  /** Until when deliveries of a kind are gathered, epoch ms; null: they are not. */
  gathersUntil(kind: GroupKind | null, nowAt: number): number | null {
    const untilAt = kind === null ? 0 : (this.gathering.get(kind) ?? 0);
    return untilAt > nowAt ? untilAt : null;
  }

  gather(gathering: Gathering): void {
    this.gathering = new Map([...[...this.gathering].slice(-mostRemembered), ...gathering]);
  }

  /** The clock was set: what is gathered is decided anew. */
  shift(past: Move): void {
    this.gathering = new Map();
    const storms = Object.entries(this.lastStorms).flatMap(([kind, at]) =>
      at === undefined ? [] : [[kind, past(at)] as const],
    );
    this.lastStorms = Object.fromEntries(storms);
  }

  /** Remembers when a message about many was sent: what comes soon after it is gathered. */
  noteSent({ kind, deliveries }: Pick<ChosenBatch, 'kind' | 'deliveries'>, at: number): void {
    if (kind === null || deliveries.length === 1) return;
    // Those that share a cause, and those of a message before, are one anyway, and each has a kind of its own.
    if (kind.startsWith('unknown ') || isAgain(kind)) return;
    const recent = Object.entries(this.lastStorms).slice(-mostRemembered);
    this.lastStorms = { ...Object.fromEntries(recent), [kind]: at };
  }
}
