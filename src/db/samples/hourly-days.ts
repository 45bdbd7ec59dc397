/**
 * The hourly rollups of a UTC day of one monitor in one row, without their histograms: some 150 bytes where the rows take
 * 1,900. What is packed this way is over: nothing is added to it.
 *
 * Layout: the hours that have a rollup (24 bits), then a column (see column.ts) for each of the numbers, zigzag.
 */
import type { Sql, SqlReader } from '../store/sql.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { readColumn, unzigzag, writeColumn, zigzag } from './column.ts';
import { bucketOfSlot, dayOfHour, firstSlotOf, slotOf } from './slots.ts';
import { emptyTally, packableOf, type Tally, tallyOfPacked } from './tally.ts';

const dayHours = 24;

/** Columns take numbers below 2^48; zigzag doubles them. */
const maxPacked = 2 ** 47;

/** Null: a number is too large to be packed. `hours` is of the hours of one day, since the epoch. */
export function packDay(hours: ReadonlyMap<number, Tally>): Uint8Array | null {
  const present = [...hours].toSorted(([a], [b]) => a - b);
  const rows = present.map(([, tally]) => packableOf(tally));
  if (rows.some((row) => row.some((value) => Math.abs(value) >= maxPacked))) return null;
  const writer = new ByteWriter();
  writer.varint(present.reduce((bits, [hour]) => bits + 2 ** (hour % dayHours), 0));
  for (let index = 0; index < packableOf(emptyTally()).length; index++)
    writeColumn(
      writer,
      rows.map((row) => zigzag(row[index] ?? 0)),
    );
  return writer.finish();
}

/** The rollups of a packed day by hour since the epoch. Throws a DamagedBytesError. */
function unpackDay(bytes: Uint8Array, day: number): Map<number, Tally> {
  const reader = new ByteReader(bytes);
  const bits = reader.varint();
  const hours = Array.from({ length: dayHours }, (_, hour) => hour).filter(
    (hour) => Math.floor(bits / 2 ** hour) % 2 === 1,
  );
  const columns = packableOf(emptyTally()).map(() => {
    const column = new Float64Array(hours.length);
    readColumn(reader, hours.length, column);
    return column;
  });
  return new Map(
    hours.map((hour, index) => [
      day * dayHours + hour,
      tallyOfPacked(columns.map((column) => unzigzag(column[index] ?? 0))),
    ]),
  );
}

/** The rollups of a day of a monitor; null: they are not packed. */
export function readPackedDay(sql: SqlReader, key: number, day: number): Map<number, Tally> | null {
  return sql.get('SELECT hours FROM hourly_days WHERE slot = ?', [slotOf(day, key)], (row) =>
    unpackDay(row.bytes('hours'), day),
  );
}

/** Writes the packed day of a monitor. */
export function writePackedDay(sql: Sql, slot: number, hours: Uint8Array): void {
  sql.run('INSERT OR REPLACE INTO hourly_days (slot, hours) VALUES (?, ?)', slot, hours);
}

/** Reports every packed rollup of the days from that of `hour` on, of one monitor or of all, and deletes their rows. */
export function takePackedDays(
  sql: Sql,
  hour: number,
  { key, visit }: { readonly key: number | null; readonly visit: (slot: number, tally: Tally) => void },
): void {
  const stride = firstSlotOf(1);
  const found = sql.all(
    'SELECT slot, hours FROM hourly_days WHERE slot >= ? AND (?2 IS NULL OR slot % ?3 = ?2)',
    [firstSlotOf(dayOfHour(hour)), key, stride],
    (row) => ({ slot: row.number('slot'), hours: row.bytes('hours') }),
  );
  for (const { slot, hours } of found) {
    for (const [each, tally] of unpackDay(hours, bucketOfSlot(slot)))
      visit(slotOf(each, slot % stride), tally);
    sql.run('DELETE FROM hourly_days WHERE slot = ?', slot);
  }
}
