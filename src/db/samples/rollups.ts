/** The hourly and daily rollups: one row a monitor and hour, or UTC day, that only ever has tallies added to it. */
import type { SqlRow, Sql, SqlReader } from '../store/sql.ts';
import { DamagedBytesError } from './bytes.ts';
import { bucketCount, type Histogram, packHistogram, unpackHistogram } from './histogram.ts';
import { bucketOfSlot } from './slots.ts';
import { addTally, addToHistogram, type ByStatus, emptyTally, numbersOf, type Tally } from './tally.ts';

export type RollupTable = 'hourly' | 'daily';

const numbers = `up_secs, degraded_secs, down_secs, unknown_secs, up, degraded, down, unknown,
  latency_count, latency_sum_ms, latency_min_ms, latency_max_ms`;

const statements = {
  hourly: statementsOf('hourly'),
  daily: statementsOf('daily'),
} as const;

function statementsOf(table: RollupTable) {
  return {
    get: `SELECT ${numbers}, latencies, recent_latencies FROM ${table} WHERE slot = ?`,
    secs: `SELECT up_secs, degraded_secs, down_secs, unknown_secs FROM ${table} WHERE slot = ?`,
    put: `INSERT OR REPLACE INTO ${table} (slot, ${numbers}, latencies) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
  };
}

/** The tally of one slot, or null when nothing fell into it. */
export function readRollup(sql: SqlReader, table: RollupTable, slot: number): Tally | null {
  return sql.get(statements[table].get, [slot], tallyOf);
}

/** The credited seconds of one slot alone, or null when nothing fell into it. */
export function readRollupSecs(sql: SqlReader, table: RollupTable, slot: number): ByStatus | null {
  return sql.get(statements[table].secs, [slot], secsOf);
}

export type WeekTable = 'hourly_weeks' | 'daily_weeks' | 'latency_weeks';

/** The average latency of a day, not rounded; null: nothing was measured, or nothing fell into it. */
export function readRollupAverage(sql: SqlReader, slot: number): number | null {
  return sql.get(
    'SELECT latency_sum_ms * 1.0 / latency_count AS average FROM daily WHERE slot = ? AND latency_count > 0',
    [slot],
    (row) => row.number('average'),
  );
}

/** The first hour, day or week that the table holds anything for, of any monitor; null when it is empty. */
export function oldestBucket(
  sql: SqlReader,
  table: RollupTable | WeekTable | 'packed_hours' | 'hourly_days' | 'maintained_days',
): number | null {
  const slot = sql.get(`SELECT min(slot) AS slot FROM ${table}`, [], (row) => row.numberOrNull('slot'));
  return slot === null ? null : bucketOfSlot(slot);
}

/** Adds a tally to the row of a slot. */
export function addRollup(
  sql: Sql,
  table: RollupTable,
  entry: { readonly slot: number; readonly tally: Tally },
): void {
  const sum = readRollup(sql, table, entry.slot) ?? emptyTally();
  addTally(sum, entry.tally);
  writeRollup(sql, table, { slot: entry.slot, tally: sum });
}

/** Writes the row of a slot anew. */
export function writeRollup(
  sql: Sql,
  table: RollupTable,
  entry: { readonly slot: number; readonly tally: Tally },
): void {
  const { slot, tally } = entry;
  const histogram = tally.latency.histogram.size === 0 ? null : packHistogram(tally.latency.histogram);
  sql.run(statements[table].put, slot, ...numbersOf(tally), histogram);
}

const addRunning = `
  INSERT INTO hourly (slot, ${numbers}, recent_latencies) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
  ON CONFLICT (slot) DO UPDATE SET
    up_secs = up_secs + excluded.up_secs,
    degraded_secs = degraded_secs + excluded.degraded_secs,
    down_secs = down_secs + excluded.down_secs,
    unknown_secs = unknown_secs + excluded.unknown_secs,
    up = up + excluded.up,
    degraded = degraded + excluded.degraded,
    down = down + excluded.down,
    unknown = unknown + excluded.unknown,
    latency_count = latency_count + excluded.latency_count,
    latency_sum_ms = latency_sum_ms + excluded.latency_sum_ms,
    latency_min_ms = coalesce(min(latency_min_ms, excluded.latency_min_ms), latency_min_ms, excluded.latency_min_ms),
    latency_max_ms = coalesce(max(latency_max_ms, excluded.latency_max_ms), latency_max_ms, excluded.latency_max_ms),
    recent_latencies = CAST(coalesce(recent_latencies, x'') || coalesce(excluded.recent_latencies, x'') AS BLOB)`;

/** What is to be added to an hour that is still to be packed. */
export interface RunningHour {
  readonly tally: Tally;
  /** Its latencies as they came (`recentOf`). */
  recent: readonly number[] | null;
}

/** Adds to an hour that is still to be packed: quicker, because its latencies are only noted down. */
export function addToRunningHour(sql: Sql, slot: number, { tally, recent }: RunningHour): void {
  sql.run(addRunning, slot, ...numbersOf(tally), recent === null ? null : Uint8Array.from(recent));
}

/** A bucket among those of a running hour: two bytes, the low one first. */
export function bytesOf(bucket: number): readonly [low: number, high: number] {
  return [bucket & 0xff, bucket >> 8];
}

/** The buckets of a histogram one by one; null for none. */
export function recentOf(histogram: Histogram): number[] | null {
  if (histogram.size === 0) return null;
  const bytes: number[] = [];
  for (const [bucket, count] of histogram) {
    for (let index = 0; index < count; index++) bytes.push(...bytesOf(bucket));
  }
  return bytes;
}

function tallyOf(row: SqlRow): Tally {
  return {
    secs: secsOf(row),
    counts: {
      up: row.number('up'),
      degraded: row.number('degraded'),
      down: row.number('down'),
      unknown: row.number('unknown'),
    },
    latency: {
      count: row.number('latency_count'),
      sumMs: row.number('latency_sum_ms'),
      minMs: row.numberOrNull('latency_min_ms'),
      maxMs: row.numberOrNull('latency_max_ms'),
      histogram: histogramOf(row),
    },
  };
}

function secsOf(row: SqlRow): ByStatus {
  return {
    up: row.number('up_secs'),
    degraded: row.number('degraded_secs'),
    down: row.number('down_secs'),
    unknown: row.number('unknown_secs'),
  };
}

function histogramOf(row: SqlRow): Map<number, number> {
  const histogram = new Map<number, number>();
  visitLatencies(row, (bucket, count) => {
    addToHistogram(histogram, bucket, count);
  });
  return histogram;
}

/**
 * Reports the latencies of a row with the columns `latencies` and `recent_latencies`, bucket by bucket. A damaged
 * histogram costs its percentiles and nothing else: a sample must never fail to be kept over it.
 */
export function visitLatencies(row: SqlRow, visit: (bucket: number, count: number) => void): void {
  const recent = row.bytesOrNull('recent_latencies') ?? [];
  for (let index = 0; index + 1 < recent.length; index += 2) {
    const bucket = (recent[index] ?? 0) + (recent[index + 1] ?? 0) * 256;
    if (bucket < bucketCount) visit(bucket, 1);
  }
  const packed = row.bytesOrNull('latencies');
  if (packed === null) return;
  try {
    unpackHistogram(packed, visit);
  } catch (error) {
    if (!(error instanceof DamagedBytesError)) throw error;
  }
}
