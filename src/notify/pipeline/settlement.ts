/** Writes the recoveries of incidents that closed, for the channels whose message was on its way at that moment. */
import type { Operation } from '../../db/operation.ts';
import type { SqlReader } from '../../db/sql.ts';
import { incidents, type IncidentRow } from '../../db/topics/incidents.ts';
import { endsOf, type NamedBy } from '../../engine/core/tell/group.ts';
import type { Slices } from '../../engine/loop/slices.ts';
import { operationsOf } from '../../engine/loop/telling.ts';
import { howEnded } from './account.ts';
import type { Facts } from './facts.ts';
import { owedFor } from './owed.ts';
import type { Consulting } from './vantage/consulting.ts';
import type { Waiting } from './waiting.ts';

export interface SettlementOptions {
  readonly sql: SqlReader;
  /** Epoch ms. */
  readonly nowAt: number;
  readonly waiting: Waiting;
  readonly consulting: Consulting | null;
  readonly slices: Slices;
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

  async go(closed: readonly string[], facts: Facts): Promise<void> {
    const { slices, waiting, consulting, write } = this.options;
    let operations: Operation[] = [];
    for (const uid of closed) {
      await slices.pass();
      const found = facts.incident(uid);
      if (found !== null) operations.push(...operationsOf(this.owedOf(found, facts), facts.nowAt));
      if (operations.length < atOnce) continue;
      await write(operations);
      operations = [];
    }
    if (operations.length > 0) await write(operations);
    for (const uid of closed) {
      this.closed.delete(uid);
      const ids = waiting.ofIncident(uid).map(({ deliveryId }) => deliveryId);
      consulting?.forget(uid, ids);
    }
  }

  private owedOf(incident: IncidentRow, facts: Facts) {
    const { nowAt, setting } = facts;
    return owedFor({
      incident,
      rows: this.options.waiting.ofIncident(incident.uid),
      isLeftOut: (namedBy, channel) => this.isLeftOut(incident, { namedBy, channel }, facts),
      windowMs: setting.windowMs,
      nowAt,
      by: howEnded(incident.monitor, setting),
    });
  }

  /** Whether the recovery of its upstream has gone, or goes, to a channel without naming a dependent that is up. */
  private isLeftOut(
    { id, endedAt }: IncidentRow,
    { namedBy, channel }: { readonly namedBy: NamedBy; readonly channel: string },
    facts: Facts,
  ): boolean {
    const root = facts.incident(namedBy.root);
    if (root === null) return true;
    if (root.endedAt === null) return false;
    const rows = this.options.waiting.ofIncident(root.uid).filter((row) => row.channel === channel);
    const recovery = rows.find(({ event }) => event === 'recovered');
    if (recovery === undefined) return false;
    const ends = endsOf(recovery.payload);
    if (ends !== null) return !ends.includes(id);
    return recovery.state !== 'waiting' && (endedAt ?? 0) > (recovery.finishedAt ?? 0);
  }
}
