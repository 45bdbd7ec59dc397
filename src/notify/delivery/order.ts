/** The order in which messages go on a channel: by urgency, and about one monitor in the order of what happened. */
import { eventRow, severityOf, troubleOf } from '../../engine/alerting/events/catalogue.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { wasNamed } from '../../engine/alerting/group.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { firstPauseMs } from '../../engine/alerting/retry.ts';
import { durationText } from '../../engine/core/duration.ts';
import { severities } from '../../engine/core/alert-names.ts';
import type { DeliveryContext, DeliverySettings } from './context.ts';
import { groupKindOf } from './group-kind.ts';
import { beforeLate } from './late-cascade.ts';
import type { PendingDelivery } from './outbox-cache.ts';
import { type Ready, say } from './plan.ts';

/**
 * Sorts the deliveries of one channel into the order in which they go: outages and other trouble with their ends, then
 * everything else; both by severity, and of one severity the longest due first.
 */
export function inOrder<Each extends PendingDelivery>(
  deliveries: readonly Each[],
  settings: Pick<DeliverySettings, 'monitors'>,
): Each[] {
  const ranked = deliveries.map((each) => ({ each, rank: rankOf(each, settings) }));
  return ranked
    .sort((a, b) => a.rank - b.rank || a.each.row.nextAt - b.each.row.nextAt || a.each.row.id - b.each.row.id)
    .map(({ each }) => each);
}

/**
 * The rank of a delivery in the queue of its channel; the lowest goes first. An outage and its end have one rank, so that
 * the end of an earlier outage is not overtaken by the alert about the next one.
 */
function rankOf({ row }: PendingDelivery, { monitors }: Pick<DeliverySettings, 'monitors'>): number {
  const about = eventRow(row.event);
  if (about === null) return 2 * severities.length;
  const trouble = troubleOf(about.event, row.payload);
  if (trouble === null)
    return 2 * severities.length - severities.indexOf(severityOf(about.event, row.payload));
  const isCritical = trouble === 'error' && monitors.get(row.monitor ?? '')?.critical === true;
  return severities.length - severities.indexOf(isCritical ? 'critical' : trouble);
}

/**
 * By down that is ready: the recovery that was tried before it, and when the down was due then, epoch ms. By late message
 * the same of the down that its outage was part of.
 */
export type Precedence = Map<string, { readonly recovery: string; readonly dueAt: number }>;

export interface Order {
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
export function orderOf(
  ready: readonly Ready[],
  { waiting, precedence }: { readonly waiting: readonly PendingDelivery[]; readonly precedence: Precedence },
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
export function putOffIntents({ down, recovery }: Order['putOff'][number], nowAt: number): Intent[] {
  const { row } = down;
  const hold = { reason: 'channel_failed', by: recovery.row.deliveryId };
  const detail = `Channel ${row.channel} has not taken the recovery of the outage before: that is tried in ${durationText(firstPauseMs)}, and then this.`;
  return [
    {
      kind: 'change',
      deliveryId: row.deliveryId,
      changes: { hold },
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
