/** Goes round the outbox whenever something is due or has changed: one decision after the other, one lane a channel. */
import type { Change } from '../../db/ledger.ts';
import type { SqlReader } from '../../db/sql.ts';
import type { Config } from '../../engine/config/config.ts';
import { type ClockShift, moveAhead, movePast } from '../../engine/core/clock-shift.ts';
import type { State } from '../../engine/core/confirm/state.ts';
import { takeUpConfig } from './take-up-config.ts';
import type { Asks } from './asks.ts';
import { choose, isCopy, type Parting } from './choose.ts';
import { carry, type CourierOptions } from './courier.ts';
import { Due } from './due.ts';
import { gather, type Facts } from './facts.ts';
import { Lane } from './lane.ts';
import { OpenOutages } from './open-outages.ts';
import { holdReasons } from '../../engine/core/tell/payload.ts';
import type { Ask, Ready } from './plan.ts';
import { planInParts } from './plan-in-parts.ts';
import { writeRelations } from './relate.ts';
import type { Consulting } from './vantage/consulting.ts';
import { earlierRecovery } from './earlier-recovery.ts';
import { Settlement } from './settlement.ts';
import { settingOf, type Setting } from './setting.ts';

export interface RoundsOptions extends Omit<CourierOptions, 'facts' | 'onLeftOut'> {
  readonly config: () => Config;
  readonly sql: SqlReader;
  readonly now: () => number;
  readonly stateOf: (id: string) => State | null;
  readonly asks: Asks;
  /** What other nodes see; null: they are not asked. */
  readonly consulting: Consulting | null;
  /** Reads what other processes wrote until now. */
  readonly refresh: () => Promise<void>;
  /** Something may be decided that could not be before. */
  readonly onProgress: () => void;
}

type Parcels = ReadonlyMap<string, Parting>;

export class Rounds {
  private readonly options: RoundsOptions;
  private readonly lanes = new Map<string, Lane>();
  /** Deliveries that wait for a check of somebody else, or for the peers. */
  private readonly asking = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();
  private readonly due: Due;
  private readonly outages: OpenOutages;
  private readonly settlement: Settlement;
  /** The monitors with an outage whose cause was not looked for yet. */
  private begun: Set<string>;
  private startedAt: number;
  private setting: Setting;
  /** A silence came or went since this round gathered its facts. */
  private isOutdated = false;
  /** The configuration was not compared with what waits yet. */
  private isConfigNew = true;

  constructor(options: RoundsOptions) {
    this.options = options;
    this.setting = settingOf(options.config());
    const { lanes, asking } = this;
    const { sql, waiting, consulting } = options;
    const hasServed = (deliveryId: string) => consulting?.hasServed(deliveryId) === true;
    this.due = new Due({ waiting, lanes, asking, hasServed });
    this.outages = new OpenOutages({
      sql,
      rowsOf: (uid) => waiting.ofIncident(uid),
      isToldAlone: (id) => [...lanes.values()].some((lane) => lane.isTellingAlone(id)),
    });
    this.begun = new Set(this.outages.connected(this.setting).keys());
    const nowAt = options.now();
    this.startedAt = nowAt;
    this.settlement = new Settlement({ ...options, nowAt });
  }

  reload(): void {
    this.setting = settingOf(this.options.config());
    this.isConfigNew = true;
    this.begun = new Set(this.outages.connected(this.setting).keys());
    this.due.reconsider('muted', 'folded', 'upstream_due', 'upstream_failing');
  }

  /** Takes in a change of the store; answers whether there is anything to decide. */
  note({ operations }: Change): boolean {
    for (const [name, byMs, sinceAt, at] of operations)
      if (name === 'clock.shift') this.shift({ byMs, sinceAt, at } as unknown as ClockShift);
    let isRelevant = this.options.waiting.note(operations);
    for (const monitor of this.outages.note(operations)) {
      this.begun.add(monitor);
      this.due.reconsiderBelow(this.setting.graph, monitor);
      isRelevant = true;
    }
    for (const monitor of this.outages.withChangedMessages(operations))
      isRelevant = this.due.reconsiderDependents(this.setting.graph, monitor) || isRelevant;
    for (const [name, subject] of operations) {
      // A message that covers others, or their recovery, may have been sent.
      if (name === 'incident.close' || name === 'outbox.sent')
        this.due.reconsider('same_cause', 'down_again');
      if (name === 'incident.close' && typeof subject === 'string') this.settlement.add(subject);
      else if (name.startsWith('silence.')) {
        this.due.reconsider('muted');
        this.isOutdated = true;
      } else continue;
      isRelevant = true;
    }
    return isRelevant;
  }

  /** One round. What it hands to the channels is under way when it resolves. */
  async go(): Promise<void> {
    await this.options.consulting?.keepFindings();
    if (this.isConfigNew) await this.takeUpConfig();
    this.isOutdated = false;
    const facts = this.facts();
    const closed = this.settlement.open();
    const planned = await planInParts(this.due.take(facts.nowAt), facts, this.options);
    this.due.reconsider(...planned.changed.flatMap(({ hold }) => hold?.reason ?? []));
    const parcels = this.withoutQuestions(this.fill(planned.ready, facts), facts);
    const begun = [...this.begun];
    await writeRelations(planned.relations, parcels.values(), { ...this.options, facts, begun });
    for (const monitor of begun) this.begun.delete(monitor);
    await this.settlement.go(closed, facts);
    for (const ask of planned.asks) void this.ask(ask);
    if (parcels.size > 0 && (await this.wasOutdated())) {
      this.options.onProgress();
      return;
    }
    for (const [channel, parting] of parcels) this.dispatch(channel, parting);
  }

  /**
   * Whether what was decided may not be sent. The log is read for that: this process may have stood still for hours,
   * and a silence that was acknowledged meanwhile holds.
   */
  private async wasOutdated(): Promise<boolean> {
    await this.options.refresh();
    return this.isOutdated;
  }

  /** Whether a message is on its way or a check is waited for. */
  get isBusy(): boolean {
    return this.asking.size > 0 || [...this.lanes.values()].some(({ parcel }) => parcel !== null);
  }

  /** When something is due next that nothing under way will bring up by itself; null: nothing is. */
  nextAt(): number | null {
    return this.due.nextAt(this.options.now());
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** The clock was set, and what waits with it: nothing that was learned on the old one is left. */
  private shift(shift: ClockShift): void {
    const how = { past: movePast(shift), ahead: moveAhead(shift, shift.at - shift.byMs) };
    this.outages.load();
    this.options.asks.shift(how.past);
    for (const lane of this.lanes.values()) lane.shift(how);
    this.startedAt = how.past(this.startedAt);
    this.due.reconsider(...holdReasons);
  }

  private facts(): Facts {
    const { sql, stateOf, asks, waiting } = this.options;
    return gather(this.options.now(), this.setting, {
      sql,
      startedAt: this.startedAt,
      stateOf,
      askedAt: asks.lastAt,
      outages: () => this.outages.connected(this.setting),
      open: () => this.outages.byMonitor(),
      deliveries: waiting,
    });
  }

  /** What waits is sent whether or not this succeeds; the next round tries it again. */
  private async takeUpConfig(): Promise<void> {
    const { options, setting, lanes } = this;
    this.isConfigNew = false;
    if (!(await takeUpConfig({ ...options, setting, lanes }))) this.isConfigNew = true;
  }

  /** Chooses for every free channel with something ready. */
  private fill(ready: ReadonlyMap<string, readonly Ready[]>, facts: Facts): Parcels {
    const { waiting } = this.options;
    const parcels = new Map<string, Parting>();
    const all = ready.size === 0 ? [] : [...waiting.all()];
    for (const [channel, planned] of ready) {
      const lane = this.laneOf(channel);
      const list = planned.filter(({ row }) => waiting.isCurrent(row));
      if (lane.parcel !== null || list.length === 0) continue;
      const waitingHere = all.filter(({ row }) => row.channel === channel);
      const earlier = earlierRecovery(list, waitingHere, lane.precedence);
      if (earlier !== null) {
        parcels.set(channel, { sort: null, deliveries: [earlier] });
        continue;
      }
      const served = list.filter(({ row }) => this.options.consulting?.hasServed(row.deliveryId) === true);
      const queue = {
        // What waited for the peers was chosen before: nothing else is gathered for it, nor has it to be asked about.
        ...(served.length > 0 ? { ready: served, isChosen: true } : { ready: list, isChosen: false }),
        waiting: waitingHere,
        lastStorms: lane.lastStorms,
      };
      const { parting, gathering } = choose(queue, facts);
      lane.gather(gathering);
      if (parting !== null) parcels.set(channel, parting);
    }
    return parcels;
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

  private async ask({ deliveryId, ids, untilAt }: Ask): Promise<void> {
    this.asking.add(deliveryId);
    await this.options.asks.ask(ids, untilAt);
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
    const onLeftOut = (uids: readonly string[]) => {
      for (const uid of uids) this.settlement.add(uid);
      onProgress();
    };
    const carrying = carry(parcel, { ...this.options, facts: () => this.facts(), onLeftOut })
      .then((isTaken) => {
        const isStorm = isTaken && sort !== null && !isCopy(sort) && deliveries.length > 1;
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
