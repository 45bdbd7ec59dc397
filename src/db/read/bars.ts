/**
 * The daily bars of every monitor, from daily rollups.
 *
 * Finished days are read once and remembered, until a late sample changes them (see
 * read/day.ts). Of the days after them the hours that are over are remembered, too, so that after a sample no more
 * than the hour it lies in is read again.
 */
import { DailyRollups } from '../samples/kept-rollups.ts';
import { readRollupSecs } from '../samples/rollups.ts';
import { dayOfHour, daySecs, hourOf, slotOf } from '../samples/slots.ts';
import { type ByStatus, creditUntil } from '../samples/tally.ts';
import { weekDays, weekOfDay } from '../samples/weeks.ts';
import type { SqlReader } from '../store/sql.ts';
import { type DayBar, noSecs, readDaysOfMany, SharedBars } from './bar-days.ts';
import { addTail, countsWithin } from './tail.ts';
import type { Added } from './followed.ts';
import { readWatched, type StoredMonitor } from './watched.ts';

interface View {
  readonly now: number;
  readonly days: number;
}

interface CachedBars {
  readonly rewrites: number;
  samples: number;
  readonly packedBefore: number;
  /** The last hour that was looked at. */
  thisHour: number;
  /** Days one after the other from `firstDay` (since the epoch) on, without the time that the latest sample still covers. */
  readonly firstDay: number;
  readonly bars: DayBar[];
  /** How many of them can be changed by late samples only. */
  readonly finished: number;
  /**
   * The last days: those that are not finished since the monitor was watched, without the hours from `changingHour` on,
   * which any sample may change.
   */
  readonly settled: readonly DayBar[];
  readonly changingHour: number;
}

/** How many monitors, by their keys, are read ahead in one step. */
const monitorsAStep = 500;

/** In place of how many samples were read: as many as no monitor has. */
const unread = -1;

/** Reading ahead: the days and the keys that come next, and the monitors they are read for, by key. */
interface Ahead {
  day: number;
  fromKey: number;
  readonly pending: Map<number, { readonly known: CachedBars; readonly bars: DayBar[] }>;
}

/** Remembers finished days between readings. One for the life of a process that serves pages. */
export class BarReader {
  readonly #remembered = new Map<number, CachedBars>();
  readonly #shared = new SharedBars();
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

  /** Reads a week of some monitors, so that a first reading need not do it all. Answers whether nothing is left. */
  warm(sql: SqlReader, view: View): boolean {
    this.#ahead ??= this.#begin(sql, view);
    const ahead = this.#ahead;
    const { pending, day, fromKey } = ahead;
    const toKey = fromKey + monitorsAStep;
    const endDay = (weekOfDay(day) + 1) * weekDays;
    const read = readDaysOfMany(sql, { day, endDay, fromKey, toKey }, this.#shared);
    let nextKey = Infinity;
    for (const [key, { known, bars }] of pending) {
      if (key >= toKey) nextKey = Math.min(nextKey, key);
      if (key < fromKey || key >= toKey) continue;
      const own = read.get(key);
      for (let each = day; each < endDay && bars.length < known.finished; each++)
        bars.push(own?.[each - day] ?? this.#shared.of(each, noSecs));
      // One that was read meanwhile, or forgotten, is ahead of this.
      const isPending = this.#remembered.get(key) === known && bars.length < known.finished;
      if (!isPending) pending.delete(key);
    }
    if (nextKey === Infinity) ahead.day = endDay;
    ahead.fromKey = nextKey === Infinity ? 0 : nextKey;
    return pending.size === 0;
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
      const known = {
        rewrites,
        samples: unread,
        packedBefore,
        thisHour,
        firstDay,
        bars,
        finished,
        settled: [],
        changingHour: -1,
      };
      this.#remembered.set(monitor.key, known);
      pending.set(monitor.key, { known, bars });
    }
    return { day: firstDay, fromKey: 0, pending };
  }

  /** The last `days` UTC days of one monitor, today last. */
  of(sql: SqlReader, monitor: StoredMonitor, view: View): DayBar[] {
    const nowSecs = Math.floor(view.now / 1000);
    const firstDay = Math.floor(nowSecs / daySecs) - view.days + 1;
    const { bars, finished } = this.#upToDate(sql, monitor, { firstDay, ...view });
    const shown = bars.slice();
    for (let index = finished; index < bars.length; index += 1) {
      const bar = bars[index];
      if (bar !== undefined) shown[index] = withTail(bar, monitor, nowSecs);
    }
    return shown;
  }

  /** Adds a sample that came to what is remembered of its monitor, so that nothing of it need be read. */
  note({ key, sample, samplesBefore, before }: Added): void {
    const known = this.#remembered.get(key);
    if (known === undefined) return;
    // A clock that was set back hid hours that are shown now.
    const isNext = known.samples === samplesBefore && hourOf((before?.at ?? 0) / 1000) <= known.thisHour;
    known.samples = isNext ? samplesBefore + 1 : unread;
    if (known.samples === unread) return;
    const hour = hourOf(sample.at / 1000);
    known.thisHour = Math.max(known.thisHour, hour);
    credit(known, hour, noSecs);
    if (before === null) return;
    creditUntil(before, sample, (creditedHour, secs) => {
      credit(known, creditedHour, { ...noSecs, [before.status]: secs });
    });
  }

  /** Forgets what lost hours before this one that no day holds yet. */
  prunedBefore(hour: number): void {
    for (const [key, { packedBefore }] of this.#remembered) {
      if (packedBefore < hour) this.#remembered.delete(key);
    }
  }

  /** Reads again, at the next reading, the days of a monitor that may have changed. */
  distrust(key: number): void {
    const known = this.#remembered.get(key);
    if (known !== undefined) known.samples = unread;
  }

  #upToDate(sql: SqlReader, monitor: StoredMonitor, view: View & { readonly firstDay: number }): CachedBars {
    const { firstDay, days } = view;
    const { rewrites, samples, packedBefore } = monitor;
    const thisHour = hourOf(view.now / 1000);
    const changingHour = Math.min(thisHour, hourOf((monitor.tail?.at ?? 0) / 1000));
    const known = this.#remembered.get(monitor.key);
    const canGoOn = known?.rewrites === rewrites && known.firstDay <= firstDay;
    const isSameSpan =
      canGoOn &&
      known.firstDay === firstDay &&
      known.bars.length === days &&
      known.packedBefore === packedBefore &&
      known.changingHour === changingHour;
    if (known !== undefined && canGoOn && isUpToDate(known, { monitor, thisHour, ...view })) return known;

    const over = canGoOn ? known.bars.slice(firstDay - known.firstDay, known.finished) : [];
    const endDay = firstDay + days;
    const watchedDay = Math.max(firstDay + over.length, Math.min(dayOfHour(monitor.oldestHour), endDay));
    const rollups = new DailyRollups(sql, monitor.key);
    // A sample may also come into an hour that is packed already, and then changes what is read as settled.
    const settled: readonly DayBar[] =
      isSameSpan && packedBefore <= changingHour
        ? known.settled
        : Array.from({ length: endDay - watchedDay }, (_, index) =>
            this.#settledBar(sql, monitor, { day: watchedDay + index, changingHour, rollups }),
          );
    const empty = this.#shared.emptyDays(firstDay + over.length, endDay - settled.length);
    const finished = finishedDays(monitor, { firstDay, days });
    const rest = withHours(sql, settled, {
      key: monitor.key,
      fromHour: Math.max(changingHour, packedBefore),
      thisHour,
    });
    const isOver = ({ at }: DayBar) => at < (firstDay + finished) * daySecs * 1000;
    const read = {
      rewrites,
      samples,
      packedBefore,
      thisHour,
      firstDay,
      bars: over.concat(
        empty,
        rest.map((bar) => (isOver(bar) ? this.#shared.of(bar.at / daySecs / 1000, bar.secs) : bar)),
      ),
      finished,
      settled: settled.slice(Math.max(0, finished - (days - settled.length))),
      changingHour,
    };
    this.#remembered.set(monitor.key, read);
    return read;
  }

  /** A day without the hours from `changingHour` on. */
  #settledBar(
    sql: SqlReader,
    { key, packedBefore }: StoredMonitor,
    { day, changingHour, rollups }: SettledDay,
  ): DayBar {
    const daily = rollups.readSecs(day);
    const bar = { at: day * daySecs * 1000, secs: daily ?? noSecs };
    const toHour = Math.min((day + 1) * 24, changingHour);
    return (
      withHours(sql, [bar], { key, fromHour: Math.max(day * 24, packedBefore), thisHour: toHour - 1 })[0] ??
      bar
    );
  }
}

interface SettledDay {
  readonly day: number;
  readonly changingHour: number;
  /** Of the monitor. */
  readonly rollups: DailyRollups;
}

interface UpToDate extends View {
  readonly monitor: StoredMonitor;
  readonly firstDay: number;
  readonly thisHour: number;
}

/** Nothing is stored of an hour after that of the latest sample. */
function isUpToDate(known: CachedBars, { monitor, days, firstDay, thisHour }: UpToDate): boolean {
  const lastHour = hourOf((monitor.tail?.at ?? 0) / 1000);
  const isSameSpan = known.firstDay === firstDay && known.bars.length === days;
  return isSameSpan && known.samples === monitor.samples && lastHour <= Math.min(known.thisHour, thisHour);
}

interface Hours {
  /** Of the monitor. */
  readonly key: number;
  readonly fromHour: number;
  /** The last one. */
  readonly thisHour: number;
}

/** Days, one after the other, with what is stored for hours of them. */
function withHours(
  sql: SqlReader,
  days: readonly DayBar[],
  { key, fromHour, thisHour }: Hours,
): readonly DayBar[] {
  const bars = [...days];
  const firstDay = Math.floor((days[0]?.at ?? 0) / 1000 / daySecs);
  for (let hour = fromHour; hour <= thisHour; hour += 1) {
    const index = dayOfHour(hour) - firstDay;
    const bar = bars[index];
    if (bar === undefined) continue;
    const secs = readRollupSecs(sql, 'hourly', slotOf(hour, key));
    if (secs !== null) bars[index] = { at: bar.at, secs: sumOf(bar.secs, secs) };
  }
  return bars;
}

/** Adds seconds of an hour. Of a day that is remembered for good, or that is not there yet, all is read again. */
function credit(known: CachedBars, hour: number, secs: Readonly<ByStatus>): void {
  const index = dayOfHour(hour) - known.firstDay;
  const bar = known.bars[index];
  if (bar === undefined || index < known.finished) known.samples = unread;
  else if (secs !== noSecs) known.bars[index] = { at: bar.at, secs: sumOf(bar.secs, secs) };
}

/** How many of the days are over: what is packed and lies before the tail is changed by late samples only. */
function finishedDays(
  { packedBefore, tail }: StoredMonitor,
  { firstDay, days }: { readonly firstDay: number; readonly days: number },
): number {
  const changingHour = Math.min(packedBefore, hourOf((tail?.at ?? 0) / 1000));
  return Math.min(days, Math.max(0, dayOfHour(changingHour) - firstDay));
}

function withTail(bar: DayBar, monitor: StoredMonitor, nowSecs: number): DayBar {
  const fromSecs = bar.at / 1000;
  const span = { fromSecs, toSecs: Math.min(fromSecs + daySecs, nowSecs) };
  if (!countsWithin(monitor.tail, span)) return bar;
  const secs = { ...bar.secs };
  addTail(secs, monitor.tail, span);
  return { at: bar.at, secs };
}

function sumOf(a: Readonly<ByStatus>, b: Readonly<ByStatus>): ByStatus {
  return {
    up: a.up + b.up,
    degraded: a.degraded + b.degraded,
    down: a.down + b.down,
    unknown: a.unknown + b.unknown,
  };
}
