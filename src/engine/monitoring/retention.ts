/** Keeps the store small, a few milliseconds at a time. */
import type { Config } from '../config/config.ts';
import { shownDays } from '../config/shown-days.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { Store } from '../../db/store/store.ts';
import { peers } from '../../db/tables/peers.ts';
import { planUpkeep } from '../../db/tables/retention/plan.ts';
import { retentionOf } from '../../db/tables/retention/retention.ts';
import { dropMonitor } from '../../db/tables/monitors.ts';
import { findOwner } from '../../db/samples/owner.ts';
import { HistoryMover } from './history-mover.ts';
import { maintainedBefore } from './counted-time.ts';
import { MonthCloser } from './month-closer.ts';
import { keepMaintenance } from '../operations/planned-maintenance.ts';
import type { TimerQueue } from './timer-queue.ts';
import type { SteadyClock } from './clock/steady-clock.ts';

export interface RetentionOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Says by which present things are packed and deleted. */
  readonly steady: Pick<SteadyClock, 'trusted' | 'deletableAt'>;
  readonly log: Log;
  readonly timers: TimerQueue;
  readonly config: () => Config;
  readonly signal: AbortSignal;
  /** See EngineOptions. */
  readonly isStandIn: () => boolean;
}

/** Steps of one plan, the rest after each of them, after a plan, and when there is nothing to do. */
const pace = { steps: 40, stepMs: 25, planMs: 1000, idleMs: 300_000 } as const;

const dayMs = 86_400_000;

export class Retention {
  private readonly options: RetentionOptions;

  private readonly mover: HistoryMover;
  private readonly months: MonthCloser;

  constructor(options: RetentionOptions) {
    this.options = options;
    this.mover = new HistoryMover(options);
    this.months = new MonthCloser(options);
  }

  start(): void {
    void this.keepWindows();
    this.later(pace.idleMs);
  }

  /** Records the windows of maintenance that took effect by the configuration of the moment. Never rejects. */
  async keepWindows(): Promise<void> {
    const { store, steady, config, isStandIn } = this.options;
    if (isStandIn() || !store.health().isDurable) return;
    try {
      const operations = keepMaintenance(store.sql, config(), steady.trusted.now());
      if (operations.length > 0) await store.write(operations, { mustBeDurable: true });
    } catch (error) {
      this.warn(error);
    }
  }

  private later(ms: number): void {
    this.options.timers.after(ms, () => this.round());
  }

  private async round(): Promise<void> {
    const { signal } = this.options;
    let restMs: number = pace.idleMs;
    try {
      if (await this.tidy()) restMs = pace.planMs;
    } catch (error) {
      this.warn(error);
    }
    if (!signal.aborted) this.later(restMs);
  }

  /** A month that cannot be closed holds up nothing else. Answers whether one was closed. */
  private async closeMonth(at: number): Promise<boolean> {
    try {
      return await this.months.close(at);
    } catch (error) {
      this.warn(error);
      return false;
    }
  }

  private warn(error: unknown): void {
    const { log, signal } = this.options;
    const why = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) log({ level: 'warning', event: 'store.upkeep', message: `upkeep: ${why}` });
  }

  /** Answers whether there was something to do. */
  private async tidy(): Promise<boolean> {
    const { store, clock, steady, config, signal, isStandIn } = this.options;
    if (!store.health().isDurable) return false;
    await this.keepWindows();
    const { alerts, monitors, page } = config();
    const rawDaysOf = new Map(monitors.map(({ id, retention_days }) => [id, retention_days]));
    const retentionStep = retentionOf(
      alerts.default_retention_days,
      rawDaysOf,
      shownDays({ page, monitors }),
    );
    // Another node's configuration says what may be deleted.
    const deletableAt = isStandIn() ? null : steady.deletableAt();
    if (deletableAt !== null && (await this.closeMonth(deletableAt))) return true;
    const steps = [
      ...planUpkeep(store.sql, steady.trusted.now(), {
        retention: retentionStep,
        limit: pace.steps,
        deletableAt,
      }),
      ...(deletableAt === null ? [] : this.peersGone(deletableAt - retentionStep.removedDays * dayMs)),
    ];
    for (const step of steps) {
      await this.forgetHistory(step);
      const kept = maintainedBefore(store.sql, config(), { step, nowAt: steady.trusted.now() });
      await store.write([...kept, step], { mustBeDurable: true });
      await clock.sleep(pace.stepMs, signal);
    }
    if (steps.length > 0 || deletableAt === null) return steps.length > 0;
    return this.mover.tidy(deletableAt, retentionStep);
  }

  /** The history of a monitor goes with its row, which names it. */
  private async forgetHistory([name, id]: Operation): Promise<void> {
    if (name !== dropMonitor.row.name || typeof id !== 'string') return;
    const owner = findOwner(this.options.store.sql, id);
    if (owner !== null) await this.mover.forget(owner.key);
  }

  /** Like monitors, peers that are no longer configured are forgotten after a while. */
  private peersGone(beforeAt: number): Operation[] {
    const { store, config } = this.options;
    const configured = new Set(config().peers.map(({ id }) => id));
    const silent = peers.listSilentSince(store.sql, beforeAt);
    return silent.filter((id) => !configured.has(id)).map((id) => peers.forget({ id }));
  }
}
