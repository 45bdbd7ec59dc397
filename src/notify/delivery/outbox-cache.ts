/** Keeps pending deliveries in memory, in step with the outbox. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { outbox, type DeliveryRow } from '../../db/tables/outbox.ts';
import { producerAlerts } from '../../db/tables/producer-alerts.ts';
import { type Hold, holdOf } from '../../engine/alerting/events/stored.ts';
import { isOutageEvent } from '../../engine/alerting/events/outage.ts';
import { type OutagePayload, readOutage } from '../../engine/alerting/events/outage-payload.ts';

/** A delivery that waits, with its payload read. */
export interface PendingDelivery {
  readonly row: DeliveryRow;
  /** Null unless it is about an outage or a degradation. */
  readonly outage: OutagePayload | null;
  readonly hold: Hold | null;
}

/** What changes more deliveries than it names. */
const reloading: ReadonlySet<string> = new Set(['clock.shift', 'monitor.rename', 'channel.rename']);

/** The latest instant there is. */
const endOfTime = 8_640_000_000_000_000;

export class OutboxCache {
  private readonly sql: SqlReader;
  private readonly pendings = new Map<string, PendingDelivery>();
  private readonly queues = new Map<string, Map<string, PendingDelivery>>();
  private readonly episodes = new Map<string | null, readonly DeliveryRow[]>();
  /** How many are held, by reason. */
  private readonly held = new Map<Hold['reason'], number>();
  /** When the first is due; null: not known, it is looked up when asked for. */
  private firstAt: number | null = null;

  constructor(sql: SqlReader) {
    this.sql = sql;
    this.load();
  }

  all(): Iterable<PendingDelivery> {
    return this.pendings.values();
  }

  /** The names of the channels on which anything waits. */
  channels(): Iterable<string> {
    return this.queues.keys();
  }

  /** The deliveries that wait on one channel. */
  ofChannel(channel: string): Iterable<PendingDelivery> {
    return this.queues.get(channel)?.values() ?? [];
  }

  /** When the first is due, busy channels aside; never when nothing waits. In a storm it is asked with every change. */
  earliestAt(): number {
    if (this.firstAt !== null) return this.firstAt;
    let firstAt = Infinity;
    for (const { row } of this.pendings.values()) firstAt = Math.min(firstAt, row.nextAt);
    this.firstAt = firstAt;
    return firstAt;
  }

  isAnyHeld(reasons: ReadonlySet<Hold['reason']>): boolean {
    for (const reason of reasons) if ((this.held.get(reason) ?? 0) > 0) return true;
    return false;
  }

  has(deliveryId: string): boolean {
    return this.pendings.has(deliveryId);
  }

  /** Whether a delivery waits as `row` says: it has not changed since. */
  isCurrent(row: DeliveryRow): boolean {
    return this.pendings.get(row.deliveryId)?.row === row;
  }

  /** Every delivery about an incident, the finished ones too. */
  ofIncident(uid: string): readonly DeliveryRow[] {
    const known = this.episodes.get(uid) ?? outbox.ofIncident(this.sql, uid);
    this.episodes.set(uid, known);
    return known;
  }

  /** Takes in what was written; answers whether any delivery changed. */
  note(operations: readonly Operation[]): boolean {
    const changed = new Set<string>();
    for (const operation of operations) {
      const [name, deliveryId] = operation;
      if (reloading.has(name)) {
        this.load();
        return true;
      }
      for (const id of producerAlerts.deliveryIdsOf(operation)) changed.add(id);
      if (name.startsWith('outbox.') && typeof deliveryId === 'string') changed.add(deliveryId);
    }
    for (const deliveryId of changed) this.refresh(deliveryId);
    return changed.size > 0;
  }

  private load(): void {
    this.pendings.clear();
    this.queues.clear();
    this.held.clear();
    this.firstAt = null;
    this.episodes.clear();
    for (const row of outbox.due(this.sql, endOfTime, Number.MAX_SAFE_INTEGER)) this.keep(row);
  }

  private refresh(deliveryId: string): void {
    const row = outbox.find(this.sql, deliveryId);
    if (row !== null) this.episodes.delete(row.incident);
    if (row?.state === 'waiting') this.keep(row);
    else this.letGo(deliveryId);
  }

  private keep(row: DeliveryRow): void {
    const outage = isOutageEvent(row.event) ? readOutage(row.payload) : null;
    const hold = holdOf(row.payload);
    this.letGo(row.deliveryId);
    const pending = { row, outage, hold };
    this.pendings.set(row.deliveryId, pending);
    const queue = this.queues.get(row.channel) ?? new Map<string, PendingDelivery>();
    this.queues.set(row.channel, queue.set(row.deliveryId, pending));
    if (hold !== null) this.held.set(hold.reason, (this.held.get(hold.reason) ?? 0) + 1);
    if (this.firstAt !== null) this.firstAt = Math.min(this.firstAt, row.nextAt);
  }

  private letGo(deliveryId: string): void {
    const pending = this.pendings.get(deliveryId);
    if (pending === undefined) return;
    const { row, hold } = pending;
    this.pendings.delete(deliveryId);
    const queue = this.queues.get(row.channel);
    queue?.delete(deliveryId);
    if (queue?.size === 0) this.queues.delete(row.channel);
    if (hold !== null) this.held.set(hold.reason, (this.held.get(hold.reason) ?? 1) - 1);
    if (row.nextAt === this.firstAt) this.firstAt = null;
  }
}
