/** The bars of a summary as JSON text, of which only the last day changes from one summary to the next. */
import type { DayBar } from '../../db/read/bars.ts';
import { dayView } from '../../engine/views/day.ts';

export interface HistoryTexts {
  /** The JSON array of a monitor's bars. */
  readonly textOf: (monitor: string, bars: readonly DayBar[]) => string;
  /** Forgets the monitors that are not among these. */
  readonly keep: (monitors: ReadonlySet<string>) => void;
}

/** Days that can still change, at the end. */
const moving = 2;

export function createHistoryTexts(): HistoryTexts {
  const known = new Map<string, { readonly bars: readonly DayBar[]; readonly text: string }>();
  return {
    textOf: (monitor, bars) => {
      const settled = bars.slice(0, -moving);
      let remembered = known.get(monitor);
      if (remembered === undefined || !isSame(remembered.bars, settled)) {
        remembered = { bars: settled, text: settled.map(textOfBar).join(',') };
        known.set(monitor, remembered);
      }
      const last = bars.slice(-moving).map(textOfBar).join(',');
      return `[${remembered.text}${remembered.text === '' || last === '' ? '' : ','}${last}]`;
    },
    keep: (monitors) => {
      for (const monitor of known.keys()) if (!monitors.has(monitor)) known.delete(monitor);
    },
  };
}

/** The reader of bars hands out the same objects as long as nothing changed in them. */
function isSame(a: readonly DayBar[], b: readonly DayBar[]): boolean {
  return a.length === b.length && a.every((bar, index) => bar === b[index]);
}

function textOfBar(bar: DayBar): string {
  return JSON.stringify(dayView(bar));
}
