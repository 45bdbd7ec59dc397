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
  const quiet = new Map<string, DayBar>();
  const add = (key: number, each: number, secs: readonly number[]) => {
    const own = found.get(key) ?? [];
    found.set(key, own);
    own[each - day] = barOf(quiet, each, secs);
  };
  for (let each = day; each < endDay; each++) {
    const first = firstSlotOf(each);
    sql.all(
      'SELECT slot, up_secs, degraded_secs, down_secs, unknown_secs FROM daily WHERE slot >= ? AND slot < ?',
      [first + fromKey, first + toKey],
      (row) => {
        add(row.number('slot') - first, each, [
          row.number('up_secs'),
          row.number('degraded_secs'),
          row.number('down_secs'),
          row.number('unknown_secs'),
        ]);
      },
    );
  }
  visitDaySecs(sql, { week: weekOfDay(day), fromKey, toKey }, (key, each, secs) => {
    if (each >= day && each < endDay) add(key, each, secs);
  });
  return found;
}

function barOf(quiet: Map<string, DayBar>, day: number, secs: readonly number[]): DayBar {
  const [up = 0, degraded = 0, down = 0, unknown = 0] = secs;
  const at = day * daySecs * 1000;
  if (degraded > 0 || down > 0 || unknown > 0) return { at, secs: { up, degraded, down, unknown } };
  const name = `${day} ${up}`;
  const known = quiet.get(name);
  if (known !== undefined) return known;
  const bar = { at, secs: { up, degraded, down, unknown } };
  quiet.set(name, bar);
  return bar;
}
