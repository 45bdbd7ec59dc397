/** Packs a monitor's finished hours: rows into blocks, hourly rollups into daily ones. */
import type { Sql } from '../store/sql.ts';
import { packSamples } from './codec.ts';
import { writeHour } from './keep.ts';
import type { SampleOwner } from './owner.ts';
import { addRollup, readRollup, writeRollup } from './rollups.ts';
import { dayOfHour, hourSecs, slotOf } from './slots.ts';
import { byHour, reachHours, rowsThrough } from './stored.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

/** Packs every hour up to and including `hour` (since the epoch) that is not yet packed; answers the owner after. */
export function packThrough(sql: Sql, owner: SampleOwner, hour: number): SampleOwner {
  if (hour < owner.packedBefore) return owner;
  const rows = byHour(rowsThrough(sql, owner.key, hour));
  for (const [packedHour, samples] of rows) {
    writeHour(sql, slotOf(packedHour, owner.key), packSamples(samples, packedHour * hourSecs));
  }
  if (rows.size > 0) {
    sql.run('DELETE FROM samples WHERE monitor = ? AND secs < ?', owner.key, (hour + 1) * hourSecs);
  }
  const days = new Map<number, Tally>();
  for (const each of creditedHours(owner.packedBefore, hour, [...rows.keys()])) {
    const slot = slotOf(each, owner.key);
    const tally = readRollup(sql, 'hourly', slot);
    if (tally === null) continue;
    writeRollup(sql, 'hourly', { slot, tally });
    const day = days.get(dayOfHour(each)) ?? emptyTally();
    addTally(day, tally);
    days.set(dayOfHour(each), day);
  }
  for (const [day, tally] of days) addRollup(sql, 'daily', { slot: slotOf(day, owner.key), tally });
  sql.run('UPDATE monitors SET packed_before = ? WHERE key = ?', hour + 1, owner.key);
  return { ...owner, packedBefore: hour + 1 };
}

/**
 * The hours from `from` to `to` that can hold anything: those with samples, or within reach of one. A monitor whose
 * first sample came under a clock that stood in 1970 has half a million others.
 */
function* creditedHours(from: number, to: number, sampled: readonly number[]): Generator<number> {
  let next = from;
  for (const hour of [from, ...sampled]) {
    for (next = Math.max(next, hour); next <= Math.min(hour + reachHours, to); next++) yield next;
  }
}
