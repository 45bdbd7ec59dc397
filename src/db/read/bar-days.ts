/** Reads the bars of days of many monitors at once, which are packed: one scan where there would be thousands of reads. */
import { daySecs, firstSlotOf } from '../samples/slots.ts';
import { visitDaySecs, weekOfDay } from '../samples/weeks.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';

export interface DayBar {
  /** The start of the day, epoch ms: a UTC day, unless `date` names one of another time zone, which ends before `toAt`. */
  readonly at: number;
  readonly toAt?: number;
  readonly date?: string;
  /** Credited seconds of the day, up to now. All zero: no data. */
  readonly secs: Readonly<ByStatus>;
}

export const noSecs: Readonly<ByStatus> = { up: 0, degraded: 0, down: 0, unknown: 0 };

/** Days from `day` until before `endDay`, of the same week, of the monitors with keys from `fromKey` until before `toKey`. */
interface DaysOfMany {
  readonly day: number;
  readonly endDay: number;
  readonly fromKey: number;
  readonly toKey: number;
}

/** More than so many different bars of one day, or bars of more days, are not shared. */
const mostShared = { bars: 500, days: 1000 };

/** One bar stands for the equal days of all monitors: most have no failure, and all lack what this node did not see. */
export class SharedBars {
  readonly #known = new Map<number, Map<number | string, DayBar>>();
  #empty: readonly DayBar[] = [];

  /** The bar of a day (since the epoch) that does not change any more. */
  of(day: number, secs: Readonly<ByStatus>): DayBar {
    const { up, degraded, down, unknown } = secs;
    if (this.#known.size > mostShared.days) this.#known.clear();
    const alike = this.#known.get(day) ?? new Map<number | string, DayBar>();
    this.#known.set(day, alike);
    const key = degraded + down + unknown === 0 ? up : `${up} ${degraded} ${down} ${unknown}`;
    const bar = alike.get(key) ?? { at: day * daySecs * 1000, secs };
    if (alike.size < mostShared.bars) alike.set(key, bar);
    return bar;
  }

  /** The bars of days without data, from `day` until before `endDay`; the same array as the last time. */
  emptyDays(day: number, endDay: number): readonly DayBar[] {
    const isSame = this.#empty.length === endDay - day && this.#empty[0]?.at === day * daySecs * 1000;
    if (!isSame)
      this.#empty = Array.from({ length: Math.max(0, endDay - day) }, (_, index) =>
        this.of(day + index, noSecs),
      );
    return this.#empty;
  }
}

/** The bars of each monitor that has any, by key, the first of `day`. */
export function readDaysOfMany(
  sql: SqlReader,
  { day, endDay, fromKey, toKey }: DaysOfMany,
  shared: SharedBars,
): Map<number, (DayBar | undefined)[]> {
  const found = new Map<number, (DayBar | undefined)[]>();
  const add = (key: number, index: number, secs: ByStatus) => {
    const own = found.get(key) ?? [];
    if (own.length === 0) found.set(key, own);
    own[index] = shared.of(day + index, secs);
  };
  for (let index = 0; index < endDay - day; index++) {
    const first = firstSlotOf(day + index);
    sql.all(
      'SELECT slot, up_secs, degraded_secs, down_secs, unknown_secs FROM daily WHERE slot >= ? AND slot < ?',
      [first + fromKey, first + toKey],
      (row) => {
        add(row.number('slot') - first, index, {
          up: row.number('up_secs'),
          degraded: row.number('degraded_secs'),
          down: row.number('down_secs'),
          unknown: row.number('unknown_secs'),
        });
      },
    );
  }
  visitDaySecs(sql, { week: weekOfDay(day), fromKey, toKey }, (key, { ats, columns }) => {
    for (const [row, at] of ats.entries()) {
      const index = at - day;
      if (index < 0 || index >= endDay - day) continue;
      const value = (column: number) => columns[column]?.[row] ?? 0;
      add(key, index, { up: value(0), degraded: value(1), down: value(2), unknown: value(3) });
    }
  });
  return found;
}
