/** Which deliveries of a channel may be sent as one message. */
import { messageOf } from '../../engine/alerting/copies.ts';
import { isOfReason } from '../../engine/alerting/events/reminder.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import { groupOf } from '../../engine/alerting/group.ts';
import type { PendingDelivery } from './outbox-cache.ts';

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
  | 'reason'
  | 'alert'
  | `group ${string}`
  | `again ${string}`
  | `unknown ${string}`;

/** Recoveries from a cause that prevented checks. */
export const over = 'unknown over ';

/** Null: it is sent by itself. */
export function groupKindOf({ row, outage }: PendingDelivery): GroupKind | null {
  if (row.event === 'unknown') return `unknown ${outage?.ownFault ?? ''}`;
  if (row.event === 'reminder') return isOfReason(row) ? 'reason' : 'reminder';
  if (row.event !== 'down' && row.event !== 'recovered' && row.event !== 'alert') return null;
  const recovery = row.event === 'recovered' ? readRecovery(row.payload) : null;
  if (recovery?.from === 'unknown') {
    const { isLate, causeGroup, ownFault } = recovery;
    return isLate ? `unknown late ${ownFault ?? ''}` : `${over}${causeGroup ?? ownFault ?? ''}`;
  }
  if (recovery?.from === 'unstable') return null;
  const message = messageOf(row.payload);
  if (message !== null) return `again ${message.as}`;
  if (row.event === 'down' || row.event === 'alert') return row.event;
  if (recovery?.isRemoved === true) return 'removed';
  if (recovery?.isLate === true) return 'late';
  const groupId = groupOf(row.payload);
  return groupId === null ? 'recovered' : `group ${groupId}`;
}

/** A copy, and what a crash may have found on its way, has the deliveries of the message before, and no other. */
export function isAgain(kind: GroupKind): boolean {
  return kind.startsWith('again ');
}

/** The recoveries of what one message named. */
export function isGroup(kind: GroupKind): boolean {
  return kind.startsWith('group ');
}
