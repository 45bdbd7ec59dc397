/** Reads the bars of days of many monitors at once, which are packed: one scan where there would be thousands of reads. */
import { daySecs, firstSlotOf } from '../samples/slots.ts';
import { visitDaySecs, weekOfDay } from '../samples/weeks.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';

export interface DayBar {
  /** The start of the UTC day, epoch ms. */
  readonly at: number;
  /** Credited seconds of the day, up to now. All zero: no data. */
  readonly secs: Readonly<ByStatus>;
}

/** Days from `day` until before `endDay`, of the same week, of the monitors with keys from `fromKey` until before `toKey`. */
interface DaysOfMany {
  readonly day: number;
  readonly endDay: number;
  readonly fromKey: number;
  readonly toKey: number;
}

/** The bars of each monitor that has any, by key, the first of `day`. Equal days without failures share one object. */
export function readDaysOfMany(
  sql: SqlReader,
  { day, endDay, fromKey, toKey }: DaysOfMany,
): Map<number, (DayBar | undefined)[]> {
  const found = new Map<number, (DayBar | undefined)[]>();
  const quiet = Array.from({ length: endDay - day }, () => new Map<number, DayBar>());
  const add = (key: number, index: number, secs: ByStatus) => {
    const own = found.get(key) ?? [];
    if (own.length === 0) found.set(key, own);
    own[index] = barOf((day + index) * daySecs * 1000, secs, quiet[index]);
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

function barOf(at: number, secs: ByStatus, quiet: Map<number, DayBar> | undefined): DayBar {
  if (secs.degraded > 0 || secs.down > 0 || secs.unknown > 0) return { at, secs };
  const known = quiet?.get(secs.up);
  if (known !== undefined) return known;
  const bar = { at, secs };
  quiet?.set(secs.up, bar);
  return bar;
}
