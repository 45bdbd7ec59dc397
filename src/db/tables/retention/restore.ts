/** Brings samples that were moved out of memory back, for a database that has all of its history in one file. */
import { unpackRollups } from '../../samples/kept-rollups.ts';
import { DamagedBytesError } from '../../samples/bytes.ts';
import { unpackSamples } from '../../samples/codec.ts';
import { hourSecs, slotOf } from '../../samples/slots.ts';
import { HourlyTallies } from '../../samples/tally.ts';
import { writeHour } from '../../samples/keep.ts';
import type { Sql } from '../../store/sql.ts';
import type { MovedHour } from './move.ts';

/** Reads the hours of a monitor that were moved, ascending. */
export type ReadMoved = (span: {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}) => Promise<readonly MovedHour[]>;

/** All of them, of every monitor. Rejects as `read` does; then the database is not to be used. */
export async function restoreHours(sql: Sql, read: ReadMoved): Promise<void> {
  unpackRollups(sql, 0, null);
  const moved = sql.all(
    'SELECT key, oldest_hour, pruned_before FROM monitors WHERE oldest_hour < pruned_before ORDER BY key',
    [],
    (row) => ({ key: row.number('key'), from: row.number('oldest_hour'), to: row.number('pruned_before') }),
  );
  for (const span of moved) {
    const hours = await read(span);
    sql.transaction(() => {
      for (const each of hours) restore(sql, each);
      const first = hours[0]?.hour;
      if (first !== undefined)
        sql.run('UPDATE monitors SET pruned_before = ? WHERE key = ?', first, span.key);
    });
  }
}

function restore(sql: Sql, { key, hour, block, latencies, remarks }: MovedHour): void {
  const slot = slotOf(hour, key);
  if (block !== null) writeHour(sql, slot, block);
  if (latencies !== null) sql.run('UPDATE hourly SET latencies = ? WHERE slot = ?', latencies, slot);
  if (block !== null) restoreBounds(sql, { slot, hour, block });
  for (const { at, category, message } of remarks)
    sql.run(
      'INSERT INTO remarks (monitor, secs, category, message) VALUES (?, ?, ?, ?)',
      key,
      at / 1000,
      category,
      message,
    );
}

/** The least and the greatest latency, which rollups that were packed by the week do not have. */
function restoreBounds(
  sql: Sql,
  { slot, hour, block }: { readonly slot: number; readonly hour: number; readonly block: Uint8Array },
): void {
  const tallies = new HourlyTallies();
  try {
    tallies.count(unpackSamples(block, hour * hourSecs));
  } catch (error) {
    if (!(error instanceof DamagedBytesError)) throw error;
  }
  const latency = tallies.hours.get(hour)?.latency;
  if (latency === undefined) return;
  sql.run(
    'UPDATE hourly SET latency_min_ms = ?, latency_max_ms = ? WHERE slot = ?',
    latency.minMs,
    latency.maxMs,
    slot,
  );
}
