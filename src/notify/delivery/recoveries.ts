/**
 * Answers which recoveries are pending: those of what is over, on channels that received its alert, or may have.
 *
 * The transaction that ends an incident has the recoveries for the channels that were alerted by then (alerting/queue).
 * An alert may be on its way at that moment, so both sides look again when they have written: the sender with
 * `recoveryAfter`, the end of the incident with `Settlement`.
 */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import type { EndedEvent } from '../../engine/alerting/events/outage.ts';
import type { OutagePayload } from '../../engine/alerting/events/outage-payload.ts';
import { changed, type EventFields } from '../../engine/alerting/events/stored.ts';
import { endsOf, type NamedBy, namedByOf } from '../../engine/alerting/group.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { queue } from '../../engine/alerting/queue.ts';
import { recoveryOf } from '../../engine/alerting/queue-recovery.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import type { PeerConfirmation } from '../../engine/peers/confirmation/confirmation.ts';
import { endedBy, hasRecovery } from './contents.ts';
import type { DeliveryContext } from './context.ts';
import { isUnstable } from './decide-unstable.ts';
import type { OutboxCache } from './outbox-cache.ts';
import type { Ready } from './plan.ts';
import { type PartsWriter, writeEach } from './write-in-parts.ts';

/** The end of a closed incident; null: it is open. Without its monitor in the configuration it is a removal. */
function endOf(
  { uid, monitor, startedAt, endedAt, ownFault }: IncidentRow,
  { nowAt, settings }: DeliveryContext,
): EndedEvent | null {
  if (endedAt === null) return null;
  const kind = ownFault === null ? 'incident_closed' : 'unknown_ended';
  const by = settings.names.has(monitor) ? 'recovery' : 'removal';
  return { kind, by, uid, monitor, at: nowAt, startedAt, endedAt };
}

/** The end of what an alert is about; null: it lasts, or is nothing that ends. */
function endOfAlert({ row, event, outage }: Ready, context: DeliveryContext): EndedEvent | null {
  if (row.monitor === null || row.incident === null || outage === null) return null;
  if (event === 'unstable') return endOfUnstable({ row, monitor: row.monitor, outage }, context);
  if (event !== 'degraded') {
    const incident = context.incident(row.incident);
    return incident && endOf(incident, context);
  }
  const state = context.stateOf(row.monitor);
  if (state === null || state.degradation !== null || state.incident !== null) return null;
  const { nowAt: at } = context;
  const { startedAt } = outage;
  return { kind: 'degraded_ended', by: 'recovery', monitor: row.monitor, at, startedAt, endedAt: at };
}

function endOfUnstable(
  {
    row,
    monitor,
    outage: { startedAt, confirmedAt, outages },
  }: Pick<Ready, 'row'> & { readonly monitor: string; readonly outage: OutagePayload },
  context: DeliveryContext,
): EndedEvent | null {
  if (isUnstable(row, monitor, context)) return null;
  const endedAt = context.stabilityOf(monitor).endedAt ?? confirmedAt;
  const by = context.settings.names.has(monitor) ? 'recovery' : 'removal';
  const over = { startedAt, endedAt, outages: outages ?? 0 };
  return { kind: 'unstable_ended', by, monitor, at: context.nowAt, ...over };
}

/**
 * The recovery of an alert that was sent, or may have been received, when what it is about is over by now. `marks`:
 * what its delivery remembers of the message beside its payload. None while it lasts.
 */
export function recoveryAfter(alert: Ready, marks: EventFields, context: DeliveryContext): readonly Intent[] {
  const end = endOfAlert(alert, context);
  if (end === null) return [];
  const { row } = alert;
  return recoveryOf(end, { ...row, payload: changed(row.payload, marks) }, context.settings.windowMs);
}

export interface SettlementOptions extends PartsWriter {
  readonly sql: SqlReader;
  /** Epoch ms. */
  readonly nowAt: number;
  readonly cache: OutboxCache;
  readonly confirmation: PeerConfirmation | null;
}

/** The operations that may end a delivery. */
const finishing: ReadonlySet<string> = new Set(['outbox.sent', 'outbox.failed', 'outbox.drop']);

/** What is closed this long before a start is not looked at again. */
const lookBackMs = 86_400_000;

export class Settlement {
  private readonly options: SettlementOptions;
  private readonly closed: Set<string>;
  /** What an upstream's alert named, by the uid of that outage: whether its recovery ends it shows when that is sent. */
  private readonly awaiting = new Map<string, Set<string>>();

  constructor(options: SettlementOptions) {
    this.options = options;
    const { sql, nowAt } = options;
    const past = incidents.listWithin(sql, { fromAt: Math.max(0, nowAt - lookBackMs), toAt: nowAt + 1 });
    this.closed = new Set(past.filter(({ endedAt }) => endedAt !== null).map(({ uid }) => uid));
  }

  /** Takes in what was written: an incident closed, or a recovery was sent, dropped or failed. */
  note(operations: readonly Operation[]): void {
    for (const [name, subject] of operations) {
      if (typeof subject !== 'string') continue;
      if (name === 'incident.close') this.closed.add(subject);
      else if (finishing.has(name)) this.takeUpAwaiting(subject);
    }
  }

  /** A closed incident is to be looked at again. */
  add(uid: string): void {
    this.closed.add(uid);
  }

  /** What a recovery was to end and did not has one of its own. */
  private takeUpAwaiting(deliveryId: string): void {
    const root = /^(.+)\.recovered\./.exec(deliveryId)?.[1] ?? '';
    for (const uid of this.awaiting.get(root) ?? []) this.closed.add(uid);
    this.awaiting.delete(root);
  }

  /** The incidents that closed and were not settled yet. */
  open(): readonly string[] {
    return [...this.closed];
  }

  async go(closed: readonly string[], context: DeliveryContext): Promise<void> {
    const { cache, confirmation } = this.options;
    const recoveriesOf = (uid: string): Operation[] => {
      const incident = context.incident(uid);
      return incident === null ? [] : operationsOf(this.recoveriesOf(incident, context), context.nowAt);
    };
    // What is added from here on is looked at again.
    for (const uid of closed) this.closed.delete(uid);
    try {
      await writeEach(closed, recoveriesOf, this.options);
    } catch (error) {
      for (const uid of closed) this.closed.add(uid);
      throw error;
    }
    for (const uid of closed) {
      const ids = cache.ofIncident(uid).map(({ deliveryId }) => deliveryId);
      confirmation?.forget(uid, ids);
    }
  }

  /** For the channels whose alert went out while the incident ended, when neither side saw what the other wrote. */
  private recoveriesOf(incident: IncidentRow, context: DeliveryContext): readonly Intent[] {
    const end = endOf(incident, context);
    if (end === null) return [];
    const { windowMs } = context.settings;
    const all = this.options.cache.ofIncident(incident.uid);
    const rows = all.filter(({ channel }) => !hasRecovery(all, channel));
    const alerted = rows.filter(({ state, payload }) => state === 'sent' || copiesOf(payload) !== null);
    const named = rows.filter(({ event, channel, payload }) => {
      const namedBy = event === 'down' ? namedByOf(payload) : null;
      return namedBy !== null && this.isLeftOut(incident, { namedBy, channel }, context);
    });
    return [
      ...queue(end, { rows: alerted, channels: [], windowMs, isDegradedNotified: false }),
      ...named.flatMap((row) => recoveryOf(end, row, windowMs)),
    ];
  }

  /** Whether the recovery of its upstream has gone, or goes, to a channel without naming a dependent that is up. */
  private isLeftOut(
    { uid }: IncidentRow,
    { namedBy, channel }: { readonly namedBy: NamedBy; readonly channel: string },
    context: DeliveryContext,
  ): boolean {
    const root = context.incident(namedBy.root);
    if (root === null) return true;
    if (root.endedAt === null) return false;
    const rows = this.options.cache.ofIncident(root.uid).filter((row) => row.channel === channel);
    const recovery = rows.find(({ event }) => event === 'recovered');
    const isKnown =
      recovery !== undefined && (recovery.state !== 'waiting' || endsOf(recovery.payload) !== null);
    if (isKnown) return !endedBy(recovery, context).includes(uid);
    this.awaiting.set(root.uid, (this.awaiting.get(root.uid) ?? new Set()).add(uid));
    return false;
  }
}
