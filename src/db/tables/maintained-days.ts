/**
 * The seconds that maintenance took of a monitor's days, recorded before the samples of the day are deleted: figures
 * about the day stay as they were. A table of its own, because daily rollups count all seconds and few days have maintenance.
 */
import { findOwner } from '../samples/owner.ts';
import { daySecs, slotOf } from '../samples/slots.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import { monitorId, whole } from './fields.ts';
import { declareWrite } from './write.ts';

export interface MaintainedDay {
  /** How many seconds of the day lay in windows. */
  readonly spanSecs: number;
  /** The seconds credited to each status meanwhile. */
  readonly secs: Readonly<ByStatus>;
}

const seconds = whole(0, daySecs);

/** Records a UTC day (since the epoch) of a monitor. The first record of a day counts: later ones lack its samples. */
export const keepMaintainedDay = declareWrite(
  'maintenance.day',
  {
    monitor: monitorId,
    day: whole(0, 100_000),
    span: seconds,
    up: seconds,
    degraded: seconds,
    down: seconds,
    unknown: seconds,
  },
  (sql, { monitor, day, span, up, degraded, down, unknown }) => {
    const owner = findOwner(sql, monitor);
    if (owner === null) return null;
    sql.run(
      `INSERT OR IGNORE INTO maintained_days
         (slot, span_secs, up_secs, degraded_secs, down_secs, unknown_secs) VALUES (?, ?, ?, ?, ?, ?)`,
      slotOf(day, owner.key),
      span,
      up,
      degraded,
      down,
      unknown,
    );
    return null;
  },
);

export const maintainedDays = {
  keep: (monitor: string, day: number, { spanSecs, secs }: MaintainedDay) => {
    const whole = (value: number) => Math.min(daySecs, Math.floor(value));
    return keepMaintainedDay({
      monitor,
      day,
      span: whole(spanSecs),
      up: whole(secs.up),
      degraded: whole(secs.degraded),
      down: whole(secs.down),
      unknown: whole(secs.unknown),
    });
  },

  /** By the key of a monitor and a UTC day since the epoch; null: the day is not recorded. */
  find: (sql: SqlReader, key: number, day: number): MaintainedDay | null =>
    sql.get(
      `SELECT span_secs, up_secs, degraded_secs, down_secs, unknown_secs FROM maintained_days WHERE slot = ?`,
      [slotOf(day, key)],
      (row) => ({
        spanSecs: row.number('span_secs'),
        secs: {
          up: row.number('up_secs'),
          degraded: row.number('degraded_secs'),
          down: row.number('down_secs'),
          unknown: row.number('unknown_secs'),
        },
      }),
    ),
};
