/** Reads samples back from where they lie: packed hours first, then the rows of the last hours. */
import type { SqlRow, SqlReader } from '../store/sql.ts';
import { DamagedBytesError } from './bytes.ts';
import { unpackInto, unpackSamples } from './codec.ts';
import { SampleColumns } from './columns.ts';
import type { SampleOwner } from './owner.ts';
import { maxHoldSecs, type SampleNote, type StoredSample, statusByCode } from './sample.ts';
import { hourOf, hourSecs, slotOf } from './slots.ts';

/** A stretch of time in epoch seconds: `fromSecs` is in it, `toSecs` is not. */
export interface SecondsSpan {
  readonly fromSecs: number;
  readonly toSecs: number;
}

/** An hour (since the epoch) of samples that is not in memory any more, packed; null: it had none. */
export interface OldHour {
  readonly hour: number;
  readonly block: Uint8Array | null;
  readonly remarks: readonly SampleNote[];
}

/** No sample covers longer, so neighbours further away than this many hours do not matter. */
export const reachHours = Math.ceil(maxHoldSecs / hourSecs) + 1;

const columnNames = 'secs, status, latency_ms, hold_secs, is_heartbeat';

/** A stretch of one owner's samples, and the callback that gets each of them by index, part by part. */
interface Search {
  readonly owner: SampleOwner;
  readonly span: SecondsSpan;
  readonly visit: (columns: SampleColumns, index: number) => void;
  /** Of the owner, ascending. */
  readonly older?: readonly OldHour[];
}

/** The samples of an owner within a span, oldest first. Throws a DamagedBytesError when a block is damaged. */
export function samplesWithin(
  sql: SqlReader,
  owner: SampleOwner,
  { older = [], ...span }: SecondsSpan & Pick<Search, 'older'>,
): StoredSample[] {
  const found: StoredSample[] = [];
  const visit = (columns: SampleColumns, index: number) => found.push(columns.sample(index));
  visitWithin(sql, { owner, span, visit, older }, unpackInto);
  return found;
}

/** Likewise, without the hours whose block is damaged. */
export function readableWithin(
  sql: SqlReader,
  owner: SampleOwner,
  { older = [], ...span }: SecondsSpan & Pick<Search, 'older'>,
): StoredSample[] {
  const found: StoredSample[] = [];
  const visit = (columns: SampleColumns, index: number) => found.push(columns.sample(index));
  visitReadable(sql, { owner, span, visit, older });
  return found;
}

/** Likewise, one by one, without an object for each: for months of them. */
export function visitReadable(sql: SqlReader, search: Search): void {
  visitWithin(sql, search, unpackIfReadable);
}

function visitWithin(
  sql: SqlReader,
  { owner, span, visit, older = [] }: Search,
  unpack: typeof unpackInto,
): void {
  const columns = new SampleColumns();
  const { key, oldestHour, prunedBefore, packedBefore } = owner;
  for (const { hour, block } of older) {
    // Others are here, too, or nowhere: see moveHours.
    if (block === null || hour >= prunedBefore || hour < oldestHour) continue;
    unpack(columns, block, hour * hourSecs);
    visitAmong(columns, span, visit);
  }
  const last = Math.min(hourOf(span.toSecs - 1), packedBefore - 1);
  for (let hour = Math.max(hourOf(span.fromSecs), oldestHour, prunedBefore); hour <= last; hour++) {
    const block = readBlock(sql, key, hour);
    if (block === null) continue;
    unpack(columns, block, hour * hourSecs);
    visitAmong(columns, span, visit);
  }
  columns.fill(
    sql.all(
      `SELECT ${columnNames} FROM samples WHERE monitor = ? AND secs >= ? AND secs < ? ORDER BY secs, n`,
      [key, span.fromSecs, span.toSecs],
      sampleOf,
    ),
  );
  visitAmong(columns, span, visit);
}

function visitAmong(columns: SampleColumns, { fromSecs, toSecs }: SecondsSpan, visit: Search['visit']): void {
  const { ats, length } = columns;
  const fromAt = fromSecs * 1000;
  const toAt = toSecs * 1000;
  for (let index = 0; index < length; index++) {
    const at = ats[index] ?? 0;
    if (at >= fromAt && at < toAt) visit(columns, index);
  }
}

function unpackIfReadable(columns: SampleColumns, block: Uint8Array, originSecs: number): void {
  try {
    unpackInto(columns, block, originSecs);
  } catch (error) {
    if (!(error instanceof DamagedBytesError)) throw error;
  }
}

/** The samples of a packed hour, or null when there is no block. Throws a DamagedBytesError. */
export function readHour(sql: SqlReader, key: number, hour: number): StoredSample[] | null {
  const block = readBlock(sql, key, hour);
  return block === null ? null : unpackSamples(block, hour * hourSecs);
}

/** Whether there are samples of an hour of a monitor in memory. */
export function hasSamples(sql: SqlReader, key: number, hour: number): boolean {
  if (readBlock(sql, key, hour) !== null) return true;
  const span = [key, hour * hourSecs, (hour + 1) * hourSecs];
  const found = 'SELECT 1 AS found FROM samples WHERE monitor = ? AND secs >= ? AND secs < ? LIMIT 1';
  return sql.get(found, span, () => true) === true;
}

function readBlock(sql: SqlReader, key: number, hour: number): Uint8Array | null {
  return sql.get('SELECT block FROM packed_hours WHERE slot = ?', [slotOf(hour, key)], blockOf);
}

function blockOf(row: SqlRow): Uint8Array {
  return row.bytes('block');
}

/** The last sample at or before a second that may still count at it. */
export function sampleBefore(sql: SqlReader, owner: SampleOwner, secs: number): StoredSample | null {
  const row = sql.get(
    `SELECT ${columnNames} FROM samples WHERE monitor = ? AND secs <= ? ORDER BY secs DESC, n DESC LIMIT 1`,
    [owner.key, secs],
    sampleOf,
  );
  if (row !== null) return row;
  const last = hourOf(secs);
  const first = Math.max(owner.oldestHour, owner.prunedBefore, last - reachHours);
  for (let hour = Math.min(last, owner.packedBefore - 1); hour >= first; hour--) {
    const found = readHour(sql, owner.key, hour)?.findLast((sample) => sample.at <= secs * 1000);
    if (found !== undefined) return found;
  }
  return null;
}

/** Hours that were moved were left here where something is known to look into them: see keptHours. */
const withMoved = (owner: SampleOwner): SampleOwner => ({ ...owner, prunedBefore: 0 });

/** As readableWithin, with what was left of hours that were moved. */
export function keptWithin(sql: SqlReader, owner: SampleOwner, span: SecondsSpan): StoredSample[] {
  return readableWithin(sql, withMoved(owner), span);
}

/** As sampleBefore, likewise. */
export function keptBefore(sql: SqlReader, owner: SampleOwner, secs: number): StoredSample | null {
  return sampleBefore(sql, withMoved(owner), secs);
}

/** The first sample after a second, or, when it is too far away to matter, the owner's latest; null when there is none. */
export function sampleAfter(sql: SqlReader, owner: SampleOwner, secs: number): StoredSample | null {
  if (owner.tail === null || owner.tail.at <= secs * 1000) return null;
  const first = hourOf(secs);
  const last = Math.min(owner.packedBefore - 1, first + reachHours);
  for (let hour = Math.max(first, owner.prunedBefore); hour <= last; hour++) {
    const found = readHour(sql, owner.key, hour)?.find((sample) => sample.at > secs * 1000);
    if (found !== undefined) return found;
  }
  const row = sql.get(
    `SELECT ${columnNames} FROM samples WHERE monitor = ? AND secs > ? ORDER BY secs, n LIMIT 1`,
    [owner.key, secs],
    sampleOf,
  );
  return row ?? owner.tail;
}

/** The samples of an owner that lie in rows, before the end of an hour, oldest first. */
export function rowsThrough(sql: SqlReader, key: number, hour: number): StoredSample[] {
  return sql.all(
    `SELECT ${columnNames} FROM samples WHERE monitor = ? AND secs < ? ORDER BY secs, n`,
    [key, (hour + 1) * hourSecs],
    sampleOf,
  );
}

/** Samples by the hour (since the epoch) they lie in, each hour in the order given. */
export function byHour(samples: readonly StoredSample[]): Map<number, StoredSample[]> {
  const hours = new Map<number, StoredSample[]>();
  for (const sample of samples) {
    const hour = hourOf(sample.at / 1000);
    const ofHour = hours.get(hour);
    if (ofHour === undefined) hours.set(hour, [sample]);
    else ofHour.push(sample);
  }
  return hours;
}

function sampleOf(row: SqlRow): StoredSample {
  return {
    at: row.number('secs') * 1000,
    status: statusByCode[row.number('status')] ?? 'unknown',
    latencyMs: row.numberOrNull('latency_ms'),
    holdSecs: row.number('hold_secs'),
    isHeartbeat: row.number('is_heartbeat') === 1,
  };
}
