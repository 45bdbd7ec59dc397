/** Figures over time of all monitors, remembered between readings. */
import { BarReader, type DayBar } from '../../db/read/bars.ts';
import { DayReader, type DayFigures } from '../../db/read/day.ts';
import { OutageReader } from '../../db/read/outages.ts';
import { findShown, readWatched, type MonitorWithLatest } from '../../db/read/watched.ts';
import type { Store } from '../../db/store/store.ts';
import type { Config } from '../../engine/config/config.ts';
import { shownDays } from '../../engine/config/shown-days.ts';
import { type DayMarks, marksOf } from '../../engine/views/day.ts';
import { maintenanceSpans } from '../../engine/views/frame.ts';

/** What is known of one monitor, all of it at the same instant. */
interface MonitorFigures {
  readonly last: MonitorWithLatest['last'];
  /** Of the last 24 hours. */
  readonly day: DayFigures;
  /** Of as many days as anything asks for, today last. */
  readonly bars: readonly DayBar[];
  /** What the record says of these days, by the start of the day, read when it is asked for. */
  readonly marks: () => ReadonlyMap<number, DayMarks>;
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
  const outages = new OutageReader();
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
        marks: () => {
          const view = { now, days: longest() };
          const record = {
            outages: outages.read(sql, view).get(id) ?? [],
            maintenance: maintenanceSpans(config().maintenance, id),
          };
          return marksOf(record, { fromAt: firstDayAt(view), nowAt: now });
        },
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
      if (!days.warm(sql, now)) return false;
      return bars.warm(sql, { now, days: longest() });
    },
  };
}

function firstDayAt({ now, days }: { readonly now: number; readonly days: number }): number {
  return (Math.floor(now / dayMs) - days + 1) * dayMs;
}

const dayMs = 86_400_000;
