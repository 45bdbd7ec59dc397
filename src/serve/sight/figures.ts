/** Figures over time of all monitors, remembered between readings. */
import { BarReader, type DayBar } from '../../db/read/bars.ts';
import { DayReader, type DayFigures } from '../../db/read/day.ts';
import type { Store } from '../../db/store.ts';
import type { Config } from '../../engine/config/config.ts';

export interface Figures {
  /** Of the last 24 hours, by config id. */
  readonly day: (now: number) => Map<string, DayFigures>;
  /** Of as many days as anything of the configuration asks for, today last, by config id. */
  readonly bars: (now: number) => Map<string, DayBar[]>;
  /** Reads a little ahead, so that no reading has to do it all. Answers whether nothing is left. */
  readonly warm: (now: number) => boolean;
}

/** As many monitors are read in one step: a few milliseconds. */
const stepSize = 5;

export function createFigures(store: Pick<Store, 'sql'>, config: () => Config): Figures {
  const days = new DayReader();
  const bars = new BarReader();
  return {
    day: (now) => days.read(store.sql, now),
    bars: (now) => bars.read(store.sql, now, longestDays(config())),
    warm: (now) => {
      if (!days.warm(store.sql, now, stepSize)) return false;
      return bars.warm(store.sql, { now, days: longestDays(config()) }, stepSize);
    },
  };
}

function longestDays({ page, monitors }: Config): number {
  return monitors.reduce(
    (longest, { slo_uptime, slo_window_days }) =>
      slo_uptime === null ? longest : Math.max(longest, slo_window_days),
    page.history_days,
  );
}
