/**
 * Uptime, coverage and percentiles of every monitor over the last 24 hours, from hourly rollups.
 *
 * The window is the hour that is running and the 24 whole hours before it, so that an outage does not leave it
 * early. Finished hours are added up once and remembered; a reading looks again only at monitors that got samples
 * since, and there only at the hours their latest samples lie in. A late sample changes older hours: the monitor's
 * `rewrites` say so, and it is added up anew.
 */
import { percentiles } from '../samples/histogram.ts';
import { hourOf, hourSecs, slotOf } from '../samples/slots.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../sql.ts';
import { coverageShare, uptimeShare } from './share.ts';
import { addHourly, copySums, emptySums, type Sums } from './sums.ts';
import { addTail } from './tail.ts';
import { readWatched, type Watched } from './watched.ts';

const windowHours = 24;

export interface DayFigures {
  /** Credited seconds of the window, up to now. */
  readonly secs: Readonly<ByStatus>;
  /** Samples of the window. */
  readonly counts: Readonly<ByStatus>;
  readonly uptimePermille: number | null;
  readonly coveragePermille: number;
  /** Of up and degraded samples, within 0.8 % (exact below 128 ms); null: nothing was measured. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

/** What is remembered of a monitor. */
interface Remembered {
  samples: number;
  readonly rewrites: number;
  /** Finished hours from `fromHour` until before `toHour` are in `finished`. */
  fromHour: number;
  toHour: number;
  readonly finished: Sums;
  /** Finished hours and those that may still change. */
  secs: Readonly<ByStatus>;
  counts: Readonly<ByStatus>;
  percentiles: readonly (number | null)[];
}

/** Remembers what it read between readings. One for the life of a process that serves pages. */
export class DayReader {
  readonly #remembered = new Map<number, Remembered>();

  /** The figures of every monitor that is not removed, by config id. */
  read(sql: SqlReader, now: number): Map<string, DayFigures> {
    const nowSecs = Math.floor(now / 1000);
    const watched = readWatched(sql);
    this.#forgetOthers(watched);
    return new Map(watched.map((monitor) => [monitor.id, this.#figures(sql, monitor, nowSecs)]));
  }

  /** Reads up to `count` monitors it knows nothing of, so that a first reading need not do it all. Answers whether it knows all. */
  warm(sql: SqlReader, now: number, count: number): boolean {
    const unknown = readWatched(sql).filter((monitor) => !this.#remembered.has(monitor.key));
    for (const monitor of unknown.slice(0, count)) this.#figures(sql, monitor, Math.floor(now / 1000));
    return unknown.length <= count;
  }

  #figures(sql: SqlReader, monitor: Watched, nowSecs: number): DayFigures {
    const fromHour = hourOf(nowSecs) - windowHours;
    const known = this.#upToDate(sql, monitor, nowSecs);
    const secs = { ...known.secs };
    addTail(secs, monitor.tail, { fromSecs: fromHour * hourSecs, toSecs: nowSecs });
    const [p50Ms = null, p95Ms = null, p99Ms = null] = known.percentiles;
    return {
      secs,
      counts: known.counts,
      uptimePermille: uptimeShare(secs),
      coveragePermille: coverageShare(secs, nowSecs - fromHour * hourSecs),
      p50Ms,
      p95Ms,
      p99Ms,
    };
  }

  #upToDate(sql: SqlReader, monitor: Watched, nowSecs: number): Remembered {
    const thisHour = hourOf(nowSecs);
    const fromHour = thisHour - windowHours;
    // Samples in order change no hour before that of the tail.
    const toHour = Math.max(fromHour, Math.min(thisHour, hourOf((monitor.tail?.at ?? 0) / 1000)));
    let known = this.#remembered.get(monitor.key);
    const canGoOn =
      known?.rewrites === monitor.rewrites && known.toHour <= toHour && known.fromHour <= fromHour;
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
    const all = copySums(known.finished);
    for (let hour = toHour; hour <= thisHour; hour++) {
      addHourly(sql, all, { slot: slotOf(hour, monitor.key), sign: 1 });
    }
    known.samples = monitor.samples;
    known.secs = all.secs;
    known.counts = all.counts;
    known.percentiles = percentiles(all.histogram, [0.5, 0.95, 0.99]);
    return known;
  }

  #forgetOthers(watched: readonly Watched[]): void {
    if (this.#remembered.size <= watched.length) return;
    const keys = new Set(watched.map((monitor) => monitor.key));
    for (const key of this.#remembered.keys()) if (!keys.has(key)) this.#remembered.delete(key);
  }
}

function newlyRemembered(monitor: Watched, fromHour: number): Remembered {
  const finished = emptySums();
  const { secs, counts } = finished;
  return {
    samples: -1,
    rewrites: monitor.rewrites,
    fromHour,
    toHour: fromHour,
    finished,
    secs,
    counts,
    percentiles: [],
  };
}
