/** What the samples of one monitor add up to over any stretch of hours: a week, a month, the window of an SLO. */
import { findOwner } from '../samples/owner.ts';
import { DailyRollups, HourlyRollups } from '../samples/kept-rollups.ts';
import { dayOfHour, hourOf, hourSecs } from '../samples/slots.ts';
import { addTally, emptyTally, type Tally } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import { addTail } from './tail.ts';

export interface TallySpan {
  /** Epoch ms; the hour it lies in counts in full. */
  readonly fromAt: number;
  /** Epoch ms; the hour it lies in counts in full, unless it begins there. */
  readonly toAt: number;
  /** Nothing after it counts. */
  readonly now: number;
}

/** Whole days are read from daily rollups, the rest from hourly ones. Empty for a monitor that is not known. */
export function tallyWithin(sql: SqlReader, monitor: string, { fromAt, toAt, now }: TallySpan): Tally {
  const sum = emptyTally();
  const owner = findOwner(sql, monitor);
  if (owner === null) return sum;
  const hourly = new HourlyRollups(sql, owner.key);
  const daily = new DailyRollups(sql, owner.key);
  const nowSecs = Math.floor(now / 1000);
  const from = Math.max(hourOf(fromAt / 1000), owner.oldestHour);
  const to = Math.min(Math.ceil(toAt / 1000 / hourSecs), hourOf(nowSecs) + 1);
  for (let hour = from; hour < to; ) {
    const isWholeDay = hour % 24 === 0 && hour + 24 <= Math.min(to, owner.packedBefore);
    const tally = isWholeDay ? daily.read(dayOfHour(hour)) : hourly.read(hour);
    if (tally !== null) addTally(sum, tally);
    hour += isWholeDay ? 24 : 1;
  }
  addTail(sum.secs, owner.tail, { fromSecs: from * hourSecs, toSecs: Math.min(to * hourSecs, nowSecs) });
  return sum;
}
