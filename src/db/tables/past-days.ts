/** Imported history: daily uptime that another program measured, without samples. */
import { createMonitor, findOwner } from '../samples/owner.ts';
import { DailyRollups } from '../samples/kept-rollups.ts';
import { writeRollup } from '../samples/rollups.ts';
import { maxSecs } from '../samples/sample.ts';
import { dayOfHour, daySecs, hourOf, slotOf } from '../samples/slots.ts';
import { emptyTally } from '../samples/tally.ts';
import type { Json } from '../store/operation.ts';
import { type Field, FieldError, instant, list, monitorId, text, whole } from './fields.ts';
import { declareWrite } from './write.ts';

/** A UTC day since the epoch, then its seconds and checks that were up and down. */
export type PastDay = readonly [day: number, upSecs: number, downSecs: number, up: number, down: number];

const day = whole(0, dayOfHour(hourOf(maxSecs)));
const secs = whole(0, daySecs);
const checks = whole(0, 10_000_000);

const pastDay: Field<PastDay> = (value) => {
  if (!isList(value) || value.length !== 5) throw new FieldError('expected a day of five numbers');
  const read: PastDay = [day(value[0]), secs(value[1]), secs(value[2]), checks(value[3]), checks(value[4])];
  if (read[1] + read[2] > daySecs) throw new FieldError('expected no more seconds than a day has');
  return read;
};

/** A year, and a day more in a leap year. */
export const maxPastDays = 366;

/**
 * Keeps the days of a monitor that nothing is known of: days with a rollup stay as they are, so that what was
 * measured here wins and a repetition changes nothing, and so do days whose hours are not all packed. A monitor
 * the store has not seen begins at `at`, not in the past, or a heartbeat would be overdue. Answers how many days
 * were kept.
 */
export const addPastDays = declareWrite(
  'history.days',
  { monitor: monitorId, name: text(200), at: instant, days: list(pastDay, maxPastDays) },
  (sql, { monitor, name, at, days }) => {
    if (findOwner(sql, monitor) === null) createMonitor(sql, { id: monitor, name, at });
    const owner = findOwner(sql, monitor);
    if (owner === null) throw new Error('a monitor that was just inserted is not there');
    const known = new DailyRollups(sql, owner.key);
    let kept = 0;
    let oldestHour = owner.oldestHour;
    for (const [number, upSecs, downSecs, up, down] of days) {
      if ((number + 1) * 24 > owner.packedBefore || known.readSecs(number) !== null) continue;
      const tally = emptyTally();
      tally.secs.up = upSecs;
      tally.secs.down = downSecs;
      tally.counts.up = up;
      tally.counts.down = down;
      writeRollup(sql, 'daily', { slot: slotOf(number, owner.key), tally });
      oldestHour = Math.min(oldestHour, number * 24);
      kept++;
    }
    // Caches of older days are read again.
    if (kept > 0) {
      sql.run(
        'UPDATE monitors SET oldest_hour = ?, rewrites = rewrites + 1 WHERE key = ?',
        oldestHour,
        owner.key,
      );
    }
    return kept;
  },
);

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
