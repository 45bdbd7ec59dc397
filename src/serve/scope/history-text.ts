/** The days of monitors as views and as JSON, which stay the same from one reading to the next until a day changes. */
import type { DayBar } from '../../db/read/bar-days.ts';
import { type DayMarks, type DayView, dayView, noMarks, type PageDay } from '../../engine/views/day.ts';
import { pieceOf } from '../responses/pieces.ts';
import { createRecent } from '../responses/recent.ts';

interface CachedHistory {
  readonly views: readonly PageDay[];
  /** The JSON array of the views, as far as the interface has them. */
  readonly json: () => Buffer;
}

export interface HistoryTexts {
  /** The same object as the last time when its days look the same. `marks`: by the start of the day. */
  readonly of: (
    monitor: string,
    bars: readonly DayBar[],
    marks: ReadonlyMap<number, DayMarks>,
  ) => CachedHistory;
  /** Forgets the monitors that are not among these. */
  readonly keep: (monitors: ReadonlySet<string>) => void;
}

interface CachedDays {
  /** What the views were made of: the reader of bars hands out the same objects while nothing changes in them. */
  readonly bars: DayBar[];
  readonly marks: ReadonlyMap<number, DayMarks>;
  readonly history: CachedHistory;
}

export function createHistoryTexts(): HistoryTexts {
  const known = new Map<string, CachedDays>();
  const shared = createSharedDays();
  const alike = createRecent<CachedHistory>(maxAlike);
  return {
    of: (monitor, bars, marks) => {
      const remembered = known.get(monitor);
      if (remembered !== undefined && stillHolds(remembered, bars, marks)) return remembered.history;
      const isSameLength = remembered?.bars.length === bars.length;
      let isSame = isSameLength;
      const views = bars.map((bar, index) => {
        const own = marks.get(bar.at) ?? noMarks;
        const before = remembered?.history.views[index];
        if (before !== undefined && bar === remembered?.bars[index] && hasMarks(before, own)) return before;
        const view = dayView(bar, own);
        if (isSameLength && before !== undefined && looksLike(before, view)) return before;
        isSame = false;
        return shared(bar.at, view);
      });
      const history =
        isSame && remembered !== undefined
          ? remembered.history
          : alike.find(
              '',
              (other) => hasDays(other, views),
              () => historyOf(views),
            );
      known.set(monitor, { bars: [...bars], marks, history });
      return history;
    },
    keep: (monitors) => {
      for (const monitor of known.keys()) if (!monitors.has(monitor)) known.delete(monitor);
    },
  };
}

/** Most monitors have the days of one of the last few that were looked at: never down, or watched since the same day. */
const maxAlike = 4;

function hasDays({ views: days }: CachedHistory, views: readonly PageDay[]): boolean {
  return days.length === views.length && days.every((day, index) => day === views[index]);
}

/** Whether nothing that is seen has changed: of most monitors the present day alone is another object. */
function stillHolds(
  { bars: before, marks: marksBefore, history }: CachedDays,
  bars: readonly DayBar[],
  marks: ReadonlyMap<number, DayMarks>,
): boolean {
  if (before.length !== bars.length || marksBefore !== marks) return false;
  for (let index = 0; index < bars.length; index += 1) {
    const bar = bars[index];
    if (bar === before[index]) continue;
    const view = history.views[index];
    if (bar === undefined || view === undefined) return false;
    if (!looksLike(view, dayView(bar, marks.get(bar.at) ?? noMarks))) return false;
    before[index] = bar;
  }
  return true;
}

function hasMarks(view: PageDay, marks: DayMarks): boolean {
  return (
    view.down_minutes === marks.down_minutes &&
    view.incidents === marks.incidents &&
    view.begun === marks.begun &&
    view.maintenance === marks.maintenance
  );
}

function looksLike(a: PageDay, b: PageDay): boolean {
  return (
    a.state === b.state && a.uptime_permille === b.uptime_permille && a.date === b.date && hasMarks(a, b)
  );
}

function historyOf(views: readonly PageDay[]): CachedHistory {
  let json: Buffer | null = null;
  return { views, json: () => (json ??= pieceOf(`[${views.map(jsonOf).join()}]`)) };
}

/** Nothing in a day asks for an escape; of a thousand monitors there are ninety thousand. */
function jsonOf({ date, state, uptime_permille }: DayView): string {
  return `{"date":"${date}","state":"${state}","uptime_permille":${uptime_permille}}`;
}

/** More different days than this are of monitors that fail all the time. */
const maxShared = 20_000;

/** Most days of most monitors are alike, so that one object stands for the day of many. */
function createSharedDays(): (at: number, view: PageDay) => PageDay {
  const days = new Map<number, Map<string, PageDay>>();
  let count = 0;
  return (at, view) => {
    if (count >= maxShared) {
      days.clear();
      count = 0;
    }
    const alike = days.get(at) ?? new Map<string, PageDay>();
    days.set(at, alike);
    const key = `${view.state} ${view.uptime_permille} ${view.down_minutes} ${view.incidents} ${view.begun} ${view.maintenance}`;
    const known = alike.get(key);
    if (known !== undefined) return known;
    alike.set(key, view);
    count += 1;
    return view;
  };
}
