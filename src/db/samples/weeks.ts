/**
 * Rollups of weeks (seven UTC days, from day 0 of the epoch on) in one row a monitor: of hours and days whose samples are
 * not in memory any more, so that nothing is added to them. A rollup is in such a row or in one of its own, never in both.
 *
 * Hours come from packed days (see hourly-days.ts), or from rows. They have no histogram, and no least and greatest latency, which nothing
 * shows and which take as much as all the rest. The histograms of days are in a table of their own, because they are kept
 * for less long than the days.
 */
import type { Sql, SqlReader } from '../store/sql.ts';
import { ByteReader, ByteWriter, DamagedBytesError } from './bytes.ts';
import { packHistogram, unpackHistogram } from './histogram.ts';
import { readPackedDay } from './hourly-days.ts';
import { packRows, readSecs, type SecsOfRows, unpackRows } from './rollup-rows.ts';
import { readRollup, type WeekTable, writeRollup } from './rollups.ts';
import { bucketOfSlot, firstSlotOf, slotOf } from './slots.ts';
import { addToHistogram, type Tally } from './tally.ts';

export const weekDays = 7;
export const weekHours = 24 * weekDays;

/** The week that a day since the epoch lies in. */
export function weekOfDay(day: number): number {
  return Math.floor(day / weekDays);
}

const queries = {
  hourly_weeks: 'SELECT packed FROM hourly_weeks WHERE slot = ?',
  daily_weeks: 'SELECT packed FROM daily_weeks WHERE slot = ?',
  latency_weeks: 'SELECT packed FROM latency_weeks WHERE slot = ?',
  someDays: 'SELECT slot, packed FROM daily_weeks WHERE slot >= ? AND slot < ?',
} as const;

function bytesAt(sql: SqlReader, table: WeekTable, slot: number): Uint8Array | null {
  return sql.get(queries[table], [slot], (row) => row.bytes('packed'));
}

/** The hourly rollups of a week of a monitor by hour since the epoch. Throws a DamagedBytesError. */
export function readHoursOfWeek(sql: SqlReader, key: number, week: number): Map<number, Tally> {
  const bytes = bytesAt(sql, 'hourly_weeks', slotOf(week, key));
  return bytes === null ? new Map<number, Tally>() : unpackRows(bytes, week * weekHours);
}

/** The daily rollups of a week of a monitor by day since the epoch, without histograms. Throws a DamagedBytesError. */
export function readDaysOfWeek(sql: SqlReader, key: number, week: number): Map<number, Tally> {
  const bytes = bytesAt(sql, 'daily_weeks', slotOf(week, key));
  return bytes === null ? new Map<number, Tally>() : unpackRows(bytes, week * weekDays);
}

/** Likewise, with the histograms that are still kept. */
export function readWholeDaysOfWeek(sql: SqlReader, key: number, week: number): Map<number, Tally> {
  const days = readDaysOfWeek(sql, key, week);
  const latencies = days.size === 0 ? null : bytesAt(sql, 'latency_weeks', slotOf(week, key));
  if (latencies !== null) unpackLatencies(latencies, days, week * weekDays);
  return days;
}

/**
 * Reports the seconds of the days of a week of each of the monitors with keys from `fromKey` until before `toKey`. A week
 * that is damaged costs its days and nothing else.
 */
export function visitDaySecs(
  sql: SqlReader,
  { week, fromKey, toKey }: { readonly week: number; readonly fromKey: number; readonly toKey: number },
  visit: (key: number, days: SecsOfRows) => void,
): void {
  const first = firstSlotOf(week);
  sql.all(queries.someDays, [first + fromKey, first + toKey], (row) => {
    try {
      visit(row.number('slot') - first, readSecs(row.bytes('packed'), week * weekDays));
    } catch (error) {
      if (!(error instanceof DamagedBytesError)) throw error;
    }
  });
}

/** Puts what is packed by the day, and the daily rows, of a week of a monitor into one row each. */
export function packWeek(sql: Sql, key: number, week: number): void {
  const days = Array.from({ length: weekDays }, (_, index) => week * weekDays + index);
  try {
    packHours(sql, { key, week, days });
    packDays(sql, { key, week, days });
  } catch (error) {
    // What is damaged is left as it is.
    if (!(error instanceof DamagedBytesError)) throw error;
  }
}

interface Week {
  readonly key: number;
  readonly week: number;
  readonly days: readonly number[];
}

function packHours(sql: Sql, { key, week, days }: Week): void {
  const found = days.flatMap((day) => [...(readPackedDay(sql, key, day) ?? readHours(sql, key, day))]);
  if (found.length === 0) return;
  for (const [, { latency }] of found) {
    latency.minMs = null;
    latency.maxMs = null;
  }
  const packed = packRows(new Map([...readHoursOfWeek(sql, key, week), ...found]), week * weekHours);
  if (packed === null) return;
  sql.run('INSERT OR REPLACE INTO hourly_weeks (slot, packed) VALUES (?, ?)', slotOf(week, key), packed);
  for (const day of days) sql.run('DELETE FROM hourly_days WHERE slot = ?', slotOf(day, key));
  for (const [hour] of found) sql.run('DELETE FROM hourly WHERE slot = ?', slotOf(hour, key));
}

/** The rows of a day whose samples were too old to be moved. */
function readHours(sql: Sql, key: number, day: number): Map<number, Tally> {
  const hours = new Map<number, Tally>();
  for (let hour = day * 24; hour < (day + 1) * 24; hour++) {
    const tally = readRollup(sql, 'hourly', slotOf(hour, key));
    if (tally !== null) hours.set(hour, tally);
  }
  return hours;
}

function packDays(sql: Sql, { key, week, days }: Week): void {
  const found = days.flatMap((day): [number, Tally][] => {
    const tally = readRollup(sql, 'daily', slotOf(day, key));
    return tally === null ? [] : [[day, tally]];
  });
  if (found.length === 0) return;
  const all = new Map([...readWholeDaysOfWeek(sql, key, week), ...found]);
  const packed = packRows(all, week * weekDays);
  if (packed === null) return;
  const slot = slotOf(week, key);
  sql.run('INSERT OR REPLACE INTO daily_weeks (slot, packed) VALUES (?, ?)', slot, packed);
  const latencies = packLatencies(all, week * weekDays);
  if (latencies !== null)
    sql.run('INSERT OR REPLACE INTO latency_weeks (slot, packed) VALUES (?, ?)', slot, latencies);
  for (const day of days) sql.run('DELETE FROM daily WHERE slot = ?', slotOf(day, key));
}

/** The day of the week and the length of each histogram, then it; null: there is none. */
function packLatencies(days: ReadonlyMap<number, Tally>, first: number): Uint8Array | null {
  const writer = new ByteWriter();
  let isAny = false;
  for (const [day, { latency }] of days) {
    if (latency.histogram.size === 0) continue;
    isAny = true;
    const packed = packHistogram(latency.histogram);
    writer.byte(day - first);
    writer.varint(packed.length);
    for (const byte of packed) writer.byte(byte);
  }
  return isAny ? writer.finish() : null;
}

/** Puts the histograms where they belong; one that is damaged costs its percentiles and nothing else. */
function unpackLatencies(bytes: Uint8Array, days: ReadonlyMap<number, Tally>, first: number): void {
  try {
    for (const reader = new ByteReader(bytes); reader.remaining > 0; ) {
      const histogram = days.get(first + reader.byte())?.latency.histogram;
      const packed = Uint8Array.from({ length: Math.min(reader.varint(), reader.remaining) }, () =>
        reader.byte(),
      );
      unpackHistogram(packed, (bucket, count) => {
        if (histogram !== undefined) addToHistogram(histogram, bucket, count);
      });
    }
  } catch (error) {
    if (!(error instanceof DamagedBytesError)) throw error;
  }
}

/** Makes rows again of the weeks from that of a day on, of one monitor or of all. */
export function unpackWeeks(sql: Sql, day: number, key: number | null): void {
  const first = firstSlotOf(weekOfDay(day));
  for (const [table, of] of [
    ['hourly_weeks', 'hourly'],
    ['daily_weeks', 'daily'],
  ] as const) {
    const slots = sql.all(
      `SELECT slot FROM ${table} WHERE slot >= ? AND (?2 IS NULL OR slot % ${stride} = ?2)`,
      [first, key],
      (row) => row.number('slot'),
    );
    for (const slot of slots) {
      const read = of === 'hourly' ? readHoursOfWeek : readWholeDaysOfWeek;
      for (const [bucket, tally] of read(sql, slot % stride, bucketOfSlot(slot)))
        writeRollup(sql, of, { slot: slotOf(bucket, slot % stride), tally });
      deleteWeek(sql, table, slot);
      if (of === 'daily') deleteWeek(sql, 'latency_weeks', slot);
    }
  }
}

const stride = firstSlotOf(1);

/** Lets go of the packed rollups of a week of a monitor. */
export function deleteWeek(sql: Sql, table: WeekTable, slot: number): void {
  sql.run(`DELETE FROM ${table} WHERE slot = ?`, slot);
}
