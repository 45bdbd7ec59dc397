/**
 * Keeps the messages about a monitor in their order on a channel that fails: the recovery of an earlier outage is
 * tried before the down of the next one, or the last that people read would be that it is up.
 */
import { wasNamed } from '../../engine/alerting/group.ts';
import type { Ready } from './plan.ts';
import type { PendingDelivery } from './outbox-cache.ts';

/** The downs before which a recovery was tried, with the attempts that they had then. */
export type Precedence = Map<string, number>;

/** The recovery to be tried now, once before each attempt of a down that is ready; null: none. */
export function earlierRecovery(
  ready: readonly Ready[],
  waiting: readonly PendingDelivery[],
  precedence: Precedence,
): Ready | null {
  for (const { row, event } of ready) {
    if (event !== 'down' || precedence.get(row.deliveryId) === row.attempts) continue;
    const found = waiting.find((other) => isEarlier(other, row));
    if (found === undefined) continue;
    precedence.set(row.deliveryId, row.attempts);
    return { ...found, event: 'recovered', cause: null, reason: 'sent' };
  }
  return null;
}

function isEarlier({ row, hold }: PendingDelivery, down: PendingDelivery['row']): boolean {
  return (
    row.event === 'recovered' &&
    row.monitor === down.monitor &&
    row.incident !== down.incident &&
    // What only another message named has no order among its own.
    (hold?.reason === 'channel_failed' || (hold?.reason === 'down_again' && !wasNamed(row.payload)))
  );
}
