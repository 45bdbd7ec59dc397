/** Works through the outbox whenever something is due or has changed: decides in one order, sends with one queue a channel. */
import type { StoreChange } from '../../db/wal/applier.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Config } from '../../engine/config/config.ts';
import { type ClockShift, movePast } from '../../engine/core/clock-shift.ts';
import { logsFault, unattended } from '../../engine/core/unattended.ts';
import type { MonitorState } from '../../engine/monitoring/confirm/state.ts';
import type { Engine } from '../../engine/monitoring/engine.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { OpenRoutes } from './open-routes.ts';
import { alignAllReminders, takeUpConfig } from './take-up-config.ts';
import { checkAround } from './check-around.ts';
import type { UpstreamChecks } from './upstream-checks.ts';
import { choose, type ChosenBatch } from './choose.ts';
import { sendBatch, type SenderOptions } from './sender.ts';
import { byLoad, ChannelQueue, Due } from './due.ts';
import { type DeliveryContext, deliverySettings, type DeliverySettings, gather } from './context.ts';
import { OpenOutages } from './open-outages.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { holdReasons } from '../../engine/alerting/events/stored.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import { type Ask, plan, type Ready } from './plan.ts';
import { writeRelations } from './relate.ts';
import type { PeerConfirmation } from '../../engine/peers/confirmation/confirmation.ts';
import { Settlement } from './recoveries.ts';

export interface DeliveryLoopOptions extends Omit<SenderOptions, 'facts' | 'onLeftOut'> {
  readonly config: () => Config;
  /** See DeliverySettings. */
  readonly isStandIn: () => boolean;
  readonly sql: SqlReader;
  readonly now: () => number;
  readonly stateOf: (id: string) => MonitorState | null;
  readonly heardAgainBy: Engine['heardAgainBy'];
  readonly checks: UpstreamChecks;
  /** What other nodes see; null: they are not asked. */
  readonly confirmation: PeerConfirmation | null;
  /** Reads what other processes wrote until now. */
  readonly refresh: () => Promise<void>;
  /** Something may be decided that could not be before. */
  readonly onProgress: () => void;
}

type Batches = ReadonlyMap<string, ChosenBatch>;

export class DeliveryLoop {
  private readonly options: DeliveryLoopOptions;
  private readonly channelQueues = new Map<string, ChannelQueue>();
  /** Deliveries that wait for a check, or for the peers. */
  private readonly asking = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();
  /** Whether a delivery has waited for the peers once. */
  private readonly hasServed: (deliveryId: string) => boolean;
  private readonly due: Due;
  private readonly outages: OpenOutages;
  private readonly routes: OpenRoutes;
  private readonly settlement: Settlement;
  /** The monitors with an outage whose cause was not looked for yet. */
  private begun: Set<string>;
  private startedAt: number;
  private settings: DeliverySettings;
  /** A silence or maintenance came or went since this round gathered its facts. */
  private isOutdated = false;
  /** The configuration was not compared with what waits yet. */
  private isConfigNew = true;

  constructor(options: DeliveryLoopOptions) {
    this.options = options;
    this.settings = deliverySettings(options.config(), options.isStandIn());
    const { channelQueues, asking } = this;
    const { sql, cache, confirmation } = options;
    this.hasServed = (deliveryId) => confirmation?.hasServed(deliveryId) === true;
    this.due = new Due({ cache, channelQueues, asking, hasServed: this.hasServed });
    this.outages = new OpenOutages({
      sql,
      rowsOf: (uid) => cache.ofIncident(uid),
      isNotifiedAlone: (id) =>
        [...channelQueues.values()].some((channelQueue) => channelQueue.isNotifyingAlone(id)),
    });
    this.begun = new Set(this.outages.connected(this.settings).keys());
    this.routes = new OpenRoutes(() => ({ sql, cache, settings: this.settings }));
    const nowAt = options.now();
    this.startedAt = nowAt;
    this.settlement = new Settlement({ ...options, nowAt });
  }

  reload(): void {
    this.settings = deliverySettings(this.options.config(), this.options.isStandIn());
    this.isConfigNew = true;
    this.begun = new Set(this.outages.connected(this.settings).keys());
    this.routes.load();
    this.due.reconsider(...byLoad);
  }

  /** Takes in a change of the store; answers whether there is anything to decide. */
  note({ operations }: StoreChange): boolean {
    for (const [name, byMs, sinceAt, at] of operations)
      if (name === 'clock.shift') this.shift({ byMs, sinceAt, at } as unknown as ClockShift);
    let isRelevant = this.options.cache.note(operations);
    this.routes.note(operations);
    for (const monitor of this.outages.note(operations)) {
      this.begun.add(monitor);
      if (!this.outages.isOpen(monitor))
        this.options.checks.noteRecovery(monitor, incidents.lastOutageEndedAt(this.options.sql, monitor));
      this.due.reconsiderBelow(this.settings.graph, monitor);
      isRelevant = true;
    }
    for (const monitor of this.outages.withChangedMessages(operations))
      this.due.reconsiderDependents(this.settings.graph, monitor);
    this.settlement.note(operations);
    for (const [name] of operations) {
      // A message that covers others, or their recovery, may have been sent.
      if (name === 'outbox.sent' || name === 'incident.close')
        this.due.reconsider('same_cause', 'down_again', 'coming_back');
      else if (name === 'incident.unacknowledge') {
        this.isConfigNew = true;
        this.due.reconsider('acknowledged');
      } else if (name === 'incident.acknowledge' || /^(silence|maintenance)\./.test(name)) {
        this.due.reconsider(name === 'incident.acknowledge' ? 'reminder' : 'muted');
        this.isOutdated = true;
      } else continue;
      isRelevant = true;
    }
    return isRelevant;
  }

  /** One round. What it hands to the channels is under way when it resolves. */
  async run(): Promise<void> {
    await this.options.confirmation?.keepFindings();
    if (this.isConfigNew) await this.takeUpConfig();
    else await this.routeAgain();
    this.isOutdated = false;
    const context = this.facts();
    checkAround(this.begun, context, this.options.checks);
    const closed = this.settlement.open();
    const planned = await plan(this.due.take(context.nowAt), context, this.options);
    this.due.reconsider(...planned.changed.flatMap(({ hold }) => hold?.reason ?? []));
    const { chosen, intents } = this.fill(planned.ready, context);
    const batches = this.withoutQuestions(chosen, context);
    if (intents.length > 0) await this.options.write(operationsOf(intents, context.nowAt));
    const begun = [...this.begun];
    await writeRelations(planned.relations, batches.values(), { ...this.options, facts: context, begun });
    for (const monitor of begun) this.begun.delete(monitor);
    await this.settlement.go(closed, context);
    for (const ask of planned.asks) this.begin('a question about an upstream', () => this.ask(ask));
    if (batches.size > 0 && (await this.wasOutdated())) {
      this.options.onProgress();
      return;
    }
    for (const [channel, batch] of batches) this.dispatch(channel, batch);
  }

  /**
   * Whether what was decided may not be sent. The log is read for that: this process may have been stopped for hours,
   * and a mute that was acknowledged meanwhile holds.
   */
  private async wasOutdated(): Promise<boolean> {
    await this.options.refresh();
    return this.isOutdated;
  }

  /** Whether a message is on its way or a check is waited for. */
  get isBusy(): boolean {
    return this.asking.size > 0 || [...this.channelQueues.values()].some(({ batch }) => batch !== null);
  }

  /** When something is due next that nothing under way will bring up by itself; Infinity: nothing is. */
  nextAt(): number {
    const nowAt = this.options.now();
    return Math.min(this.due.nextAt(nowAt), this.routes.nextAt(nowAt));
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** The clock was set, and what waits with it: nothing that was learned on the old one is left. */
  private shift(shift: ClockShift): void {
    const past = movePast(shift);
    this.outages.load();
    this.routes.load();
    this.options.checks.shift(past);
    for (const channelQueue of this.channelQueues.values()) channelQueue.shift(past);
    this.startedAt = past(this.startedAt);
    this.due.reconsider(...holdReasons);
  }

  private facts(): DeliveryContext {
    const { sql, stateOf, heardAgainBy, checks, cache } = this.options;
    return gather(this.options.now(), this.settings, {
      sql,
      startedAt: this.startedAt,
      stateOf,
      heardAgainBy,
      checks,
      outages: () => this.outages.connected(this.settings),
      laterGroups: () => this.outages.laterGroups(),
      open: () => this.outages.byMonitor(),
      deliveries: cache,
    });
  }

  /** What waits is sent whether or not this succeeds; the next round tries it again. */
  private async takeUpConfig(): Promise<void> {
    const { options, settings, channelQueues } = this;
    this.isConfigNew = false;
    if (!(await takeUpConfig({ ...options, settings, channelQueues }))) this.isConfigNew = true;
  }

  /** A step of an escalation is due, or a turn of a rotation has ended. */
  private async routeAgain(): Promise<void> {
    const { options, settings, channelQueues } = this;
    if (!(await this.routes.go(options.now(), options))) return;
    await alignAllReminders({ ...options, settings, channelQueues });
    this.due.reconsider('off_call');
  }

  /** Chooses for every free channel with something ready, and says what is put off. */
  private fill(
    ready: ReadonlyMap<string, readonly Ready[]>,
    context: DeliveryContext,
  ): { readonly chosen: Batches; readonly intents: readonly Intent[] } {
    const { cache } = this.options;
    const batches = new Map<string, ChosenBatch>();
    const intents: Intent[] = [];
    for (const [channel, planned] of ready) {
      const channelQueue = this.queueOf(channel);
      const list = planned.filter(({ row }) => cache.isCurrent(row));
      if (channelQueue.batch !== null) continue;
      const { lastStorms, precedence } = channelQueue;
      const waiting = [...cache.ofChannel(channel)];
      const { hasServed } = this;
      const chosen = choose({ ready: list, waiting, lastStorms, precedence, hasServed }, context);
      intents.push(...chosen.intents);
      channelQueue.gather(chosen.gathering);
      if (chosen.batch !== null) batches.set(channel, chosen.batch);
    }
    return { chosen: batches, intents };
  }

  /** Those of `batches` that can go; the others wait for the peers, and their channels are free meanwhile. */
  private withoutQuestions(batches: Batches, context: DeliveryContext): Batches {
    return new Map(
      [...batches].filter(([channel, batch]) => {
        const answered = this.options.confirmation?.wait(batch.deliveries, context) ?? null;
        if (answered === null) return true;
        this.begin(`a message for ${channel}`, () => this.hold(channel, batch, answered));
        return false;
      }),
    );
  }

  /** A message about many counts from here on, or the next one would be later by what this one waits. */
  private async hold(channel: string, batch: ChosenBatch, answered: Promise<void>): Promise<void> {
    const { kind, deliveries } = batch;
    const { now, onProgress } = this.options;
    for (const { row } of deliveries) this.asking.add(row.deliveryId);
    this.queueOf(channel).noteSent({ kind, deliveries }, now());
    onProgress();
    try {
      await answered;
    } finally {
      for (const { row } of deliveries) this.asking.delete(row.deliveryId);
      onProgress();
    }
  }

  private async ask({ deliveryId, ids, untilAt }: Ask): Promise<void> {
    this.asking.add(deliveryId);
    try {
      await this.options.checks.ask(ids, untilAt);
    } finally {
      this.asking.delete(deliveryId);
      this.options.onProgress();
    }
  }

  /** Has something done that this round does not wait for. */
  private begin(part: string, work: () => Promise<void>): void {
    unattended(work, logsFault(this.options.log, part));
  }

  /** Sends a batch, unless something in it was dropped while its decisions were written. */
  private dispatch(channel: string, { kind, deliveries }: ChosenBatch): void {
    const { cache, onProgress } = this.options;
    const channelQueue = this.queueOf(channel);
    if (!deliveries.every(({ row }) => cache.has(row.deliveryId))) {
      onProgress();
      return;
    }
    const batch = { channel, deliveries };
    channelQueue.batch = batch;
    const wasChosen = this.options.confirmation?.release(deliveries) === true;
    const onLeftOut = (uids: readonly string[]) => {
      for (const uid of uids) this.settlement.add(uid);
      onProgress();
    };
    const sending = sendBatch(batch, { ...this.options, facts: () => this.facts(), onLeftOut })
      .then((isTaken) => {
        if (isTaken && !wasChosen) channelQueue.noteSent({ kind, deliveries }, this.options.now());
      })
      .catch((error: unknown) => {
        this.options.log({
          level: 'error',
          event: 'pipeline.failed',
          message: `The result of a delivery could not be written to the database: ${String(error)}`,
          fields: { channel },
        });
      })
      .finally(() => {
        channelQueue.batch = null;
        this.underWay.delete(sending);
        onProgress();
      });
    this.underWay.add(sending);
  }

  private queueOf(channel: string): ChannelQueue {
    const channelQueue = this.channelQueues.get(channel) ?? new ChannelQueue();
    this.channelQueues.set(channel, channelQueue);
    return channelQueue;
  }
}
