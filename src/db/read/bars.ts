/**
 * The daily bars of every monitor, from daily rollups.
 *
 * Finished days are read once and remembered, until a late sample changes them (see
 * read/day.ts); the days after them are read again when samples came.
 */
import { readRollupSecs } from '../samples/rollups.ts';
import { dayOfHour, daySecs, hourOf, slotOf } from '../samples/slots.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../sql.ts';
import { addTail } from './tail.ts';
import { readWatched, type Watched } from './watched.ts';

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
  /** Days one after the other from `firstDay` (since the epoch) on, without what the latest sample still speaks for. */
  readonly firstDay: number;
  readonly bars: readonly DayBar[];
  /** How many of them can be changed by late samples only. */
  readonly finished: number;
}

/** Remembers finished days between readings. One for the life of a process that serves pages. */
export class BarReader {
  readonly #remembered = new Map<number, Remembered>();

  /** The last `days` UTC days of every monitor that is not removed, today last, by config id. */
  read(sql: SqlReader, now: number, days: number): Map<string, DayBar[]> {
    const watched = readWatched(sql);
    if (this.#remembered.size > watched.length) this.#remembered.clear();
    return new Map(watched.map((monitor) => [monitor.id, this.#bars(sql, monitor, { now, days })]));
  }

  /** Reads up to `count` monitors it knows nothing of. Answers whether it knows all. */
  warm(sql: SqlReader, view: View, count: number): boolean {
    const unknown = readWatched(sql).filter((monitor) => !this.#remembered.has(monitor.key));
    for (const monitor of unknown.slice(0, count)) this.#bars(sql, monitor, view);
    return unknown.length <= count;
  }

  #bars(sql: SqlReader, monitor: Watched, view: View): DayBar[] {
    const nowSecs = Math.floor(view.now / 1000);
    const firstDay = Math.floor(nowSecs / daySecs) - view.days + 1;
    const { bars, finished } = this.#upToDate(sql, monitor, { ...view, firstDay });
    return bars.map((bar, index) => (index < finished ? bar : withTail(bar, monitor, nowSecs)));
  }

  #upToDate(sql: SqlReader, monitor: Watched, view: View & { readonly firstDay: number }): Remembered {
    const { firstDay, days } = view;
    const { rewrites, samples, packedBefore } = monitor;
    const thisHour = hourOf(view.now / 1000);
    const known = this.#remembered.get(monitor.key);
    const isSame =
      known?.samples === samples && known.packedBefore === packedBefore && known.thisHour === thisHour;
    const canGoOn = known?.rewrites === rewrites && known.firstDay <= firstDay;
    if (canGoOn && isSame && known.firstDay === firstDay && known.bars.length === days) return known;

    const bars = canGoOn ? known.bars.slice(firstDay - known.firstDay, known.finished) : [];
    // What is packed and lies before the tail is changed by late samples only.
    const changingHour = Math.min(packedBefore, hourOf((monitor.tail?.at ?? 0) / 1000));
    while (bars.length < days) bars.push(readBar(sql, monitor, { day: firstDay + bars.length, thisHour }));
    const finished = Math.min(days, Math.max(0, Math.floor(changingHour / 24) - firstDay));
    const read = { rewrites, samples, packedBefore, thisHour, firstDay, bars, finished };
    this.#remembered.set(monitor.key, read);
    return read;
  }
}

function readBar(
  sql: SqlReader,
  monitor: Watched,
  hours: { readonly day: number; readonly thisHour: number },
): DayBar {
  const { day, thisHour } = hours;
  const at = day * daySecs * 1000;
  const secs: ByStatus = { up: 0, degraded: 0, down: 0, unknown: 0 };
  if (day < dayOfHour(monitor.oldestHour)) return { at, secs };
  addSecs(secs, readRollupSecs(sql, 'daily', slotOf(day, monitor.key)));
  const lastHour = Math.min((day + 1) * 24 - 1, thisHour);
  for (let hour = Math.max(day * 24, monitor.packedBefore); hour <= lastHour; hour++) {
    addSecs(secs, readRollupSecs(sql, 'hourly', slotOf(hour, monitor.key)));
  }
  return { at, secs };
}

function withTail(bar: DayBar, monitor: Watched, nowSecs: number): DayBar {
  const secs = { ...bar.secs };
  const fromSecs = bar.at / 1000;
  addTail(secs, monitor.tail, { fromSecs, toSecs: Math.min(fromSecs + daySecs, nowSecs) });
  return { at: bar.at, secs };
}

function addSecs(sum: ByStatus, secs: Readonly<ByStatus> | null): void {
  if (secs === null) return;
  for (const status of ['up', 'degraded', 'down', 'unknown'] as const) sum[status] += secs[status];
}
