/** Goes round the outbox whenever something is due or has changed: one decision after the other, one lane a channel. */
import type { Change } from '../../db/ledger.ts';
import type { Operation } from '../../db/operation.ts';
import type { SqlReader } from '../../db/sql.ts';
import { incidents } from '../../db/topics/incidents.ts';
import type { Config } from '../../engine/config/config.ts';
import type { State } from '../../engine/core/confirm/state.ts';
import type { Hold } from '../../engine/core/tell/payload.ts';
import type { Asks } from './asks.ts';
import { choose, sortOf, type Parting } from './choose.ts';
import { carry, type CourierOptions } from './courier.ts';
import { gather, type Facts } from './facts.ts';
import { Lane } from './lane.ts';
import { operationsOf } from '../../engine/loop/telling.ts';
import { owedFor } from './owed.ts';
import { plan, type Ready } from './plan.ts';
import { relate, relationsOf } from './relate.ts';
import type { Consulting } from './vantage/consulting.ts';
import { settingOf, type Setting } from './setting.ts';
import type { Waiter } from './waiting.ts';

export interface RoundsOptions extends Omit<CourierOptions, 'facts'> {
  readonly config: () => Config;
  readonly sql: SqlReader;
  readonly now: () => number;
  readonly stateOf: (id: string) => State | null;
  readonly asks: Asks;
  /** What other nodes see; null: they are not asked. */
  readonly consulting: Consulting | null;
  /** Something may be decided that could not be before. */
  readonly onProgress: () => void;
}

type Parcels = ReadonlyMap<string, Parting>;

/** What is closed this long before a start is not looked into again. */
const lookBackMs = 86_400_000;

export class Rounds {
  private readonly options: RoundsOptions;
  private readonly lanes = new Map<string, Lane>();
  /** Deliveries that wait for a check of somebody else, or for the peers. */
  private readonly asking = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();
  /** The holds that are to be looked at before they run out. */
  private reconsidered = new Set<Hold['reason']>(['muted', 'folded', 'upstream_failing']);
  private readonly closed: Set<string>;
  private setting: Setting;

  constructor(options: RoundsOptions) {
    this.options = options;
    this.setting = settingOf(options.config());
    const nowAt = options.now();
    const past = incidents.listWithin(options.sql, {
      fromAt: Math.max(0, nowAt - lookBackMs),
      toAt: nowAt + 1,
    });
    this.closed = new Set(past.filter(({ endedAt }) => endedAt !== null).map(({ uid }) => uid));
  }

  reload(): void {
    this.setting = settingOf(this.options.config());
    this.reconsider('muted', 'folded', 'upstream_failing');
  }

  /** Takes in a change of the store; answers whether there is anything to decide. */
  note({ operations }: Change): boolean {
    let isRelevant = this.options.waiting.note(operations);
    for (const [name, subject] of operations) {
      if (name === 'incident.close' && typeof subject === 'string') this.closed.add(subject);
      if (name === 'incident.close' || name === 'incident.open')
        this.reconsider('folded', 'upstream_failing');
      else if (name.startsWith('silence.')) this.reconsider('muted');
      else continue;
      isRelevant = true;
    }
    return isRelevant;
  }

  /** One round. What it hands to the channels is under way when it resolves. */
  async go(): Promise<void> {
    await this.options.consulting?.keepFindings();
    const facts = this.facts();
    const { nowAt } = facts;
    const due = this.toDecide(nowAt);
    const planned = plan(due, facts);
    const parcels = this.withoutQuestions(this.fill(planned.ready, facts), facts);
    const sends = [...parcels.values()].flatMap(({ deliveries }) => deliveries);
    const closed = [...this.closed];
    const operations = [
      ...operationsOf(planned.intents, nowAt),
      ...relate([...planned.relations, ...relationsOf(sends, facts)], facts),
      ...this.owed(closed, facts),
    ];
    if (operations.length > 0) await this.options.write(operations);
    for (const uid of closed) {
      this.closed.delete(uid);
      const ids = this.options.waiting.ofIncident(uid).map(({ deliveryId }) => deliveryId);
      this.options.consulting?.forget(uid, ids);
    }
    for (const { deliveryId, ids } of planned.asks) void this.ask(deliveryId, ids);
    for (const [channel, parting] of parcels) this.dispatch(channel, parting);
  }

  /** Whether a message is on its way or a check is waited for. */
  get isBusy(): boolean {
    return this.asking.size > 0 || [...this.lanes.values()].some(({ parcel }) => parcel !== null);
  }

  /** When something is due next that nothing under way will bring up by itself; null: nothing is. */
  nextAt(): number | null {
    const nowAt = this.options.now();
    const earliestAt = this.options.waiting.earliestAt();
    // Of a busy channel, maybe: then it is woken once for nothing.
    if (earliestAt > nowAt) return earliestAt === Infinity ? null : earliestAt;
    let next: number | null = null;
    for (const waiter of this.options.waiting.all()) {
      const { row } = waiter;
      const lane = this.lanes.get(row.channel);
      if (this.asking.has(row.deliveryId) || (lane !== undefined && lane.parcel !== null)) continue;
      const at = (row.nextAt <= nowAt ? this.gathersUntil(waiter, nowAt) : null) ?? row.nextAt;
      if (next === null || at < next) next = at;
    }
    return next;
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private facts(): Facts {
    const { sql, stateOf, asks, waiting } = this.options;
    return gather(this.options.now(), this.setting, {
      sql,
      stateOf,
      askedAt: asks.lastAt,
      rowsOf: (uid) => waiting.ofIncident(uid),
      isToldAlone: (deliveryId) => this.isToldAlone(deliveryId),
    });
  }

  private isToldAlone(deliveryId: string): boolean {
    return [...this.lanes.values()].some(
      ({ parcel }) =>
        parcel?.deliveries.some(({ row, cause }) => row.deliveryId === deliveryId && cause === null) === true,
    );
  }

  /** Until when more is gathered before this goes out; null: it is not held for that. */
  private gathersUntil(waiter: Waiter, nowAt: number): number | null {
    const { channel, deliveryId } = waiter.row;
    if (this.options.consulting?.hasServed(deliveryId) === true) return null;
    return this.lanes.get(channel)?.gathersUntil(sortOf(waiter), nowAt) ?? null;
  }

  private reconsider(...holds: readonly Hold['reason'][]): void {
    for (const hold of holds) this.reconsidered.add(hold);
  }

  /** What is due on a free channel, or held for a reason that may be none any more; the longest due first. */
  private toDecide(nowAt: number): Waiter[] {
    const { reconsidered } = this;
    const { waiting } = this.options;
    this.reconsidered = new Set();
    if (waiting.earliestAt() > nowAt && !waiting.isAnyHeld(reconsidered)) return [];
    return [...waiting.all()]
      .filter((waiter) => {
        const { row, hold } = waiter;
        if (this.asking.has(row.deliveryId)) return false;
        const lane = this.lanes.get(row.channel);
        const isFree = (lane?.parcel ?? null) === null;
        if (row.nextAt <= nowAt) return isFree && this.gathersUntil(waiter, nowAt) === null;
        return hold !== null && reconsidered.has(hold.reason);
      })
      .sort((a, b) => a.row.nextAt - b.row.nextAt || a.row.id - b.row.id);
  }

  /** Chooses for every free channel with something ready. */
  private fill(ready: ReadonlyMap<string, readonly Ready[]>, facts: Facts): Parcels {
    const parcels = new Map<string, Parting>();
    const all = [...this.options.waiting.all()];
    for (const [channel, list] of ready) {
      const lane = this.laneOf(channel);
      if (lane.parcel !== null) continue;
      const served = list.filter(({ row }) => this.options.consulting?.hasServed(row.deliveryId) === true);
      const queue = {
        // What waited for the peers was chosen before: nothing else is gathered for it, nor has it to be asked about.
        ...(served.length > 0 ? { ready: served, isChosen: true } : { ready: list, isChosen: false }),
        waiting: all.filter(({ row }) => row.channel === channel),
        lastStorms: lane.lastStorms,
      };
      const { parting, gathering } = choose(queue, facts);
      lane.gather(gathering);
      if (parting !== null) parcels.set(channel, parting);
    }
    return parcels;
  }

  /** Recoveries of incidents that closed since the last round. */
  private owed(closed: readonly string[], { nowAt, setting, incident }: Facts): Operation[] {
    return closed.flatMap((uid) => {
      const found = incident(uid);
      if (found === null) return [];
      const rows = this.options.waiting.ofIncident(uid);
      return operationsOf(owedFor({ incident: found, rows, windowMs: setting.windowMs, nowAt }), nowAt);
    });
  }

  /** Those of `parcels` that can go; the others wait for the peers, and their channels are free meanwhile. */
  private withoutQuestions(parcels: Parcels, facts: Facts): Parcels {
    return new Map(
      [...parcels].filter(([channel, parting]) => {
        const answered = this.options.consulting?.wait(parting.deliveries, facts) ?? null;
        if (answered !== null) void this.hold(channel, parting, answered);
        return answered === null;
      }),
    );
  }

  /** A message about many counts from here on, or the next one would be later by what this one waits. */
  private async hold(channel: string, { sort, deliveries }: Parting, answered: Promise<void>): Promise<void> {
    const { now, onProgress } = this.options;
    for (const { row } of deliveries) this.asking.add(row.deliveryId);
    if (sort !== null && deliveries.length > 1) this.laneOf(channel).noteStorm(sort, now());
    onProgress();
    await answered;
    for (const { row } of deliveries) this.asking.delete(row.deliveryId);
    onProgress();
  }

  private async ask(deliveryId: string, ids: readonly string[]): Promise<void> {
    this.asking.add(deliveryId);
    await this.options.asks.ask(ids);
    this.asking.delete(deliveryId);
    this.options.onProgress();
  }

  /** Sends a parcel off, unless something in it was taken back while its decisions were written. */
  private dispatch(channel: string, { sort, deliveries }: Parting): void {
    const { waiting, onProgress } = this.options;
    const lane = this.laneOf(channel);
    if (!deliveries.every(({ row }) => waiting.has(row.deliveryId))) {
      onProgress();
      return;
    }
    const parcel = { channel, deliveries };
    lane.parcel = parcel;
    const wasChosen = this.options.consulting?.release(deliveries) === true;
    const carrying = carry(parcel, { ...this.options, facts: () => this.facts() })
      .then((isTaken) => {
        const isStorm = isTaken && sort !== null && deliveries.length > 1;
        if (isStorm && !wasChosen) lane.noteStorm(sort, this.options.now());
      })
      .catch((error: unknown) => {
        this.options.log({
          level: 'error',
          event: 'pipeline.failed',
          message: `What came of a message could not be written: ${String(error)}`,
          fields: { channel },
        });
      })
      .finally(() => {
        lane.parcel = null;
        this.underWay.delete(carrying);
        onProgress();
      });
    this.underWay.add(carrying);
  }

  private laneOf(channel: string): Lane {
    const lane = this.lanes.get(channel) ?? new Lane();
    this.lanes.set(channel, lane);
    return lane;
  }
}
