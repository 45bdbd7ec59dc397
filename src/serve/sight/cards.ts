/** What one class of viewers is shown of each monitor: the same objects as long as nothing in them changes. */
import type { MonitorView } from '../../engine/views/monitor.ts';
import type { PageFigures, PageMonitor } from '../../engine/views/page.ts';
import { pieceOf } from '../rendition/pieces.ts';
import type { History } from './history-text.ts';

type Uptimes = Omit<PageFigures, 'points'>;

/** What a page shows of a monitor, its latency aside. */
interface Shown {
  readonly view: MonitorView;
  readonly history: History;
  readonly uptimes: Uptimes;
}

export interface Cards {
  /** The monitor of a page: the same object as the last time when all that is given looks the same. */
  readonly of: (shown: Shown) => PageMonitor;
  /** The JSON of a view, open at its end for the bars, behind the brace that ends the one before. */
  readonly json: (view: MonitorView) => Buffer;
}

/** For the life of a configuration, which bounds how many monitors there are. */
export function createCards(): Cards {
  const cards = new Map<string, Shown & { readonly monitor: PageMonitor }>();
  const texts = new Map<string, { readonly view: MonitorView; readonly json: Buffer }>();
  return {
    of: (shown) => {
      const { id } = shown.view;
      const known = cards.get(id);
      if (known !== undefined && isSame(known, shown)) return known.monitor;
      const { view, history } = shown;
      const { day, week, month, quarter } = shown.uptimes;
      const monitor = { ...view, history: history.views };
      cards.set(id, { view, history, uptimes: { day, week, month, quarter }, monitor });
      return monitor;
    },
    json: (view) => {
      const known = texts.get(view.id);
      if (known !== undefined && isSameView(known.view, view)) return known.json;
      const json = pieceOf(`},${JSON.stringify(view).slice(0, -1)},"history":`);
      texts.set(view.id, { view, json });
      return json;
    },
  };
}

function isSame(a: Shown, b: Shown): boolean {
  return a.history === b.history && isSameView(a.view, b.view) && areSameUptimes(a.uptimes, b.uptimes);
}

function isSameView(a: MonitorView, b: MonitorView): boolean {
  for (const key of Object.keys(a) as (keyof MonitorView)[]) {
    if (a[key] !== b[key] && key !== 'impacted') return false;
  }
  return a.impacted.length === b.impacted.length && a.impacted.every((id, index) => id === b.impacted[index]);
}

function areSameUptimes(a: Uptimes, b: Uptimes): boolean {
  return a.day === b.day && a.week === b.week && a.month === b.month && a.quarter === b.quarter;
}
