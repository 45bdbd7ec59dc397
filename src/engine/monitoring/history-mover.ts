/** Keeps memory small where nodes share a database: moves old samples into its table of history, in small steps. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { maintainedWithin, type Stretch } from '../core/maintained.ts';
import type { MaintenanceWindow } from '../core/mute.ts';
import { plannedMaintenance } from '../operations/planned-maintenance.ts';
import { hourOf, hourSecs } from '../../db/samples/slots.ts';
import { hasSamples } from '../../db/samples/stored.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Store } from '../../db/store/store.ts';
import { moveHours, planMoves } from '../../db/tables/retention/move.ts';
import type { RetentionStep } from '../../db/tables/retention/retention.ts';
import { planLeft, prunedBefore } from '../../db/tables/retention/plan.ts';
import { planWeeks } from '../../db/tables/retention/weeks.ts';
import { maintainedBefore } from './counted-time.ts';

export interface HistoryMoverOptions {
  readonly store: Pick<Store, 'sql' | 'write' | 'archive'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly config: () => Pick<Config, 'storage' | 'maintenance' | 'peers'>;
  readonly signal: AbortSignal;
}

/** A step takes a few milliseconds: so many hours of samples, of so many monitors; the rest after it, and steps at once. */
const step = { hours: 120, monitors: 30, restMs: 25, steps: 40 } as const;

const hourMs = hourSecs * 1000;

/** Behind every other: the greatest number of its column. */
const lastHour = 2 ** 31 - 1;

/** A sample of a daily check counts for so long; as far as this, samples are in memory. */
const reachHours = 26;

export class HistoryMover {
  private readonly options: HistoryMoverOptions;
  /** The day whose rows were pruned. */
  private prunedDay = -1;
  /** The day on which rollups were packed by the week. */
  private packedDay = -1;

  constructor(options: HistoryMoverOptions) {
    this.options = options;
  }

  /** Answers whether there was something to do. `at` is a present by which things may be deleted, epoch ms. */
  async tidy(at: number, retention: RetentionStep): Promise<boolean> {
    const { store, clock, config, signal } = this.options;
    const { storage } = config();
    const { keeper } = store.archive;
    if (storage === null || keeper === null) return false;
    await this.prune(at, retention);
    const before = hourOf(at / 1000) - storage.history_hours;
    const windows = plannedMaintenance(store.sql, config(), at);
    let isAny = false;
    for (let round = 0; round < step.steps; round++) {
      const moves = planMoves(store.sql, {
        before,
        hours: step.hours,
        monitors: step.monitors,
        keptHoursOf: (monitor, key, span) => keptHours(store.sql, { monitor, key, windows, ...span }),
      });
      if (moves.length === 0) return (await this.pack(at, before)) || isAny;
      isAny = true;
      await keeper.put(moves);
      const done = await store.write(moves.map(({ operation }) => operation));
      await clock.sleep(step.restMs, signal);
      // Samples came late: the plan is made again, a little later.
      if (!done.some((each) => moveHours.answer(each))) return true;
    }
    return isAny;
  }

  /** Once a day: a week is over with its last day. */
  private async pack(at: number, before: number): Promise<boolean> {
    const { store, clock, signal } = this.options;
    const day = Math.floor(at / hourMs / 24);
    if (day === this.packedDay) return false;
    let isAny = false;
    for (const operation of planWeeks(store.sql, before)) {
      isAny = true;
      await store.write([operation]);
      await clock.sleep(step.restMs, signal);
    }
    this.packedDay = day;
    return isAny;
  }

  /** A monitor is forgotten for good. */
  async forget(key: number): Promise<void> {
    await this.options.store.archive.keeper?.prune(new Map([[key, lastHour]]));
  }

  /** Once a day, which is how samples age. */
  private async prune(at: number, retention: RetentionStep): Promise<void> {
    const { store, clock, config, signal } = this.options;
    const day = Math.floor(at / hourMs / 24);
    if (day === this.prunedDay) return;
    const all = [...prunedBefore(store.sql, at, retention)];
    for (let first = 0; first < all.length; first += step.monitors) {
      await store.archive.keeper?.prune(new Map(all.slice(first, first + step.monitors)));
      await clock.sleep(step.restMs, signal);
    }
    const left = planLeft(at, retention);
    await store.write([...maintainedBefore(store.sql, config(), { step: left, nowAt: at }), left]);
    this.prunedDay = day;
  }
}

interface KeptQuery {
  readonly monitor: string;
  readonly key: number;
  readonly from: number;
  readonly to: number;
  readonly windows: readonly MaintenanceWindow[];
}

/**
 * The hours in which maintenance begins or ends, and those of the samples that count there: figures leave out what falls
 * into it to the second, at once, for as long as there are hourly rollups.
 */
export function keptHours(sql: SqlReader, { monitor, key, from, to, windows }: KeptQuery): readonly number[] {
  // Samples of the hours that are moved count in those behind them.
  const stretch: Stretch = { fromAt: from * hourMs, toAt: (to + reachHours) * hourMs };
  const edges = maintainedWithin(windows, monitor, stretch)
    .flatMap(({ fromAt, toAt }) => [fromAt, toAt])
    .filter((at) => at % hourMs !== 0);
  const hours = edges.flatMap((at) => {
    const hour = hourOf(at / 1000);
    let counting = hour - 1;
    while (counting >= from && !hasSamples(sql, key, counting)) counting -= 1;
    return [hour, counting];
  });
  return [...new Set(hours)].filter((hour) => hour >= from && hour < to).toSorted((a, b) => a - b);
}
