/** Reads samples back from where they lie: packed hours first, then the rows of the last hours. */
import type { Row, SqlReader } from '../sql.ts';
import { DamagedBytesError } from './bytes.ts';
import { unpackSamples } from './codec.ts';
import type { Owner } from './owner.ts';
import { maxHoldSecs, type Sample, statusByCode } from './sample.ts';
import { hourOf, hourSecs, slotOf } from './slots.ts';

/** A stretch of time in epoch seconds: `fromSecs` is in it, `toSecs` is not. */
export interface Span {
  readonly fromSecs: number;
  readonly toSecs: number;
}

/** No sample speaks for longer, so neighbours further away than this many hours do not matter. */
export const reachHours = Math.ceil(maxHoldSecs / hourSecs) + 1;

const columns = 'secs, status, latency_ms, hold_secs, is_heartbeat';

/** The samples of an owner within a span, oldest first. Throws a DamagedBytesError when a block is damaged. */
export function samplesWithin(sql: SqlReader, owner: Owner, span: Span): Sample[] {
  return within(sql, { owner, span, read: readHour });
}

/** Likewise, without the hours whose block is damaged. */
export function readableWithin(sql: SqlReader, owner: Owner, span: Span): Sample[] {
  return within(sql, { owner, span, read: readHourOrNone });
}

interface Search {
  readonly owner: Owner;
  readonly span: Span;
  readonly read: typeof readHour;
}

function within(sql: SqlReader, { owner, span, read }: Search): Sample[] {
  const found: Sample[] = [];
  const lastPacked = Math.min(hourOf(span.toSecs - 1), owner.packedBefore - 1);
  for (let hour = Math.max(hourOf(span.fromSecs), owner.prunedBefore); hour <= lastPacked; hour++) {
    for (const sample of read(sql, owner.key, hour) ?? []) {
      if (sample.at >= span.fromSecs * 1000 && sample.at < span.toSecs * 1000) found.push(sample);
    }
  }
  return found.concat(
    sql.all(
      `SELECT ${columns} FROM samples WHERE monitor = ? AND secs >= ? AND secs < ? ORDER BY secs, n`,
      [owner.key, span.fromSecs, span.toSecs],
      sampleOf,
    ),
  );
}

/** The samples of a packed hour, or null when there is no block. Throws a DamagedBytesError. */
export function readHour(sql: SqlReader, key: number, hour: number): Sample[] | null {
  const block = sql.get('SELECT block FROM packed_hours WHERE slot = ?', [slotOf(hour, key)], (row) =>
    row.bytes('block'),
  );
  return block === null ? null : unpackSamples(block, hour * hourSecs);
}

function readHourOrNone(sql: SqlReader, key: number, hour: number): Sample[] | null {
  try {
    return readHour(sql, key, hour);
  } catch (error) {
    if (error instanceof DamagedBytesError) return null;
    throw error;
  }
}

/** The last sample at or before a second that could still speak at it. */
export function sampleBefore(sql: SqlReader, owner: Owner, secs: number): Sample | null {
  const row = sql.get(
    `SELECT ${columns} FROM samples WHERE monitor = ? AND secs <= ? ORDER BY secs DESC, n DESC LIMIT 1`,
    [owner.key, secs],
    sampleOf,
  );
  if (row !== null) return row;
  const last = hourOf(secs);
  const first = Math.max(owner.prunedBefore, last - reachHours);
  for (let hour = Math.min(last, owner.packedBefore - 1); hour >= first; hour--) {
    const found = readHour(sql, owner.key, hour)?.findLast((sample) => sample.at <= secs * 1000);
    if (found !== undefined) return found;
  }
  return null;
}

/** The first sample after a second, or, when it is too far away to matter, the owner's latest; null when there is none. */
export function sampleAfter(sql: SqlReader, owner: Owner, secs: number): Sample | null {
  if (owner.tail === null || owner.tail.at <= secs * 1000) return null;
  const first = hourOf(secs);
  const last = Math.min(owner.packedBefore - 1, first + reachHours);
  for (let hour = Math.max(first, owner.prunedBefore); hour <= last; hour++) {
    const found = readHour(sql, owner.key, hour)?.find((sample) => sample.at > secs * 1000);
    if (found !== undefined) return found;
  }
  const row = sql.get(
    `SELECT ${columns} FROM samples WHERE monitor = ? AND secs > ? ORDER BY secs, n LIMIT 1`,
    [owner.key, secs],
    sampleOf,
  );
  return row ?? owner.tail;
}

/** The samples of an owner that lie in rows, before the end of an hour, oldest first. */
export function rowsThrough(sql: SqlReader, key: number, hour: number): Sample[] {
  return sql.all(
    `SELECT ${columns} FROM samples WHERE monitor = ? AND secs < ? ORDER BY secs, n`,
    [key, (hour + 1) * hourSecs],
    sampleOf,
  );
}

/** Samples by the hour (since the epoch) they lie in, each hour in the order given. */
export function byHour(samples: readonly Sample[]): Map<number, Sample[]> {
  const hours = new Map<number, Sample[]>();
  for (const sample of samples) {
    const hour = hourOf(sample.at / 1000);
    const ofHour = hours.get(hour);
    if (ofHour === undefined) hours.set(hour, [sample]);
    else ofHour.push(sample);
  }
  return hours;
}

function sampleOf(row: Row): Sample {
  return {
    at: row.number('secs') * 1000,
    status: statusByCode[row.number('status')] ?? 'unknown',
    latencyMs: row.numberOrNull('latency_ms'),
    holdSecs: row.number('hold_secs'),
    isHeartbeat: row.number('is_heartbeat') === 1,
  };
}
