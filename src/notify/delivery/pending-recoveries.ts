/** Finds the recoveries that are owed: to channels that were told of an outage which is over. */
import type { IncidentRow } from '../../db/tables/incidents.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { type NamedBy, namedByOf } from '../../engine/alerting/group.ts';
import { queue, recoveryOf } from '../../engine/alerting/queue.ts';

export interface ClosedIncident {
  readonly incident: IncidentRow;
  /** Every delivery about it. */
  readonly rows: readonly DeliveryRow[];
  /** Whether the recovery of the upstream in whose message it was named has gone, or goes, without it. */
  readonly isLeftOut: (namedBy: NamedBy, channel: string) => boolean;
  readonly windowMs: number;
  readonly nowAt: number;
  /** How it ended. */
  readonly by: 'recovery' | 'removal';
}

/**
 * Whoever closes an incident puts its recoveries into the same transaction, for the channels told by then. This
 * finds those that were told in the same moment, when neither side could see the other's write.
 */
export function pendingRecoveries({
  incident,
  rows,
  isLeftOut,
  windowMs,
  nowAt,
  by,
}: ClosedIncident): readonly Intent[] {
  const { uid, monitor, startedAt, endedAt, ownFault } = incident;
  if (endedAt === null) return [];
  const answered = new Set(rows.filter(({ event }) => event === 'recovered').map(({ channel }) => channel));
  const begun = ownFault === null ? 'down' : 'unknown';
  const notified = rows.filter(
    ({ event, state, channel, payload }) =>
      event === begun && (state === 'sent' || copiesOf(payload) !== null) && !answered.has(channel),
  );
  const kind = ownFault === null ? 'incident_closed' : 'unknown_ended';
  const ended = { kind, by, uid, monitor, at: nowAt, startedAt, endedAt } as const;
  const named = rows.filter(({ event, channel, payload }) => {
    const namedBy = event === 'down' && !answered.has(channel) ? namedByOf(payload) : null;
    return namedBy !== null && isLeftOut(namedBy, channel);
  });
  return [
    ...queue(ended, { rows: notified, channels: [], windowMs, isDegradedNotified: false }),
    ...named.flatMap((row) => recoveryOf(ended, row, windowMs)),
  ];
}
