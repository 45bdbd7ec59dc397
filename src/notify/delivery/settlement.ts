/** Writes the recoveries of incidents that closed, for the channels whose message was on its way at that moment. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { incidents, type IncidentRow } from '../../db/tables/incidents.ts';
import { endsOf, type NamedBy } from '../../engine/alerting/group.ts';
import type { Yielder } from '../../engine/monitoring/yielder.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import { howEnded } from './record-delivery.ts';
import type { DeliveryContext } from './context.ts';
import { pendingRecoveries } from './pending-recoveries.ts';
import type { PeerConfirmation } from './peer-confirmation/confirmation.ts';
import type { OutboxCache } from './outbox-cache.ts';

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
    { id, endedAt }: IncidentRow,
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
    if (ends !== null) return !ends.includes(id);
    return recovery.state !== 'waiting' && (endedAt ?? 0) > (recovery.finishedAt ?? 0);
  }
}
