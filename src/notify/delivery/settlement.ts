/** Writes the recoveries of incidents that closed, for the channels whose message was on its way at that moment. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import { endsOf, type NamedBy, namedByOf } from '../../engine/alerting/group.ts';
import type { Yielder } from '../../engine/monitoring/yielder.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import { howEnded } from './record-delivery.ts';
import type { DeliveryContext } from './context.ts';
import { uidsOf } from './contents.ts';
import type { PeerConfirmation } from '../../engine/peers/confirmation/confirmation.ts';
import type { OutboxCache } from './outbox-cache.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { queue, recoveryOf } from '../../engine/alerting/queue.ts';

export interface SettlementOptions {
  readonly sql: SqlReader;
  /** Epoch ms. */
  readonly nowAt: number;
  readonly cache: OutboxCache;
  readonly confirmation: PeerConfirmation | null;
  readonly yielder: Yielder;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

/** What is closed this long before a start is not looked into again. */
const lookBackMs = 86_400_000;

/** Operations that need not be written together, but can be. */
const atOnce = 50;

export class Settlement {
  private readonly options: SettlementOptions;
  private readonly closed: Set<string>;

  constructor(options: SettlementOptions) {
    this.options = options;
    const { sql, nowAt } = options;
    const past = incidents.listWithin(sql, { fromAt: Math.max(0, nowAt - lookBackMs), toAt: nowAt + 1 });
    this.closed = new Set(past.filter(({ endedAt }) => endedAt !== null).map(({ uid }) => uid));
  }

  /** An incident closed. */
  add(uid: string): void {
    this.closed.add(uid);
  }

  /** The incidents that closed and were not settled yet. */
  open(): readonly string[] {
    return [...this.closed];
  }

  async go(closed: readonly string[], context: DeliveryContext): Promise<void> {
    const { yielder, cache, confirmation, write } = this.options;
    let operations: Operation[] = [];
    for (const uid of closed) {
      await yielder.pass();
      const found = context.incident(uid);
      if (found !== null) operations.push(...operationsOf(this.recoveriesOf(found, context), context.nowAt));
      if (operations.length < atOnce) continue;
      await write(operations);
      operations = [];
    }
    if (operations.length > 0) await write(operations);
    for (const uid of closed) {
      this.closed.delete(uid);
      const ids = cache.ofIncident(uid).map(({ deliveryId }) => deliveryId);
      confirmation?.forget(uid, ids);
    }
  }

  private recoveriesOf(incident: IncidentRow, context: DeliveryContext) {
    const { nowAt, settings } = context;
    return pendingRecoveries({
      incident,
      rows: this.options.cache.ofIncident(incident.uid),
      isLeftOut: (namedBy, channel) => this.isLeftOut(incident, { namedBy, channel }, context),
      windowMs: settings.windowMs,
      nowAt,
      by: howEnded(incident.monitor, settings),
    });
  }

  /** Whether the recovery of its upstream has gone, or goes, to a channel without naming a dependent that is up. */
  private isLeftOut(
    { uid, endedAt }: IncidentRow,
    { namedBy, channel }: { readonly namedBy: NamedBy; readonly channel: string },
    context: DeliveryContext,
  ): boolean {
    const root = context.incident(namedBy.root);
    if (root === null) return true;
    if (root.endedAt === null) return false;
    const rows = this.options.cache.ofIncident(root.uid).filter((row) => row.channel === channel);
    const recovery = rows.find(({ event }) => event === 'recovered');
    if (recovery === undefined) return false;
    const ends = endsOf(recovery.payload);
    if (ends !== null) return !uidsOf(ends, context).includes(uid);
    return recovery.state !== 'waiting' && (endedAt ?? 0) > (recovery.finishedAt ?? 0);
  }
}

/** Finds the recoveries that are owed: to channels that were told of an outage which is over. */
interface ClosedIncident {
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
function pendingRecoveries({
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
