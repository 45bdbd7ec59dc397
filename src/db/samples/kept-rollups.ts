/** Finds rollups wherever they lie: as rows, a day of hours in one row, or a week of hours or days in one. */
import type { Sql, SqlReader } from '../store/sql.ts';
import { DamagedBytesError } from './bytes.ts';
import { readPackedDay, takePackedDays } from './hourly-days.ts';
import { oldestBucket, readRollup, readRollupAverage, readRollupSecs, writeRollup } from './rollups.ts';
import { dayOfHour, slotOf } from './slots.ts';
import type { ByStatus, Tally } from './tally.ts';
import {
  readDaysOfWeek,
  readHoursOfWeek,
  readWholeDaysOfWeek,
  unpackWeeks,
  weekHours,
  weekOfDay,
} from './weeks.ts';

/**
 * Hourly rollups of one monitor. What is packed is taken apart once; not to be kept over a change. Packed ones have no
 * histogram.
 */
export class HourlyRollups {
  private readonly sql: SqlReader;
  private readonly key: number;
  private readonly days: LastRead;
  private readonly weeks: LastRead;

  constructor(sql: SqlReader, key: number) {
    this.sql = sql;
    this.key = key;
    this.days = new LastRead((day) => readPackedDay(sql, key, day));
    this.weeks = new LastRead((week) => readHoursOfWeek(sql, key, week));
  }

  /** Null: nothing fell into the hour (since the epoch). */
  read(hour: number): Tally | null {
    return readRollup(this.sql, 'hourly', slotOf(hour, this.key)) ?? this.packedAt(hour);
  }

  readSecs(hour: number): ByStatus | null {
    return readRollupSecs(this.sql, 'hourly', slotOf(hour, this.key)) ?? this.packedAt(hour)?.secs ?? null;
  }

  private packedAt(hour: number): Tally | null {
    const day = dayOfHour(hour);
    return this.days.of(day)?.get(hour) ?? this.weeks.of(weekOfDay(day))?.get(hour) ?? null;
  }
}

/** Daily rollups of one monitor, likewise, of days since the epoch. Null: nothing fell into the day, as far as it is over. */
export class DailyRollups {
  private readonly sql: SqlReader;
  private readonly key: number;
  private readonly weeks: LastRead;
  private readonly wholeWeeks: LastRead;

  constructor(sql: SqlReader, key: number) {
    this.sql = sql;
    this.key = key;
    this.weeks = new LastRead((week) => readDaysOfWeek(sql, key, week));
    this.wholeWeeks = new LastRead((week) => readWholeDaysOfWeek(sql, key, week));
  }

  /** Its histogram is empty once that of its week is no longer kept. */
  read(day: number): Tally | null {
    return (
      readRollup(this.sql, 'daily', slotOf(day, this.key)) ??
      this.wholeWeeks.of(weekOfDay(day))?.get(day) ??
      null
    );
  }

  /** The average latency in milliseconds, not rounded; null also: nothing was measured. */
  readAverage(day: number): number | null {
    const average = readRollupAverage(this.sql, slotOf(day, this.key));
    if (average !== null) return average;
    const latency = this.packedAt(day)?.latency;
    return latency === undefined || latency.count === 0 ? null : latency.sumMs / latency.count;
  }

  readSecs(day: number): ByStatus | null {
    return readRollupSecs(this.sql, 'daily', slotOf(day, this.key)) ?? this.packedAt(day)?.secs ?? null;
  }

  private packedAt(day: number): Tally | null {
    return this.weeks.of(weekOfDay(day))?.get(day) ?? null;
  }
}

type Packed = ReadonlyMap<number, Tally>;

/** Remembers what was read last: those who read go from one hour or day to the next. */
class LastRead {
  private readonly read: (bucket: number) => Packed | null;
  private bucket = -1;
  private packed: Packed | null = null;

  constructor(read: (bucket: number) => Packed | null) {
    this.read = read;
  }

  /** Null: there is nothing, or nothing that can be read. */
  of(bucket: number): Packed | null {
    if (bucket === this.bucket) return this.packed;
    this.bucket = bucket;
    try {
      this.packed = this.read(bucket);
    } catch (error) {
      if (!(error instanceof DamagedBytesError)) throw error;
      this.packed = null;
    }
    return this.packed;
  }
}

/** The first hour that there are hourly rollups for, of any monitor; null when there are none. */
export function oldestRolledHour(sql: SqlReader): number | null {
  const [hour, day, week] = (['hourly', 'hourly_days', 'hourly_weeks'] as const).map((table) =>
    oldestBucket(sql, table),
  );
  const hours = [hour ?? Infinity, (day ?? Infinity) * 24, (week ?? Infinity) * weekHours];
  const oldest = Math.min(...hours);
  return oldest === Infinity ? null : oldest;
}

/** Makes what is packed of an hour, and behind it, rows again, of one monitor or of all: whole days, or whole weeks. */
export function unpackRollups(sql: Sql, hour: number, key: number | null): void {
  unpackWeeks(sql, dayOfHour(hour), key);
  takePackedDays(sql, hour, {
    key,
    visit: (slot, tally) => {
      writeRollup(sql, 'hourly', { slot, tally });
    },
  });
}
