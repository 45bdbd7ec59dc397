/** Holds the monitors that are watched, and changes them with the configuration. */
import type { Monitor } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Move } from '../core/clock-shift.ts';
import type { MonitorState } from './confirm/state.ts';
import { paced, withPauses } from '../core/yielding.ts';
import type { Rename } from './renames.ts';
import type { Store } from '../../db/store/store.ts';
import type { EngineChanges } from './engine.ts';
import { alignmentSteps, recall } from './resume.ts';
import { expectsTheSame } from './heartbeats/expectations.ts';
import { isSame } from './same.ts';
import { movedStability, movedState } from './monitor-memory.ts';
import { type WatchedMonitor, watchedMonitorOf } from './watched-monitor.ts';

export interface MonitorRegistryOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Begins to watch a monitor, or goes on under other settings. */
  readonly watch: (watchedMonitor: WatchedMonitor) => void;
  readonly unwatch: (id: string) => void;
  /** See EngineOptions. */
  readonly isStandIn: () => boolean;
}

export class MonitorRegistry {
  private readonly options: MonitorRegistryOptions;
  private readonly watchedMonitor = new Map<string, WatchedMonitor>();
  private isStopped = false;

  constructor(options: MonitorRegistryOptions) {
    this.options = options;
  }

  all(): Iterable<WatchedMonitor> {
    return this.watchedMonitor.values();
  }

  find(id: string): WatchedMonitor | null {
    return this.watchedMonitor.get(id) ?? null;
  }

  /** What confirming remembers of a monitor; null when nothing is known. */
  stateOf(id: string): MonitorState | null {
    const state = this.watchedMonitor.get(id)?.state;
    return state === undefined || (state.knownAt === null && state.unknowns === null) ? null : state;
  }

  /** Has the store know these monitors and no others; answers those that go by another id. */
  async align(monitors: readonly Monitor[]): Promise<readonly Rename[]> {
    const { store, clock, isStandIn } = this.options;
    const { operations, renames } = await withPauses(
      alignmentSteps(store.sql, monitors, { now: clock.now(), keepsOthers: isStandIn() }),
      paced(clock.monotonic),
    );
    // A start or a reload on a full disk watches all the same.
    if (operations.length > 0) await store.write(operations, { mustBeDurable: false });
    return renames;
  }

  /** Goes on from what the store remembers of these. */
  start(monitors: readonly Monitor[]): void {
    if (monitors.length === 0) return;
    const { store, clock } = this.options;
    const ids = monitors.map(({ id }) => id);
    const memory = recall(store.sql, ids, clock.now());
    for (const monitor of monitors) {
      const known = memory.get(monitor.id);
      if (known !== undefined) this.take(watchedMonitorOf(monitor, known));
    }
  }

  /** From now on these; `adopt` is called when those that are gone have ended, and none has begun. */
  async swap(
    monitors: readonly Monitor[],
    adopt: (renames: readonly Rename[]) => void,
  ): Promise<EngineChanges> {
    const wanted = new Map(monitors.map((monitor) => [monitor.id, monitor]));
    const before = [...this.watchedMonitor.values()];
    const gone = before.filter(({ id }) => !wanted.has(id));
    const fresh = monitors.filter(({ id }) => !this.watchedMonitor.has(id));
    const changed: { readonly watched: WatchedMonitor; readonly monitor: Monitor }[] = [];
    const yieldTurn = paced(this.options.clock.monotonic);
    for (const watched of before) {
      const monitor = wanted.get(watched.id);
      if (monitor !== undefined && !isSame(watched.monitor, monitor)) changed.push({ watched, monitor });
      await yieldTurn();
    }
    for (const { id } of gone) this.drop(id);
    await Promise.all(gone.map(({ mutex }) => mutex.idle()));
    const renames = await this.align(monitors);
    adopt(renames);
    const replacing: Promise<void>[] = [];
    for (const { watched, monitor } of changed) {
      replacing.push(this.replace(watched, monitor));
      await yieldTurn();
    }
    await Promise.all(replacing);
    if (!this.isStopped) this.start(fresh);
    const renamedFrom = new Set(renames.map(({ from }) => from));
    const renamedTo = new Set(renames.map(({ to }) => to));
    return {
      started: idsOf(fresh).filter((id) => !renamedTo.has(id)),
      stopped: idsOf(gone).filter((id) => !renamedFrom.has(id)),
      renamed: renames,
      restarted: changed.map(({ monitor }) => monitor.id),
      unchanged: monitors.length - fresh.length - changed.length,
    };
  }

  /** The clock was set: what is remembered moves with it. */
  shift(move: Move): void {
    for (const watchedMonitor of this.watchedMonitor.values()) {
      watchedMonitor.state = movedState(watchedMonitor.state, move);
      watchedMonitor.stability = movedStability(watchedMonitor.stability, move);
      watchedMonitor.firstSeenAt = move(watchedMonitor.firstSeenAt);
      const { heardAt, expectedAt } = watchedMonitor;
      watchedMonitor.heardAt = heardAt === null ? null : move(heardAt);
      watchedMonitor.expectedAt = expectedAt === null ? null : move(expectedAt);
    }
  }

  /** Calls off what is under way, and begins nothing more. */
  stop(reason: unknown): void {
    this.isStopped = true;
    for (const { stopping } of this.watchedMonitor.values()) stopping.abort(reason);
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await Promise.all([...this.watchedMonitor.values()].map(({ mutex }) => mutex.idle()));
  }

  private take(watchedMonitor: WatchedMonitor): void {
    this.watchedMonitor.set(watchedMonitor.id, watchedMonitor);
    this.options.watch(watchedMonitor);
  }

  private drop(id: string): void {
    this.watchedMonitor.get(id)?.stopping.abort(new Error('the monitor was removed'));
    this.watchedMonitor.delete(id);
    this.options.unwatch(id);
  }

  /** Goes on under other settings, once what was under way is written or dropped. */
  private async replace(watchedMonitor: WatchedMonitor, monitor: Monitor): Promise<void> {
    watchedMonitor.stopping.abort(new Error('the settings of the monitor changed'));
    await watchedMonitor.mutex.idle();
    if (this.isStopped) return;
    const isUnchanged = expectsTheSame(watchedMonitor.monitor, monitor);
    const expectedAt = isUnchanged ? watchedMonitor.expectedAt : this.options.clock.now();
    this.take(watchedMonitorOf(monitor, { ...watchedMonitor, expectedAt }, watchedMonitor));
  }
}

function idsOf(monitors: readonly { readonly id: string }[]): string[] {
  return monitors.map(({ id }) => id);
}
