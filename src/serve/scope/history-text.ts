/** The bars of monitors as views and as JSON, which stay the same from one reading to the next until a day changes. */
import type { DayBar } from '../../db/read/bars.ts';
import { dayView, type DayView } from '../../engine/views/day.ts';
import { pieceOf } from '../responses/pieces.ts';

export interface CachedHistory {
  readonly views: readonly DayView[];
  /** The JSON array of the views. */
  readonly json: () => Buffer;
}

export interface HistoryTexts {
  /** The same object as the last time when its days look the same. */
  readonly of: (monitor: string, bars: readonly DayBar[]) => CachedHistory;
  /** Forgets the monitors that are not among these. */
  readonly keep: (monitors: ReadonlySet<string>) => void;
}

interface Remembered {
  /** What the views were made of: the reader of bars hands out the same objects while nothing changes in them. */
  bars: readonly DayBar[];
  readonly history: CachedHistory;
}

export function createHistoryTexts(): HistoryTexts {
  const known = new Map<string, Remembered>();
  const shared = createSharedDays();
  return {
    of: (monitor, bars) => {
      const remembered = known.get(monitor);
      if (remembered !== undefined && looksTheSame(remembered, bars)) return remembered.history;
      const viewOf = (bar: DayBar, index: number) =>
        (bar === remembered?.bars[index] ? remembered.history.views[index] : undefined) ?? shared(bar);
      const cachedHistory = historyOf(bars.map(viewOf));
      known.set(monitor, { bars: [...bars], history: cachedHistory });
      return cachedHistory;
    },
    keep: (monitors) => {
      for (const monitor of known.keys()) if (!monitors.has(monitor)) known.delete(monitor);
    },
  };
}

function looksTheSame({ bars: before, history }: Remembered, bars: readonly DayBar[]): boolean {
  if (bars.length !== before.length) return false;
  return bars.every((bar, index) => {
    if (bar === before[index]) return true;
    const view = history.views[index];
    return view !== undefined && isSame(view, dayView(bar));
  });
}

function isSame(a: DayView, b: DayView): boolean {
  return a.state === b.state && a.uptime_permille === b.uptime_permille && a.date === b.date;
}

function historyOf(views: readonly DayView[]): CachedHistory {
  let json: Buffer | null = null;
  return { views, json: () => (json ??= pieceOf(JSON.stringify(views))) };
}

/** More different days than this are of monitors that fail all the time. */
const maxShared = 20_000;

/** Most days of most monitors are alike, so that one object stands for the day of many. */
function createSharedDays(): (bar: DayBar) => DayView {
  const days = new Map<number, Map<string, DayView>>();
  let count = 0;
  return (bar) => {
    const view = dayView(bar);
    if (count >= maxShared) {
      days.clear();
      count = 0;
    }
    const alike = days.get(bar.at) ?? new Map<string, DayView>();
    days.set(bar.at, alike);
    const key = `${view.state} ${view.uptime_permille}`;
    const shared = alike.get(key);
    if (shared !== undefined) return shared;
    alike.set(key, view);
    count += 1;
    return view;
  };
}
