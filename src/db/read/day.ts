/**
 * Uptime, coverage and percentiles of every monitor over the last 24 hours, from hourly rollups.
 *
 * The window begins 24 hours ago, to the minute. Finished hours are added up once and remembered; a reading looks again only at monitors that got samples
 * since, and there only at the hours their latest samples lie in. A late sample changes older hours: the monitor's
 * `rewrites` say so, and it is added up anew. So it is when it was not read for hours.
 */
import { rollingFrom } from '../../engine/core/instant.ts';
import { percentiles } from '../samples/histogram.ts';
import { hourOf, hourSecs, slotOf } from '../samples/slots.ts';
import { type ByStatus, creditUntil } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import { coverageShare, uptimeShare } from './share.ts';
import { FirstHour } from './first-hour.ts';
import type { Added } from './followed.ts';
import { addHourly, addHourOfAll, addSample, becomeSums, emptySums, type Sums } from './sums.ts';
import { addTail } from './tail.ts';
import { readWatched, type StoredMonitor } from './watched.ts';

const windowHours = 24;

/**
 * Hours that have left the window are read again, to be taken back, up to so many. Older ones may be packed by the day or have
 * lost their latencies: where nodes share a database, as soon as they are moved (`storage.history_hours`, at least 26).
 */
const mostBehind = 2;

/** In place of how many samples were read: as many as no monitor has. */
const unread = -1;

export interface DayFigures {
  /** Credited seconds of the last 24 hours. */
  readonly secs: Readonly<ByStatus>;
  /** Samples of the last 24 hours. */
  readonly counts: Readonly<ByStatus>;
  readonly uptimePermille: number | null;
  readonly coveragePermille: number;
  /** Of up and degraded samples, within 0.8 % (exact below 128 ms); null: nothing was measured. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

/** What is remembered of a monitor. */
interface CachedDay {
  samples: number;
  readonly rewrites: number;
  /** Finished hours from `fromHour` until before `toHour` are in `finished`. */
  fromHour: number;
  toHour: number;
  readonly finished: Sums;
  /** Finished hours and those that may still change; null: they were not added up yet. */
  readonly all: Sums;
  /** The hour in which the window begins; null: it was not read yet. */
  first: FirstHour | null;
  /** Figures of all of them, without so many samples of the first hour; null: samples came since. */
  made: (Pick<DayFigures, 'counts' | 'p50Ms' | 'p95Ms' | 'p99Ms'> & { readonly left: number }) | null;
}

/** Reading ahead: the hour that comes next, and the monitors it is read for, by key. */
interface Ahead {
  hour: number;
  readonly pending: Map<number, { readonly known: CachedDay; readonly toHour: number }>;
}

/** Remembers what it read between readings. One for the life of a process that serves pages. */
export class DayReader {
  readonly #remembered = new Map<number, CachedDay>();
  #ahead: Ahead | null = null;

  /** The figures of every monitor that is not removed, by config id. */
  read(sql: SqlReader, now: number): Map<string, DayFigures> {
    const watched = readWatched(sql);
    this.keep(watched);
    return new Map(watched.map((monitor) => [monitor.id, this.of(sql, monitor, now)]));
  }

  /** Reads an hour of all monitors, so that a first reading need not do it all. Answers whether nothing is left. */
  warm(sql: SqlReader, now: number): boolean {
    this.#ahead ??= this.#begin(sql, hourOf(now / 1000));
    const { hour, pending } = this.#ahead;
    if (pending.size === 0) return true;
    // A monitor that was read meanwhile, or forgotten, is ahead of this.
    const isPending = (key: number) => this.#remembered.get(key) === pending.get(key)?.known;
    for (const [key, { known, toHour }] of pending) {
      if (!isPending(key) || known.toHour !== hour || hour >= toHour) pending.delete(key);
    }
    addHourOfAll(sql, hour, (key) => pending.get(key)?.known.finished ?? null);
    for (const { known } of pending.values()) known.toHour = hour + 1;
    this.#ahead.hour += 1;
    return pending.size === 0;
  }

  /** Begins to remember every monitor that nothing is remembered of. */
  #begin(sql: SqlReader, thisHour: number): Ahead {
    const fromHour = thisHour - windowHours;
    const pending: Ahead['pending'] = new Map();
    for (const monitor of readWatched(sql)) {
      if (this.#remembered.has(monitor.key)) continue;
      const known = newlyRemembered(monitor, fromHour);
      this.#remembered.set(monitor.key, known);
      pending.set(monitor.key, { known, toHour: finishedHour(monitor, thisHour) });
    }
    return { hour: fromHour, pending };
  }

  /** The figures of one monitor. */
  of(sql: SqlReader, monitor: StoredMonitor, now: number): DayFigures {
    const nowSecs = Math.floor(now / 1000);
    const fromSecs = rollingFrom(now, 1) / 1000;
    const known = this.#upToDate(sql, monitor, nowSecs);
    const secondOfHour = fromSecs - known.fromHour * hourSecs;
    const first = firstHourOf(sql, monitor, known);
    const { up, degraded, down, unknown } = known.all.secs;
    const before = first.secsBefore(secondOfHour);
    const secs = {
      up: up - before.up,
      degraded: degraded - before.degraded,
      down: down - before.down,
      unknown: unknown - before.unknown,
    };
    addTail(secs, monitor.tail, { fromSecs, toSecs: nowSecs });
    const left = first.countBefore(secondOfHour);
    if (known.made?.left !== left) known.made = { left, ...madeOf(known.all, first, left) };
    const { counts, p50Ms, p95Ms, p99Ms } = known.made;
    return {
      secs,
      counts,
      uptimePermille: uptimeShare(secs),
      coveragePermille: coverageShare(secs, nowSecs - fromSecs),
      p50Ms,
      p95Ms,
      p99Ms,
    };
  }

  /** Adds a sample that came to what is remembered of its monitor, so that nothing of it need be read. */
  note({ key, sample, samplesBefore, before }: Added): void {
    const known = this.#remembered.get(key);
    if (known === undefined) return;
    const isNext = known.samples === samplesBefore;
    known.samples = isNext ? samplesBefore + 1 : unread;
    if (!isNext) return;
    const hour = hourOf(sample.at / 1000);
    if (hour > known.fromHour + windowHours) known.samples = unread;
    if (hour >= known.fromHour) addSample(known.all, sample);
    if (before !== null) {
      creditUntil(before, sample, (creditedHour, secs) => {
        if (creditedHour >= known.fromHour) known.all.secs[before.status] += secs;
      });
    }
    known.made = null;
  }

  /** Reads again, at the next reading, the hours of a monitor that may have changed. */
  distrust(key: number): void {
    const known = this.#remembered.get(key);
    if (known !== undefined) known.samples = unread;
  }

  #upToDate(sql: SqlReader, monitor: StoredMonitor, nowSecs: number): CachedDay {
    const thisHour = hourOf(nowSecs);
    const fromHour = thisHour - windowHours;
    const toHour = Math.max(fromHour, finishedHour(monitor, thisHour));
    let known = this.#remembered.get(monitor.key);
    const canGoOn =
      known?.rewrites === monitor.rewrites &&
      known.toHour <= toHour &&
      known.fromHour <= fromHour &&
      known.fromHour >= fromHour - mostBehind;
    if (known === undefined || !canGoOn) {
      known = newlyRemembered(monitor, fromHour);
      this.#remembered.set(monitor.key, known);
    } else if (known.samples === monitor.samples && known.fromHour === fromHour) {
      return known;
    }
    for (; known.toHour < toHour; known.toHour++) {
      addHourly(sql, known.finished, { slot: slotOf(known.toHour, monitor.key), sign: 1 });
    }
    for (; known.fromHour < fromHour; known.fromHour++) {
      addHourly(sql, known.finished, { slot: slotOf(known.fromHour, monitor.key), sign: -1 });
    }
    becomeSums(known.all, known.finished);
    for (let hour = toHour; hour <= thisHour; hour++) {
      addHourly(sql, known.all, { slot: slotOf(hour, monitor.key), sign: 1 });
    }
    known.samples = monitor.samples;
    known.made = null;
    return known;
  }

  /** Forgets monitors that are not among these. */
  keep(watched: readonly StoredMonitor[]): void {
    if (this.#remembered.size <= watched.length) return;
    const keys = new Set(watched.map((monitor) => monitor.key));
    for (const key of this.#remembered.keys()) if (!keys.has(key)) this.#remembered.delete(key);
  }
}

/** Samples in order change no hour before that of the tail. */
function finishedHour({ tail }: StoredMonitor, thisHour: number): number {
  return Math.min(thisHour, hourOf((tail?.at ?? 0) / 1000));
}

function newlyRemembered(monitor: StoredMonitor, fromHour: number): CachedDay {
  return {
    samples: unread,
    rewrites: monitor.rewrites,
    fromHour,
    toHour: fromHour,
    finished: emptySums(),
    all: emptySums(),
    first: null,
    made: null,
  };
}

/** Read once an hour, at the first reading that needs it. */
function firstHourOf(sql: SqlReader, monitor: StoredMonitor, known: CachedDay): FirstHour {
  if (known.first?.holds(known.fromHour, monitor) !== true)
    known.first = FirstHour.read(sql, monitor, known.fromHour);
  return known.first;
}

/** Without the first `left` samples of the first hour. */
function madeOf({ counts, histogram }: Sums, first: FirstHour, left: number) {
  const rest = { counts: { ...counts }, histogram: left === 0 ? histogram : histogram.slice() };
  first.takeFrom(rest, left);
  const [p50Ms = null, p95Ms = null, p99Ms = null] = percentiles(rest.histogram, [0.5, 0.95, 0.99]);
  return { counts: rest.counts, p50Ms, p95Ms, p99Ms };
}
