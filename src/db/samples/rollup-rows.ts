/**
 * Rollups of one monitor side by side, without their histograms: of the hours or the days of a week.
 *
 * Layout: how many there are, a column (see column.ts) with the steps from one to the next, which of the columns that follow
 * are constant (bits), then each of them: its centre, and, unless it is constant, the distance of each value from it. All
 * numbers that may be negative are zigzag. Of the latencies that were counted only those beyond the samples that have one
 * normally are written.
 */
import { ByteReader, ByteWriter, DamagedBytesError } from './bytes.ts';
import { readColumn, unzigzag, writeColumn, zigzag } from './column.ts';
import { emptyTally, packableOf, type Tally } from './tally.ts';

/** Columns take numbers below 2^48; the distance of two is up to twice as far, and zigzag doubles it. */
const maxPacked = 2 ** 45;

/** The hours of a week. */
const maxRows = 168;

const width = packableOf(emptyTally()).length;

/** `rows` by hour or day; `first` is the one that is counted from. Null: a number is too large to be packed. */
export function packRows(rows: ReadonlyMap<number, Tally>, first: number): Uint8Array | null {
  const present = [...rows].toSorted(([a], [b]) => a - b);
  const numbers = present.map(([, tally]) => relative(packableOf(tally)));
  if (numbers.some((row) => row.some((value) => Math.abs(value) >= maxPacked))) return null;
  const columns = Array.from({ length: width }, (_, index) => numbers.map((row) => row[index] ?? 0));
  const constant = columns.map((values) => values.every((value) => value === values[0]));
  const writer = new ByteWriter();
  writer.varint(present.length);
  writeColumn(
    writer,
    present.map(([at], index) => at - (present[index - 1]?.[0] ?? first)),
  );
  writer.varint(constant.reduce((bits, is, index) => bits + (is ? 2 ** index : 0), 0));
  for (const [index, values] of columns.entries()) {
    const centre = values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
    writer.varint(zigzag(centre));
    if (constant[index] === true) continue;
    writeColumn(
      writer,
      values.map((value) => zigzag(value - centre)),
    );
  }
  return writer.finish();
}

/** What packRows packed, oldest first. Throws a DamagedBytesError. */
export function unpackRows(bytes: Uint8Array, first: number): Map<number, Tally> {
  const { ats, columns } = readRows(bytes, first, width);
  const rows = new Map<number, Tally>();
  for (const [row, at] of ats.entries()) {
    const value = (column: number) => columns[column]?.[row] ?? 0;
    const [up, degraded, minMs, maxMs] = [value(4), value(5), value(10), value(11)];
    rows.set(at, {
      secs: { up: value(0), degraded: value(1), down: value(2), unknown: value(3) },
      counts: { up, degraded, down: value(6), unknown: value(7) },
      latency: {
        count: value(8) + up + degraded,
        sumMs: value(9),
        minMs: minMs < 0 ? null : minMs,
        maxMs: maxMs < 0 ? null : maxMs,
        histogram: new Map(),
      },
    });
  }
  return rows;
}

/** The credited seconds alone, a column for each status. */
export interface SecsOfRows {
  /** The hour or day of each row, oldest first. */
  readonly ats: readonly number[];
  readonly columns: readonly Float64Array[];
}

/** Up, degraded, down, unknown. Throws a DamagedBytesError. */
export function readSecs(bytes: Uint8Array, first: number): SecsOfRows {
  return readRows(bytes, first, 4);
}

/** The first `count` columns, as they are packed but for their centres. */
function readRows(bytes: Uint8Array, first: number, count: number): SecsOfRows {
  const reader = new ByteReader(bytes);
  const length = reader.varint();
  if (length > maxRows) throw new DamagedBytesError('there are more rollups than a week has hours');
  const steps = readColumn(reader, length, new Float64Array(length));
  const constant = reader.varint();
  const columns: Float64Array[] = [];
  for (let index = 0; index < count; index++) {
    const centre = unzigzag(reader.varint());
    const values = new Float64Array(length);
    columns.push(values);
    if (((constant >> index) & 1) === 1) values.fill(centre);
    else {
      readColumn(reader, length, values);
      for (let row = 0; row < length; row++) values[row] = centre + unzigzag(values[row] ?? 0);
    }
  }
  const ats: number[] = [];
  let at = first;
  for (let row = 0; row < length; row++) ats.push((at += steps[row] ?? 0));
  return { ats, columns };
}

/** Latencies are counted of samples that are up or degraded: mostly of all of them. */
function relative(numbers: readonly number[]): number[] {
  return numbers.map((value, index) => (index === 8 ? value - (numbers[4] ?? 0) - (numbers[5] ?? 0) : value));
}
