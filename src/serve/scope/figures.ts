/** Figures over time of all monitors, remembered between readings. */
import { BarReader, type DayBar } from '../../db/read/bars.ts';
import { DayReader, type DayFigures } from '../../db/read/day.ts';
import { createLatencyHours } from '../../db/read/latency-hours.ts';
import { findShown, readWatched, type MonitorWithLatest } from '../../db/read/watched.ts';
import type { Store } from '../../db/store/store.ts';
import type { Config } from '../../engine/config/config.ts';
import { shownDays } from '../../engine/config/shown-days.ts';
import type { LatencyPoint } from '../../engine/views/page-latency.ts';

/** What is known of one monitor, all of it at the same instant. */
interface MonitorFigures {
  readonly last: MonitorWithLatest['last'];
  /** Of the last 24 hours. */
  readonly day: DayFigures;
  /** Of as many days as anything asks for, today last. */
  readonly bars: readonly DayBar[];
  /** The latency of the last 24 hours by the hour, read when it is asked for. */
  readonly points: () => readonly LatencyPoint[];
}

export interface Figures {
  /** By config id; null: there is no such monitor. */
  readonly of: (monitor: string, now: number) => MonitorFigures | null;
  /** Of the last 24 hours, up to a second old: for what shows one monitor and is asked for often. */
  readonly recentDay: (monitor: string, now: number) => DayFigures | null;
  /** Of as many days as anything asks for, today last; empty: there is no such monitor. */
  readonly bars: (monitor: string, now: number) => readonly DayBar[];
  /** Reads a little ahead, so that no reading has to do it all. Answers whether nothing is left. */
  readonly warm: (now: number) => boolean;
}

const recentMs = 1000;

export function createFigures(store: Pick<Store, 'sql'>, config: () => Config): Figures {
  const { sql } = store;
  const days = new DayReader();
  const bars = new BarReader();
  const hours = createLatencyHours(sql);
  const recent = { at: 0, figures: new Map<string, DayFigures | null>() };
  let seen = { config: config(), days: shownDays(config()) };
  const longest = () => {
    if (seen.config !== config()) {
      seen = { config: config(), days: shownDays(config()) };
      const watched = readWatched(sql);
      days.keep(watched);
      bars.keep(watched);
    }
    return seen.days;
  };
  return {
    of: (id, now) => {
      const monitor = findShown(sql, id);
      if (monitor === null) return null;
      return {
        last: monitor.last,
        day: days.of(sql, monitor, now),
        bars: bars.of(sql, monitor, { now, days: longest() }),
        points: () => hours.of(monitor, now),
      };
    },
    recentDay: (id, now) => {
      if (now < recent.at || now - recent.at >= recentMs) {
        recent.figures.clear();
        recent.at = now;
      }
      const known = recent.figures.get(id);
      if (known !== undefined) return known;
      const monitor = findShown(sql, id);
      const figures = monitor === null ? null : days.of(sql, monitor, now);
      recent.figures.set(id, figures);
      return figures;
    },
    bars: (id, now) => {
      const monitor = findShown(sql, id);
      return monitor === null ? [] : bars.of(sql, monitor, { now, days: longest() });
    },
    warm: (now) => {
      if (!hours.warm(now) || !days.warm(sql, now)) return false;
      return bars.warm(sql, { now, days: longest() });
    },
  };
}
