/**
 * The daily bars of every monitor, from daily rollups.
 *
 * Finished days are read once and remembered, until a late sample changes them (see
 * read/day.ts); the days after them are read again when samples came.
 */
import { readRollupSecs } from '../samples/rollups.ts';
import { dayOfHour, daySecs, firstSlotOf, hourOf, slotOf } from '../samples/slots.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import { addTail, speaksWithin } from './tail.ts';
import { readWatched, type StoredMonitor } from './watched.ts';

export interface DayBar {
  /** The start of the UTC day, epoch ms. */
  readonly at: number;
  /** Credited seconds of the day, up to now. All zero: no data. */
  readonly secs: Readonly<ByStatus>;
}

interface View {
  readonly now: number;
  readonly days: number;
}

interface Remembered {
  readonly rewrites: number;
  readonly samples: number;
  readonly packedBefore: number;
  readonly thisHour: number;
  /** Days one after the other from `firstDay` (since the epoch) on, without the time that the latest sample still covers. */
  readonly firstDay: number;
  readonly bars: readonly DayBar[];
  /** How many of them can be changed by late samples only. */
  readonly finished: number;
}

/** Reading ahead: the day that comes next, and the monitors it is read for, by key. */
interface Ahead {
  day: number;
  readonly pending: Map<number, { readonly known: Remembered; readonly bars: DayBar[] }>;
}

/** Remembers finished days between readings. One for the life of a process that serves pages. */
export class BarReader {
  readonly #remembered = new Map<number, Remembered>();
  readonly #noData = createNoData();
  #ahead: Ahead | null = null;

  /** The last `days` UTC days of every monitor that is not removed, today last, by config id. */
  read(sql: SqlReader, now: number, days: number): Map<string, DayBar[]> {
    const watched = readWatched(sql);
    this.keep(watched);
    return new Map(watched.map((monitor) => [monitor.id, this.of(sql, monitor, { now, days })]));
  }

  /** Forgets monitors that are not among these. */
  keep(watched: readonly StoredMonitor[]): void {
    if (this.#remembered.size <= watched.length) return;
    const keys = new Set(watched.map((monitor) => monitor.key));
    for (const key of this.#remembered.keys()) if (!keys.has(key)) this.#remembered.delete(key);
  }

  /** Reads a day of all monitors, so that a first reading need not do it all. Answers whether nothing is left. */
  warm(sql: SqlReader, view: View): boolean {
    this.#ahead ??= this.#begin(sql, view);
    const { day, pending } = this.#ahead;
    // A monitor that was read meanwhile, or forgotten, is ahead of this.
    for (const [key, { known, bars }] of pending) {
      const isPending = this.#remembered.get(key) === known && bars.length < known.finished;
      if (!isPending) pending.delete(key);
    }
    if (pending.size === 0) return true;
    const nothing = this.#noData(day);
    for (const { bars } of pending.values()) bars.push(nothing);
    readDayOfAll(sql, day, (key, bar) => {
      const bars = pending.get(key)?.bars;
      if (bars !== undefined) bars[bars.length - 1] = bar;
    });
    this.#ahead.day += 1;
    return false;
  }

  /** Begins to remember every monitor that nothing is remembered of. */
  #begin(sql: SqlReader, { now, days }: View): Ahead {
    const thisHour = hourOf(now / 1000);
    const firstDay = dayOfHour(thisHour) - days + 1;
    const pending: Ahead['pending'] = new Map();
    for (const monitor of readWatched(sql)) {
      if (this.#remembered.has(monitor.key)) continue;
      const { rewrites, packedBefore } = monitor;
      const finished = finishedDays(monitor, { firstDay, days });
      const bars: DayBar[] = [];
      const known = { rewrites, samples: -1, packedBefore, thisHour, firstDay, bars, finished };
      this.#remembered.set(monitor.key, known);
      pending.set(monitor.key, { known, bars });
    }
    return { day: firstDay, pending };
  }

  /** The last `days` UTC days of one monitor, today last. */
  of(sql: SqlReader, monitor: StoredMonitor, view: View): DayBar[] {
    const nowSecs = Math.floor(view.now / 1000);
    const firstDay = Math.floor(nowSecs / daySecs) - view.days + 1;
    const { bars, finished } = this.#upToDate(sql, monitor, { ...view, firstDay });
    return bars.map((bar, index) => (index < finished ? bar : withTail(bar, monitor, nowSecs)));
  }

  #upToDate(sql: SqlReader, monitor: StoredMonitor, view: View & { readonly firstDay: number }): Remembered {
    const { firstDay, days } = view;
    const { rewrites, samples, packedBefore } = monitor;
    const thisHour = hourOf(view.now / 1000);
    const known = this.#remembered.get(monitor.key);
    const isSame =
      known?.samples === samples && known.packedBefore === packedBefore && known.thisHour === thisHour;
    const canGoOn = known?.rewrites === rewrites && known.firstDay <= firstDay;
    if (canGoOn && isSame && known.firstDay === firstDay && known.bars.length === days) return known;

    const bars = canGoOn ? known.bars.slice(firstDay - known.firstDay, known.finished) : [];
    while (bars.length < days) {
      const day = firstDay + bars.length;
      const isBefore = day < dayOfHour(monitor.oldestHour);
      bars.push(isBefore ? this.#noData(day) : readBar(sql, monitor, { day, thisHour }));
    }
    const finished = finishedDays(monitor, { firstDay, days });
    const read = { rewrites, samples, packedBefore, thisHour, firstDay, bars, finished };
    this.#remembered.set(monitor.key, read);
    return read;
  }
}

/** How many of the days are over: what is packed and lies before the tail is changed by late samples only. */
function finishedDays(
  { packedBefore, tail }: StoredMonitor,
  { firstDay, days }: { readonly firstDay: number; readonly days: number },
): number {
  const changingHour = Math.min(packedBefore, hourOf((tail?.at ?? 0) / 1000));
  return Math.min(days, Math.max(0, dayOfHour(changingHour) - firstDay));
}

const noSecs: Readonly<ByStatus> = { up: 0, degraded: 0, down: 0, unknown: 0 };

/** Makes bars without data, one a day for all monitors, of which there may be thousands. */
function createNoData(): (day: number) => DayBar {
  const known = new Map<number, DayBar>();
  return (day) => {
    const bar = known.get(day) ?? { at: day * daySecs * 1000, secs: noSecs };
    if (known.size > maxNoData) known.clear();
    known.set(day, bar);
    return bar;
  };
}

const maxNoData = 1000;

/** Reports a day of every monitor that has samples on it, all of them packed. Equal days without failures share one object. */
function readDayOfAll(sql: SqlReader, day: number, visit: (key: number, bar: DayBar) => void): void {
  const at = day * daySecs * 1000;
  const first = firstSlotOf(day);
  const quiet = new Map<number, DayBar>();
  sql.all(
    `SELECT slot, up_secs, degraded_secs, down_secs, unknown_secs FROM daily WHERE slot >= ? AND slot < ?`,
    [first, firstSlotOf(day + 1)],
    (row) => {
      const up = row.number('up_secs');
      const degraded = row.number('degraded_secs');
      const [down, unknown] = [row.number('down_secs'), row.number('unknown_secs')];
      const isQuiet = degraded === 0 && down === 0 && unknown === 0;
      const bar = (isQuiet ? quiet.get(up) : undefined) ?? { at, secs: { up, degraded, down, unknown } };
      if (isQuiet) quiet.set(up, bar);
      visit(row.number('slot') - first, bar);
    },
  );
}

function readBar(
  sql: SqlReader,
  monitor: StoredMonitor,
  hours: { readonly day: number; readonly thisHour: number },
): DayBar {
  const { day, thisHour } = hours;
  const at = day * daySecs * 1000;
  const secs: ByStatus = { ...noSecs };
  addSecs(secs, readRollupSecs(sql, 'daily', slotOf(day, monitor.key)));
  const lastHour = Math.min((day + 1) * 24 - 1, thisHour);
  for (let hour = Math.max(day * 24, monitor.packedBefore); hour <= lastHour; hour++) {
    addSecs(secs, readRollupSecs(sql, 'hourly', slotOf(hour, monitor.key)));
  }
  return { at, secs };
}

function withTail(bar: DayBar, monitor: StoredMonitor, nowSecs: number): DayBar {
  const fromSecs = bar.at / 1000;
  const span = { fromSecs, toSecs: Math.min(fromSecs + daySecs, nowSecs) };
  if (!speaksWithin(monitor.tail, span)) return bar;
  const secs = { ...bar.secs };
  addTail(secs, monitor.tail, span);
  return { at: bar.at, secs };
}

function addSecs(sum: ByStatus, secs: Readonly<ByStatus> | null): void {
  if (secs === null) return;
  for (const status of ['up', 'degraded', 'down', 'unknown'] as const) sum[status] += secs[status];
}
