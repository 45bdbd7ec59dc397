/** Finds the recoveries that are owed: to channels that were told of an outage which is over. */
import type { IncidentRow } from '../../db/topics/incidents.ts';
import type { DeliveryRow } from '../../db/topics/outbox.ts';
import type { Intent } from '../../engine/core/tell/intent.ts';
import { queue } from '../../engine/core/tell/queue.ts';

export interface Closed {
  readonly incident: IncidentRow;
  /** Every delivery about it. */
  readonly rows: readonly DeliveryRow[];
  readonly windowMs: number;
  readonly nowAt: number;
}

/**
 * Whoever closes an incident puts its recoveries into the same transaction, for the channels told by then. This
 * finds those that were told in the same moment, when neither side could see the other's write.
 */
export function owedFor({ incident, rows, windowMs, nowAt }: Closed): readonly Intent[] {
  const { uid, monitor, startedAt, endedAt } = incident;
  if (endedAt === null) return [];
  const answered = new Set(rows.filter(({ event }) => event === 'recovered').map(({ channel }) => channel));
  const told = rows.filter(
    ({ event, state, channel }) => event === 'down' && state === 'sent' && !answered.has(channel),
  );
  return queue(
    { kind: 'incident_closed', uid, monitor, at: nowAt, startedAt, endedAt },
    { rows: told, channels: [], windowMs, isDegradedTold: false },
  );
}
