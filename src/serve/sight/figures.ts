/** Figures over time of all monitors, remembered between readings. */
import { BarReader, type DayBar } from '../../db/read/bars.ts';
import { DayReader, type DayFigures } from '../../db/read/day.ts';
import type { Store } from '../../db/store.ts';
import type { Config } from '../../engine/config/config.ts';
import type { LatencyPoint } from '../../engine/views/page-latency.ts';
import { createLatencyHours } from './rollup-sums.ts';

export interface Figures {
  /** Of the last 24 hours, by config id. */
  readonly day: (now: number) => Map<string, DayFigures>;
  /** The same, up to a second old: for what shows one monitor and is asked for many. */
  readonly recentDay: (now: number) => Map<string, DayFigures>;
  /** Of as many days as anything asks for, today last, by config id. */
  readonly bars: (now: number) => Map<string, DayBar[]>;
  /** The latency of the last 24 hours by the hour, by config id. */
  readonly latencies: (now: number) => Map<string, LatencyPoint[]>;
  /** Reads a little ahead, so that no reading has to do it all. Answers whether nothing is left. */
  readonly warm: (now: number, monitors?: number) => boolean;
}

/** As many monitors are read in one step, unless somebody waits: a few milliseconds. */
const stepSize = 5;

const recentMs = 1000;

export function createFigures(store: Pick<Store, 'sql'>, config: () => Config): Figures {
  const { sql } = store;
  const days = new DayReader();
  const bars = new BarReader();
  const hours = createLatencyHours(sql);
  let recent: { readonly at: number; readonly figures: Map<string, DayFigures> } | null = null;
  return {
    day: (now) => days.read(sql, now),
    recentDay: (now) => {
      if (recent === null || now < recent.at || now - recent.at >= recentMs) {
        recent = { at: now, figures: days.read(sql, now) };
      }
      return recent.figures;
    },
    bars: (now) => bars.read(sql, now, longestDays(config())),
    latencies: (now) => hours.read(now),
    warm: (now, monitors = stepSize) => {
      if (!hours.warm(now)) return false;
      if (!days.warm(sql, now, monitors)) return false;
      return bars.warm(sql, { now, days: longestDays(config()) }, monitors);
    },
  };
}

/** Pages tell the uptime of a quarter, however many bars they show. */
const quarterDays = 90;

function longestDays({ page, monitors }: Config): number {
  return monitors.reduce(
    (longest, { slo_uptime, slo_window_days }) =>
      slo_uptime === null ? longest : Math.max(longest, slo_window_days),
    Math.max(quarterDays, page.history_days),
  );
}
