/** The latency of all monitors by the hour: one scan an hour, remembered when the hour is over. */
import { firstSlotOf, hourOf, hourSecs, slotOf } from '../samples/slots.ts';
import type { SqlReader } from '../store/sql.ts';
import type { SeriesPoint } from './series.ts';

export interface LatencyHours {
  /** The average latency of every hour of the last 24 of one monitor, oldest first: a point at each half of the hour. */
  readonly of: (monitor: { readonly key: number }, now: number) => SeriesPoint[];
  /** Reads one hour ahead. Answers whether nothing is left. */
  readonly warm: (now: number) => boolean;
}

const shownHours = 24;

/** Hours at the end that samples still come for. */
const moving = 2;

/** Remembers hours that are over; a sample that comes over an hour late is in the next hour's figures, not here. */
export function createLatencyHours(sql: SqlReader): LatencyHours {
  const known = new Map<number, ReadonlyMap<number, number>>();
  const span = (now: number) => {
    const last = hourOf(now / 1000);
    return { first: last - shownHours, last };
  };
  const finished = (hour: number): ReadonlyMap<number, number> => {
    const averages = known.get(hour) ?? readAverages(sql, hour);
    known.set(hour, averages);
    return averages;
  };
  return {
    of: ({ key }, now) => {
      const { first, last } = span(now);
      if (known.size > shownHours) forgetBefore(known, first);
      const points: SeriesPoint[] = [];
      for (let hour = first; hour <= last; hour += 1) {
        const latency_ms =
          hour <= last - moving ? finished(hour).get(key) : readAverage(sql, slotOf(hour, key));
        if (latency_ms === undefined) continue;
        for (const t of [hour * hourSecs, hour * hourSecs + hourSecs / 2]) {
          if (t * 1000 <= now) points.push({ t, latency_ms });
        }
      }
      return points;
    },
    warm: (now) => {
      const { first, last } = span(now);
      for (let hour = first; hour <= last - moving; hour += 1) {
        if (known.has(hour)) continue;
        finished(hour);
        return false;
      }
      return true;
    },
  };
}

function forgetBefore(known: Map<number, unknown>, first: number): void {
  for (const hour of known.keys()) if (hour < first) known.delete(hour);
}

function readAverage(sql: SqlReader, slot: number): number | undefined {
  const average = sql.get(
    `SELECT latency_sum_ms * 1.0 / latency_count AS average FROM hourly WHERE slot = ? AND latency_count > 0`,
    [slot],
    (row) => row.number('average'),
  );
  return average ?? undefined;
}

function readAverages(sql: SqlReader, hour: number): Map<number, number> {
  const first = firstSlotOf(hour);
  return new Map(
    sql.all(
      `SELECT slot, latency_sum_ms * 1.0 / latency_count AS average FROM hourly
       WHERE slot >= ? AND slot < ? AND latency_count > 0`,
      [first, firstSlotOf(hour + 1)],
      (row) => [row.number('slot') - first, row.number('average')],
    ),
  );
}
