/** Packs rollups by the week, once the hours they are of have been moved out of memory. */
import { oldestBucket } from '../../samples/rollups.ts';
import { maxSecs } from '../../samples/sample.ts';
import { bucketOfSlot, dayOfHour, daySecs, firstSlotOf, hourOf } from '../../samples/slots.ts';
import { packWeek, weekDays, weekHours, weekOfDay } from '../../samples/weeks.ts';
import type { Operation } from '../../store/operation.ts';
import type { Sql, SqlReader } from '../../store/sql.ts';
import { list, whole } from '../fields.ts';
import { declareWrite } from '../write.ts';
import { latencyDays } from './retention.ts';

/** Packs a week of the monitors with these keys whose samples of it have been moved. Answers of how many. */
export const packWeeks = declareWrite(
  'rollups.pack',
  {
    week: whole(0, weekOfDay(dayOfHour(hourOf(maxSecs)))),
    keys: list(whole(1, Number.MAX_SAFE_INTEGER), 1000),
  },
  (sql, { week, keys }) => {
    const end = (week + 1) * weekHours;
    const moved = keys.filter(
      (key) =>
        sql.get(
          'SELECT 1 AS moved FROM monitors WHERE key = ? AND pruned_before >= ?',
          [key, end],
          () => true,
        ) ?? false,
    );
    for (const key of moved) packWeek(sql, key, week);
    return moved.length;
  },
);

/**
 * Lets go of what nobody looks at and weeks do not keep, where samples cannot bring it back: latencies of days that the
 * heatmap is past, and those of hours whose samples are gone. For a file that is copied to where weeks are packed.
 */
export function forgetUnshown(sql: Sql, now: number): void {
  const firstDay = Math.floor(now / 1000 / daySecs) - latencyDays;
  sql.run('UPDATE daily SET latencies = NULL WHERE slot < ?', firstSlotOf(firstDay));
  sql.run(
    `UPDATE hourly SET latencies = NULL, latency_min_ms = NULL, latency_max_ms = NULL
     WHERE slot / ?1 < (SELECT pruned_before FROM monitors WHERE key = hourly.slot % ?1)`,
    firstSlotOf(1),
  );
}

/** A week of so many monitors is packed in a few milliseconds. */
const monitorsAStep = 8;

/**
 * One after the other what is to be packed of weeks that end before the hour `before`, each to be done before the next is
 * asked for.
 */
export function* planWeeks(sql: SqlReader, before: number): Generator<Operation> {
  const oldest = oldestBucket(sql, 'daily');
  if (oldest === null) return;
  const last = Math.floor(before / weekHours) - 1;
  for (let week = weekOfDay(oldest); week <= last; week++) {
    if (isPartlyPruned(sql, week)) continue;
    const end = firstSlotOf((week + 1) * weekDays);
    for (let next = firstSlotOf(week * weekDays); ; ) {
      const slots = sql.all(
        'SELECT slot FROM daily WHERE slot >= ? AND slot < ? ORDER BY slot LIMIT ?',
        [next, end, monitorsAStep],
        (row) => row.number('slot'),
      );
      const at = slots.at(-1);
      if (at === undefined) break;
      const keys = [...new Set(slots.map((slot) => slot - firstSlotOf(bucketOfSlot(slot))))];
      yield packWeeks({ week, keys });
      next = at + 1;
    }
  }
}

/** The first of its hours are gone, and which they are must not be forgotten: it is packed when all of them are. */
function isPartlyPruned(sql: SqlReader, week: number): boolean {
  const day = oldestBucket(sql, 'hourly_days') ?? Infinity;
  const hour = Math.min(oldestBucket(sql, 'hourly') ?? Infinity, day * 24);
  if (Math.floor(hour / weekHours) !== week || hour % weekHours === 0) return false;
  const first = sql.get('SELECT min(oldest_hour) AS hour FROM monitors', [], (row) =>
    row.numberOrNull('hour'),
  );
  return (first ?? Infinity) < hour;
}
