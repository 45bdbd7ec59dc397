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
import { emptyTally, packableOf, type Tally, tallyOfPacked } from './tally.ts';

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
  const rows = new Map<number, Tally>();
  visitRows(bytes, { first, width }, (at, numbers) => {
    rows.set(at, tallyOfPacked(absolute(numbers)));
  });
  return rows;
}

/** Reports the credited seconds of each row alone: up, degraded, down, unknown. Throws a DamagedBytesError. */
export function visitSecs(
  bytes: Uint8Array,
  first: number,
  visit: (at: number, secs: readonly number[]) => void,
): void {
  visitRows(bytes, { first, width: 4 }, visit);
}

function visitRows(
  bytes: Uint8Array,
  part: { readonly first: number; readonly width: number },
  visit: (at: number, numbers: readonly number[]) => void,
): void {
  const reader = new ByteReader(bytes);
  const length = reader.varint();
  if (length > maxRows) throw new DamagedBytesError('there are more rollups than a week has hours');
  const steps = readColumn(reader, length, new Float64Array(0));
  const constant = reader.varint();
  const centres: number[] = [];
  const distances: (Float64Array | null)[] = [];
  for (let index = 0; index < part.width; index++) {
    centres.push(unzigzag(reader.varint()));
    const isConstant = ((constant >> index) & 1) === 1;
    distances.push(isConstant ? null : readColumn(reader, length, new Float64Array(0)));
  }
  let at = part.first;
  for (let row = 0; row < length; row++) {
    at += steps[row] ?? 0;
    visit(
      at,
      centres.map((centre, index) => centre + unzigzag(distances[index]?.[row] ?? 0)),
    );
  }
}

function relative(numbers: readonly number[]): number[] {
  return shifted(numbers, -1);
}

function absolute(numbers: readonly number[]): number[] {
  return shifted(numbers, 1);
}

/** Latencies are counted of samples that are up or degraded: mostly of all of them. */
function shifted(numbers: readonly number[], sign: 1 | -1): number[] {
  const [
    upSecs,
    degradedSecs,
    downSecs,
    unknownSecs,
    up = 0,
    degraded = 0,
    down,
    unknown,
    count = 0,
    ...rest
  ] = numbers;
  const same = [upSecs, degradedSecs, downSecs, unknownSecs, up, degraded, down, unknown].map(
    (value) => value ?? 0,
  );
  return [...same, count + sign * (up + degraded), ...rest];
}
