/** Writes a made-up world into the database of a server as its daemon would: step by step, with all that it does meanwhile. */
import assert from 'node:assert/strict';
import { incidents } from '../../src/db/tables/incidents.ts';
import { maintenances } from '../../src/db/tables/maintenances.ts';
import { planUpkeep } from '../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../src/db/tables/retention/retention.ts';
import { samples } from '../../src/db/tables/samples.ts';
import type { Operation } from '../../src/db/store/operation.ts';
import { MonthCloser } from '../../src/engine/monitoring/month-closer.ts';
import { maintainedBefore } from '../../src/engine/monitoring/counted-time.ts';
import { HistoryMover } from '../../src/engine/monitoring/history-mover.ts';
import { keepMaintenance } from '../../src/engine/operations/planned-maintenance.ts';
import type { World } from '../serve/world.ts';
import { beginsAt, day, type MadeMonitor, type MadeOutage, type MadeWorld, tidiedAt } from './world.ts';

/** How often the daemon looks after maintenance and retention here. */
const stepMs = day;
const atOnce = 3000;
/** More samples of one monitor in a step are written by the hour. */
const manySamples = 1000;

interface Step {
  readonly fromAt: number;
  readonly toAt: number;
  /** Everything is on record after it. */
  readonly isLast: boolean;
}

export class Recording {
  /** How many days samples are kept for. */
  retentionDays = 30;
  #world: World;
  #mover: HistoryMover;
  readonly #made: MadeWorld;
  readonly #written = new Map<string, number>();
  /** Samples that are written after later ones, as by a node that was cut off. */
  #late: Operation[] = [];
  #doneTo = beginsAt;

  constructor(world: World, made: MadeWorld) {
    this.#world = world;
    this.#made = made;
    this.#mover = moverOf(world);
  }

  /** The recording goes on in another world, which has the same database. */
  goOnIn(world: World): void {
    this.#world = world;
    this.#mover = moverOf(world);
  }

  /** Goes on to an instant: all that happened until then is on record. */
  async goOn(toAt: number): Promise<void> {
    while (this.#doneTo < toAt) {
      const midnight = (Math.floor(this.#doneTo / stepMs) + 1) * stepMs;
      const next = Math.min(toAt, midnight, this.#doneTo < tidiedAt ? tidiedAt : Infinity);
      await this.#step({ fromAt: this.#doneTo, toAt: next, isLast: next === toAt });
      this.#doneTo = next;
    }
  }

  async #step({ fromAt, toAt, isLast }: Step): Promise<void> {
    const { store, clock, loaded, reload, engine } = this.#world;
    const { monitors, planned, tidyToml } = this.#made;
    clock.advance(toAt - clock.now());
    const isNow = (at: number) => at > fromAt && at <= toAt;
    const made = monitors.flatMap((monitor) => this.#samplesOf(monitor, { toAt, isLast }));
    const isLate = (index: number) => !isLast && index % 97 === 50;
    const operations = [...this.#late, ...made.filter((_, index) => !isLate(index))];
    this.#late = made.filter((_, index) => isLate(index));
    for (const { id, outages } of monitors) {
      for (const outage of outages) {
        if (isNow(outage.confirmedAt)) operations.push(openingOf(id, outage));
        if (outage.endedAt !== null && isNow(outage.endedAt))
          operations.push(incidents.close({ uid: outage.uid, endedAt: outage.endedAt }));
      }
      const isOut = outages.some(
        ({ confirmedAt, endedAt }) => confirmedAt <= toAt && (endedAt === null || endedAt > toAt),
      );
      engine.statuses.set(id, isOut ? 'down' : 'up');
    }
    const { uid, window } = plannedRow(this.#made);
    if (isNow(planned.at))
      operations.push(maintenances.add({ ...window, id: null, uid, createdAt: planned.at }));
    for (let from = 0; from < operations.length; from += atOnce)
      await store.write(operations.slice(from, from + atOnce), { mustBeDurable: false });
    if (isNow(planned.cancelledAt))
      await store.write([maintenances.cancel({ id: null, uid, at: planned.cancelledAt })]);
    await this.#keep();
    if (isNow(tidiedAt)) {
      await reload(tidyToml);
      await this.#keep();
    }
    const closer = new MonthCloser({
      store,
      clock: { sleep: () => Promise.resolve() },
      config: () => loaded().config,
      signal: new AbortController().signal,
    });
    while (await closer.close(toAt));
    await this.#tidy(toAt);
  }

  #samplesOf({ id, samples: made }: MadeMonitor, { toAt, isLast }: Omit<Step, 'fromAt'>): Operation[] {
    const first = this.#written.get(id) ?? 0;
    let next = first;
    while ((made[next]?.at ?? Infinity) <= toAt) next += 1;
    this.#written.set(id, next);
    const own = made.slice(first, next).map((sample) => {
      return { ...sample, latencyMs: sample.status === 'up' ? 20 + ((sample.at / 1000) % 50) : null };
    });
    // Many samples are written by the hour, which takes a fraction of the time, until the day that is looked at.
    if (own.length > manySamples && !isLast) return samples.addHistory(id, own);
    return own.map((sample) => {
      const category = sample.status === 'up' ? null : 'timeout';
      return samples.add({ ...sample, monitor: id, category, message: null });
    });
  }

  async #keep(): Promise<void> {
    const { store, loaded, clock } = this.#world;
    const operations = keepMaintenance(store.sql, loaded().config, clock.now());
    if (operations.length > 0) await store.write(operations);
  }

  /** Packs what is over, deletes what is too old, and moves old hours into the table of nodes that share a database. */
  async #tidy(nowAt: number): Promise<void> {
    const { store } = this.#world;
    const retention = retentionOf(this.retentionDays, new Map());
    for (let round = 0; round < 2000; round += 1) {
      const steps = planUpkeep(store.sql, nowAt, { retention, limit: 40 });
      if (steps.length === 0) {
        while (await this.#mover.tidy(nowAt, retention));
        return;
      }
      const { config } = this.#world.loaded();
      for (const step of steps)
        await store.write([...maintainedBefore(store.sql, config, { step, nowAt }), step], {
          mustBeDurable: false,
        });
    }
    assert.fail('there is always more to delete');
  }
}

function moverOf({ store, loaded }: World): HistoryMover {
  return new HistoryMover({
    store,
    clock: { sleep: () => Promise.resolve() },
    config: () => loaded().config,
    signal: new AbortController().signal,
  });
}

function plannedRow({ planned }: MadeWorld) {
  const { monitors, fromAt, plannedToAt } = planned;
  return {
    uid: 'of-an-operator',
    window: { title: 'Index', monitors, startAt: fromAt, endAt: plannedToAt },
  };
}

function openingOf(monitor: string, { uid, startedAt, confirmedAt }: MadeOutage): Operation {
  return incidents.open({
    uid,
    monitor,
    name: monitor,
    startedAt,
    confirmedAt,
    category: 'timeout',
    reason: null,
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  });
}
