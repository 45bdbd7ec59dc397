/** Finds the messages about monitors that cannot be checked which were sent and are not over yet, by channel and cause. */
import type { UncheckedRow } from '../../db/tables/incidents.ts';
import { readOutage } from '../../engine/alerting/events/outage.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import type { PendingDelivery, OutboxCache } from './outbox-cache.ts';

export interface UnknownSources {
  readonly open: readonly UncheckedRow[];
  readonly deliveries: Pick<OutboxCache, 'all' | 'ofIncident'>;
}

/** One message that was sent about all that shared a cause. */
interface UnknownGroup {
  /** The delivery that names it. */
  readonly id: string;
  /** When the latest of its monitors could not be checked for the first time, epoch ms. */
  readonly startedAt: number;
  /** Monitors of it, or covered by it, that still cannot be checked. */
  readonly unchecked: readonly string[];
}

export interface UnknownGroups {
  /** The groups of a cause (ownFaultKey) on a channel. */
  readonly of: (channel: string, ownFault: string) => readonly UnknownGroup[];
  /** The monitors of a group that still cannot be checked. */
  readonly uncheckedIn: (channel: string, group: string) => readonly string[];
}

interface Growing {
  readonly id: string;
  startedAt: number;
  readonly unchecked: string[];
}

/** A group lasts until its recovery was sent: while one of its incidents is open, or a recovery of it waits. */
export function unknownGroups({ open, deliveries }: UnknownSources): UnknownGroups {
  const groups = new Map<string, Map<string, Growing>>();
  const groupOf = (channel: string, ownFault: string, id: string): Growing => {
    const key = keyOf(channel, ownFault);
    const known = groups.get(key) ?? new Map<string, Growing>();
    groups.set(key, known);
    const group = known.get(id) ?? { id, startedAt: 0, unchecked: [] };
    known.set(id, group);
    return group;
  };
  for (const { uid, monitor, ownFault } of open) {
    for (const { event, state, channel, payload, deliveryId } of deliveries.ofIncident(uid)) {
      const outage = event === 'unknown' ? readOutage(payload) : null;
      if (outage === null) continue;
      if (state === 'sent') {
        const group = groupOf(channel, ownFault, outage.causeGroup ?? deliveryId);
        group.startedAt = Math.max(group.startedAt, outage.startedAt);
        group.unchecked.push(monitor);
      } else if (state === 'waiting' && outage.hold?.reason === 'same_cause' && outage.hold.by !== null) {
        groupOf(channel, ownFault, outage.hold.by).unchecked.push(monitor);
      }
    }
  }
  for (const pending of deliveries.all()) {
    const recovery = recoveryIn(pending);
    const ownFault = recovery?.ownFault ?? null;
    if (recovery === null || ownFault === null || recovery.causeGroup === null) continue;
    const group = groupOf(pending.row.channel, ownFault, recovery.causeGroup);
    group.startedAt = Math.max(group.startedAt, recovery.startedAt);
  }
  return {
    // One that nothing but held messages belongs to is over.
    of: (channel, ownFault) =>
      [...(groups.get(keyOf(channel, ownFault))?.values() ?? [])].filter(({ startedAt }) => startedAt > 0),
    uncheckedIn: (channel, group) =>
      [...groups].flatMap(([key, known]) =>
        key.startsWith(keyOf(channel, '')) ? (known.get(group)?.unchecked ?? []) : [],
      ),
  };
}

function recoveryIn({ row }: PendingDelivery) {
  if (row.event !== 'recovered') return null;
  const recovery = readRecovery(row.payload);
  return recovery?.from === 'unknown' && !recovery.isLate ? recovery : null;
}

function keyOf(channel: string, ownFault: string): string {
  return `${JSON.stringify(channel)} ${ownFault}`;
}
