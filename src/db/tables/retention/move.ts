/** Moves hours of samples out of memory, once they are kept elsewhere. */
import { writePackedDay, packDay } from '../../samples/hourly-days.ts';
import { findOwner, type SampleOwner } from '../../samples/owner.ts';
import { oldestBucket, readRollup } from '../../samples/rollups.ts';
import { maxSecs, type SampleNote } from '../../samples/sample.ts';
import { dayOfHour, firstSlotOf, hourOf, hourSecs, slotOf } from '../../samples/slots.ts';
import type { OldHour } from '../../samples/stored.ts';
import type { Tally } from '../../samples/tally.ts';
import type { Operation } from '../../store/operation.ts';
import type { Sql, SqlReader } from '../../store/sql.ts';
import { list, monitorId, whole } from '../fields.ts';
import { declareWrite } from '../write.ts';

const hour = whole(0, hourOf(maxSecs));

/** What is moved of an hour of a monitor. */
export interface MovedHour extends OldHour {
  /** Of the monitor. */
  readonly key: number;
  /** The histogram of its latencies, packed; null: nothing was measured. */
  readonly latencies: Uint8Array | null;
}

/** The hours of a monitor from `from` until before `to`, and what takes them out of memory. */
export interface MonitorMove {
  readonly key: number;
  readonly from: number;
  readonly to: number;
  readonly hours: readonly MovedHour[];
  readonly operation: Operation;
}

/**
 * Lets go of the samples of a monitor before an hour, which the table `history` has: hours before `pruned_before` are
 * what it says, hours from there on are what is here. Nothing happens when samples came late since it was planned
 * (`rewrites`). `kept` are hours whose samples figures still need. Answers whether it was done.
 */
export const moveHours = declareWrite(
  'samples.move',
  { monitor: monitorId, before: hour, rewrites: whole(0, Number.MAX_SAFE_INTEGER), kept: list(hour, 10_000) },
  (sql, { monitor, before, rewrites, kept }) => {
    const owner = findOwner(sql, monitor);
    const found = sql.get('SELECT rewrites FROM monitors WHERE id = ?', [monitor], (row) =>
      row.number('rewrites'),
    );
    if (owner === null || found !== rewrites || before > owner.packedBefore) return false;
    const from = firstHourHere(sql, owner, before);
    const needed = new Set(kept);
    for (let each = from; each < before; each++) {
      const slot = slotOf(each, owner.key);
      if (!needed.has(each)) sql.run('DELETE FROM packed_hours WHERE slot = ?', slot);
      sql.run('UPDATE hourly SET latencies = NULL WHERE slot = ?', slot);
    }
    sql.run('DELETE FROM remarks WHERE monitor = ? AND secs < ?', owner.key, before * hourSecs);
    for (let day = dayOfHour(from); (day + 1) * 24 <= before; day++) packRollups(sql, owner.key, day);
    sql.run('UPDATE monitors SET pruned_before = max(pruned_before, ?) WHERE key = ?', before, owner.key);
    return true;
  },
);

/** Lets go of samples before an hour that were left when their hours were moved. Answers of how many hours. */
export const pruneLeft = declareWrite('samples.left', { before: hour }, (sql, { before }) =>
  sql.run(
    `DELETE FROM packed_hours WHERE slot < ?1
       AND slot / ?2 < (SELECT pruned_before FROM monitors WHERE key = packed_hours.slot % ?2)`,
    firstSlotOf(before),
    firstSlotOf(1),
  ),
);

function firstHourHere(sql: SqlReader, owner: SampleOwner, end: number): number {
  return Math.max(owner.oldestHour, owner.prunedBefore, oldestHourHere(sql) ?? end);
}

function oldestHourHere(sql: SqlReader): number | null {
  const oldest = [oldestBucket(sql, 'hourly'), oldestBucket(sql, 'packed_hours')].filter(
    (each) => each !== null,
  );
  return oldest.length === 0 ? null : Math.min(...oldest);
}

function packRollups(sql: Sql, key: number, day: number): void {
  const hours = new Map<number, Tally>();
  for (let each = day * 24; each < (day + 1) * 24; each++) {
    const tally = readRollup(sql, 'hourly', slotOf(each, key));
    if (tally !== null) hours.set(each, tally);
  }
  const packed = hours.size === 0 ? null : packDay(hours);
  if (packed === null) return;
  writePackedDay(sql, slotOf(day, key), packed);
  for (const each of hours.keys()) sql.run('DELETE FROM hourly WHERE slot = ?', slotOf(each, key));
}

export interface MovePlanOptions {
  /** The first hour that stays. */
  readonly before: number;
  /** Hours at most, and monitors at most. */
  readonly hours: number;
  readonly monitors: number;
  /** The hours of a stretch of a monitor whose samples figures go on to need. */
  readonly keptHoursOf: (
    monitor: string,
    key: number,
    span: { from: number; to: number },
  ) => readonly number[];
}

/** What is to be moved next; none: everything is where it should be. */
export function planMoves(
  sql: SqlReader,
  { before, hours, monitors, keptHoursOf }: MovePlanOptions,
): MonitorMove[] {
  const oldest = oldestHourHere(sql) ?? before;
  // The hour of the latest sample stays: what follows it is then always late where it has been moved.
  const due = sql.all(
    `SELECT key, id, rewrites, max(oldest_hour, pruned_before, ?2) AS from_hour,
       min(?1, packed_before, tail_secs / ${hourSecs}) AS to_hour
     FROM monitors WHERE tail_secs IS NOT NULL
       AND max(oldest_hour, pruned_before) < min(?1, packed_before, tail_secs / ${hourSecs}) ORDER BY key LIMIT ?3`,
    [before, oldest, monitors],
    (row) => ({
      key: row.number('key'),
      id: row.text('id'),
      rewrites: row.number('rewrites'),
      from: row.number('from_hour'),
      end: row.number('to_hour'),
    }),
  );
  const moves: MonitorMove[] = [];
  let left = hours;
  for (const { key, id, rewrites, from, end } of due) {
    if (left <= 0) break;
    const to = Math.min(end, from + left);
    left -= Math.max(1, to - from);
    moves.push({
      key,
      from: Math.min(from, to),
      to,
      hours: hoursOf(sql, key, { from, to }),
      operation: moveHours({ monitor: id, before: to, rewrites, kept: keptHoursOf(id, key, { from, to }) }),
    });
  }
  return moves;
}

function hoursOf(sql: SqlReader, key: number, { from, to }: { from: number; to: number }): MovedHour[] {
  const remarks = new Map<number, SampleNote[]>();
  const noted = sql.all(
    'SELECT secs, category, message FROM remarks WHERE monitor = ? AND secs < ? ORDER BY secs, id',
    [key, to * hourSecs],
    (row) => ({
      at: row.number('secs') * 1000,
      category: row.textOrNull('category') as SampleNote['category'],
      message: row.textOrNull('message'),
    }),
  );
  for (const note of noted) {
    const its = Math.max(from, hourOf(note.at / 1000));
    remarks.set(its, [...(remarks.get(its) ?? []), note]);
  }
  const found: MovedHour[] = [];
  for (let each = from; each < to; each++) {
    const slot = slotOf(each, key);
    const block = sql.get('SELECT block FROM packed_hours WHERE slot = ?', [slot], (row) =>
      row.bytes('block'),
    );
    const latencies = sql.get('SELECT latencies FROM hourly WHERE slot = ?', [slot], (row) =>
      row.bytesOrNull('latencies'),
    );
    const its = remarks.get(each) ?? [];
    if (block !== null || latencies !== null || its.length > 0)
      found.push({ key, hour: each, block, latencies, remarks: its });
  }
  return found;
}
