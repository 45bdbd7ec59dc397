/** Holds the monitors that are watched, and changes them with the configuration. */
import type { Monitor } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Move } from '../core/clock-shift.ts';
import type { State } from '../core/confirm/state.ts';
import type { Rename } from '../core/renames.ts';
import type { Store } from '../../db/store.ts';
import type { EngineChanges } from './engine.ts';
import { alignment, recall } from './resuming.ts';
import { isSame } from './same.ts';
import { movedState } from './memory.ts';
import { type Watched, watchedOf } from './watched.ts';

export interface RosterOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Begins to watch a monitor, or goes on under other settings. */
  readonly watch: (watched: Watched) => void;
  readonly unwatch: (id: string) => void;
}

export class Roster {
  private readonly options: RosterOptions;
  private readonly watched = new Map<string, Watched>();
  private isStopped = false;

  constructor(options: RosterOptions) {
    this.options = options;
  }

  all(): Iterable<Watched> {
    return this.watched.values();
  }

  find(id: string): Watched | null {
    return this.watched.get(id) ?? null;
  }

  /** What confirming remembers of a monitor; null when nothing is known. */
  stateOf(id: string): State | null {
    const state = this.watched.get(id)?.state;
    return state === undefined || (state.knownAt === null && state.unknowns === null) ? null : state;
  }

  /** Has the store know these monitors and no others; answers those that go by another id. */
  async align(monitors: readonly Monitor[]): Promise<readonly Rename[]> {
    const { store, clock } = this.options;
    const { operations, renames } = alignment(store.sql, monitors, clock.now());
    // A start or a reload on a full disk watches all the same.
    if (operations.length > 0) await store.write(operations, { mustBeDurable: false });
    return renames;
  }

  /** Goes on from what the store remembers of these. */
  start(monitors: readonly Monitor[]): void {
    const { store, clock } = this.options;
    const ids = monitors.map(({ id }) => id);
    const remembered = recall(store.sql, ids, clock.now());
    for (const monitor of monitors) {
      const known = remembered.get(monitor.id);
      if (known !== undefined) this.take(watchedOf(monitor, known));
    }
  }

  /** From now on these; `adopt` is called when those that are gone have ended, and none has begun. */
  async swap(monitors: readonly Monitor[], adopt: () => void): Promise<EngineChanges> {
    const wanted = new Map(monitors.map((monitor) => [monitor.id, monitor]));
    const before = [...this.watched.values()];
    const gone = before.filter(({ id }) => !wanted.has(id));
    const fresh = monitors.filter(({ id }) => !this.watched.has(id));
    const changed = before.flatMap((watched) => {
      const monitor = wanted.get(watched.id);
      return monitor === undefined || isSame(watched.monitor, monitor) ? [] : [{ watched, monitor }];
    });
    for (const { id } of gone) this.drop(id);
    await Promise.all(gone.map(({ lane }) => lane.idle()));
    const renames = await this.align(monitors);
    adopt();
    await Promise.all(changed.map(({ watched, monitor }) => this.replace(watched, monitor)));
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
    for (const watched of this.watched.values()) {
      watched.state = movedState(watched.state, move);
      watched.firstSeenAt = move(watched.firstSeenAt);
      watched.heardAt = watched.heardAt === null ? null : move(watched.heardAt);
    }
  }

  /** Calls off what is under way, and begins nothing more. */
  stop(reason: unknown): void {
    this.isStopped = true;
    for (const { stopping } of this.watched.values()) stopping.abort(reason);
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await Promise.all([...this.watched.values()].map(({ lane }) => lane.idle()));
  }

  private take(watched: Watched): void {
    this.watched.set(watched.id, watched);
    this.options.watch(watched);
  }

  private drop(id: string): void {
    this.watched.get(id)?.stopping.abort(new Error('the monitor was removed'));
    this.watched.delete(id);
    this.options.unwatch(id);
  }

  /** Goes on under other settings, once what was under way is written or dropped. */
  private async replace(watched: Watched, monitor: Monitor): Promise<void> {
    watched.stopping.abort(new Error('the settings of the monitor changed'));
    await watched.lane.idle();
    if (!this.isStopped) this.take(watchedOf(monitor, watched, watched.lane));
  }
}

function idsOf(monitors: readonly { readonly id: string }[]): string[] {
  return monitors.map(({ id }) => id);
}
