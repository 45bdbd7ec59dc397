/** The daily bars of a monitor by the days of a time zone, from the days of UTC and the hours in which a day of the zone begins. */
import type { CalendarDay } from '../../engine/core/calendar.ts';
import { statuses } from '../../engine/core/status.ts';
import { daySecs } from '../samples/slots.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import { type DayBar, noSecs } from './bar-days.ts';
import type { ElapsedReader } from './elapsed.ts';
import type { OutageSpan } from './outages.ts';
import type { StoredMonitor } from './watched.ts';

interface ZoneQuery {
  /** The days of UTC, with maintenance, one after the other; the first one begins before the first of `days`. */
  readonly bars: readonly DayBar[];
  readonly days: readonly CalendarDay[];
  /** Epoch ms; the last day lasts until after it. */
  readonly now: number;
  readonly outages: () => readonly OutageSpan[];
}

interface CachedBars {
  readonly rewrites: number;
  /** By the start of the day: days that are over, and end before the latest sample. */
  readonly over: Map<number, DayBar>;
}

/** Remembers days that are over. One for the life of a process that serves pages. */
export class ZoneBarReader {
  readonly #elapsed: ElapsedReader;
  readonly #remembered = new Map<number, CachedBars>();

  constructor(elapsed: ElapsedReader) {
    this.#elapsed = elapsed;
  }

  of(sql: SqlReader, monitor: StoredMonitor, { bars, days, now, outages }: ZoneQuery): readonly DayBar[] {
    const over = this.#of(monitor);
    const firstDay = dayOf(bars[0]?.at ?? 0);
    const barAt = (at: number) => bars[dayOf(at) - firstDay];
    /** Seconds of the UTC day of an instant before it; beyond the bars there are none. */
    const before = (at: number): Readonly<ByStatus> => {
      const bar = barAt(at);
      return bar === undefined || bar.at === at
        ? noSecs
        : this.#elapsed.of(sql, monitor, { bar, at, outages });
    };
    const first = days[0]?.fromAt ?? 0;
    for (const at of over.keys()) if (at < first) over.delete(at);
    return days.map((day): DayBar => {
      const known = day.toAt > now ? undefined : over.get(day.fromAt);
      if (known !== undefined) return known;
      const from = dayOf(day.fromAt) - firstDay;
      const touched = day.toAt > now ? bars.slice(from) : bars.slice(from, dayOf(day.toAt) - firstDay);
      const bar = {
        at: day.fromAt,
        toAt: day.toAt,
        date: day.date,
        secs: sumOf(touched, before(day.fromAt), day.toAt > now ? noSecs : before(day.toAt)),
      };
      if (day.toAt <= Math.min(now, monitor.tail?.at ?? 0)) over.set(day.fromAt, bar);
      return bar;
    });
  }

  /** Forgets the days that touch a UTC day whose hourly rollups before an hour (since the epoch) were just deleted. */
  prunedBefore(hour: number): void {
    const endAt = (Math.floor(hour / 24) + 1) * daySecs * 1000;
    for (const { over } of this.#remembered.values())
      for (const at of over.keys()) if (at < endAt) over.delete(at);
  }

  /** Forgets monitors that are not among these. */
  keep(watched: readonly StoredMonitor[]): void {
    const keys = new Set(watched.map(({ key }) => key));
    for (const key of this.#remembered.keys()) if (!keys.has(key)) this.#remembered.delete(key);
  }

  #of({ key, rewrites }: StoredMonitor): Map<number, DayBar> {
    const known = this.#remembered.get(key);
    if (known?.rewrites === rewrites) return known.over;
    const anew = { rewrites, over: new Map<number, DayBar>() };
    this.#remembered.set(key, anew);
    return anew.over;
  }
}

/** The days of UTC from where one day of the zone begins until the next one does. */
function sumOf(bars: readonly DayBar[], before: Readonly<ByStatus>, rest: Readonly<ByStatus>): ByStatus {
  const sum = { up: 0, degraded: 0, down: 0, unknown: 0 };
  for (const status of statuses) {
    for (const { secs } of bars) sum[status] += secs[status];
    sum[status] = Math.max(0, sum[status] - before[status] + rest[status]);
  }
  return sum;
}

function dayOf(at: number): number {
  return Math.floor(at / 1000 / daySecs);
}
