/** Sums of the rollups of all monitors together: one scan where reading monitor by monitor would be thousands of reads. */
import { type Watched, readWatched } from '../../db/read/watched.ts';
import { daySecs, firstSlotOf, hourOf, hourSecs } from '../../db/samples/slots.ts';
import type { SqlReader } from '../../db/sql.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import type { LatencyPoint } from '../../engine/views/page-latency.ts';

/** How far apart the slots of two hours (or days) of one monitor are. */
const stride = firstSlotOf(1);

/** The credited seconds of whole days, `toAt` (epoch ms) not in it, by config id. They must be packed. */
export function sumDays(
  sql: SqlReader,
  { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
): Map<string, StatusSecs> {
  const [from, to] = [fromAt, toAt].map((at) => firstSlotOf(at / 1000 / daySecs)) as [number, number];
  const sums = new Map(
    sql.all(
      `SELECT slot % ? AS key, sum(up_secs) AS up, sum(degraded_secs) AS degraded, sum(down_secs) AS down,
         sum(unknown_secs) AS unknown FROM daily WHERE slot >= ? AND slot < ? GROUP BY 1`,
      [stride, from, to],
      (row): [number, StatusSecs] => [
        row.number('key'),
        {
          up: row.number('up'),
          degraded: row.number('degraded'),
          down: row.number('down'),
          unknown: row.number('unknown'),
        },
      ],
    ),
  );
  return byId(readWatched(sql), sums);
}

export interface LatencyHours {
  /** The average latency of every hour of the last 24, by config id, oldest first: a point at each half of the hour. */
  readonly read: (now: number) => Map<string, LatencyPoint[]>;
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
  const averagesOf = (hour: number, last: number): ReadonlyMap<number, number> => {
    const remembered = known.get(hour);
    if (remembered !== undefined && hour <= last - moving) return remembered;
    const averages = readAverages(sql, hour);
    if (hour <= last - moving) known.set(hour, averages);
    return averages;
  };
  return {
    read: (now) => {
      const { first, last } = span(now);
      for (const hour of known.keys()) if (hour < first || hour > last) known.delete(hour);
      const points = new Map<number, LatencyPoint[]>();
      for (let hour = first; hour <= last; hour += 1) {
        for (const [key, latency_ms] of averagesOf(hour, last)) {
          const list = points.get(key) ?? [];
          points.set(key, list);
          for (const t of [hour * hourSecs, hour * hourSecs + hourSecs / 2]) {
            if (t * 1000 <= now) list.push({ t, latency_ms });
          }
        }
      }
      return byId(readWatched(sql), points);
    },
    warm: (now) => {
      const { first, last } = span(now);
      for (let hour = first; hour <= last - moving; hour += 1) {
        if (known.has(hour)) continue;
        averagesOf(hour, last);
        return false;
      }
      return true;
    },
  };
}

function readAverages(sql: SqlReader, hour: number): Map<number, number> {
  return new Map(
    sql.all(
      `SELECT slot % ? AS key, latency_sum_ms * 1.0 / latency_count AS average FROM hourly
       WHERE slot >= ? AND slot < ? AND latency_count > 0`,
      [stride, firstSlotOf(hour), firstSlotOf(hour + 1)],
      (row) => [row.number('key'), row.number('average')],
    ),
  );
}

function byId<T>(watched: readonly Watched[], values: ReadonlyMap<number, T>): Map<string, T> {
  return new Map(
    watched.flatMap(({ key, id }) => {
      const value = values.get(key);
      return value === undefined ? [] : [[id, value] as const];
    }),
  );
}
