/** The bars of monitors as views and as JSON text, of which only the last days change from one reading to the next. */
import type { DayBar } from '../../db/read/bars.ts';
import { dayView, type DayView } from '../../engine/views/day.ts';

export interface HistoryTexts {
  /** The JSON array of a monitor's bars. */
  readonly textOf: (monitor: string, bars: readonly DayBar[]) => string;
  readonly viewsOf: (monitor: string, bars: readonly DayBar[]) => readonly DayView[];
  /** Forgets the monitors that are not among these. */
  readonly keep: (monitors: ReadonlySet<string>) => void;
}

interface Settled {
  readonly bars: readonly DayBar[];
  readonly views: readonly DayView[];
  text: string | null;
}

/** Days that can still change, at the end. */
const moving = 2;

export function createHistoryTexts(): HistoryTexts {
  const known = new Map<string, Settled>();
  const settledOf = (monitor: string, all: readonly DayBar[]): Settled => {
    const bars = all.slice(0, -moving);
    const remembered = known.get(monitor);
    if (remembered !== undefined && isSame(remembered.bars, bars)) return remembered;
    const settled = { bars, views: bars.map(dayView), text: null };
    known.set(monitor, settled);
    return settled;
  };
  return {
    textOf: (monitor, bars) => {
      const settled = settledOf(monitor, bars);
      settled.text ??= settled.views.map((view) => JSON.stringify(view)).join(',');
      const last = bars.slice(-moving).map((bar) => JSON.stringify(dayView(bar)));
      return `[${settled.text}${settled.text === '' || last.length === 0 ? '' : ','}${last.join(',')}]`;
    },
    viewsOf: (monitor, bars) => [
      ...settledOf(monitor, bars).views,
      ...bars.slice(-moving).map((bar) => dayView(bar)),
    ],
    keep: (monitors) => {
      for (const monitor of known.keys()) if (!monitors.has(monitor)) known.delete(monitor);
    },
  };
}

/** The reader of bars hands out the same objects as long as nothing changed in them. */
function isSame(a: readonly DayBar[], b: readonly DayBar[]): boolean {
  return a.length === b.length && a.every((bar, index) => bar === b[index]);
}
