/**
 * Keeps the messages about a monitor in their order on a channel that fails: what is owed about an earlier outage is
 * tried before the down of the next one, or people would be called for what they think is still down, and the last
 * that they read would be that it is up. No down waits for that longer than a first retry takes.
 */
import { durationText } from '../../engine/core/duration.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { wasNamed } from '../../engine/alerting/group.ts';
import type { EventName } from '../../engine/alerting/event-names.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { changed } from '../../engine/alerting/payload.ts';
import { firstPauseMs } from '../../engine/alerting/retry.ts';
import { say, type Ready } from './plan.ts';
import type { PendingDelivery } from './outbox-cache.ts';

/** By down that is ready: the recovery that was tried before it, and when the down was due then, epoch ms. */
export type Precedence = Map<string, { readonly recovery: string; readonly dueAt: number }>;

export interface Order {
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
