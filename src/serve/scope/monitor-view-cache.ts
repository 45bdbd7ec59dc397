/** What is shown of each monitor: the same objects as long as nothing in them changes, for all who are shown the same. */
import type { MonitorView } from '../../engine/views/monitor.ts';
import type { PageFigures, PageMonitor } from '../../engine/views/page.ts';
import { createRecent } from '../pages/recent.ts';
import { pieceOf } from '../responses/pieces.ts';
import type { CachedHistory } from './history-text.ts';

type Uptimes = Omit<PageFigures, 'points'>;

/** What a page shows of a monitor, its latency aside. */
interface Shown {
  readonly view: MonitorView;
  readonly history: CachedHistory;
  readonly uptimes: Uptimes;
}

export interface MonitorViewCache {
  /** The monitor of a page: the same object as for a viewer who was shown the same before. */
  readonly of: (shown: Shown) => PageMonitor;
  /** The JSON of a view, open at its end for the bars, behind the brace that ends the one before. */
  readonly json: (view: MonitorView) => Buffer;
}

/** For the life of a configuration, which bounds how many monitors there are. Who is shown what is decided before. */
export function createMonitorViewCache(): MonitorViewCache {
  const cards = createRecent<Shown & { readonly monitor: PageMonitor }>(maxForms);
  const texts = createRecent<{ readonly view: MonitorView; readonly json: Buffer }>(maxForms);
  return {
    of: (shown) => {
      const { view, history, uptimes } = shown;
      const card = cards.find(
        view.id,
        (known) => isSame(known, shown),
        () => {
          const { day, week, month, quarter } = uptimes;
          const monitor = { ...view, history: history.views };
          return { view, history, uptimes: { day, week, month, quarter }, monitor };
        },
      );
      return card.monitor;
    },
    json: (view) => {
      const text = texts.find(
        view.id,
        (known) => isSameView(known.view, view),
        () => ({ view, json: pieceOf(`},${JSON.stringify(view).slice(0, -1)},"history":`) }),
      );
      return text.json;
    },
  };
}

/**
 * Strangers are shown less of a monitor in trouble than those who know a token, and of what it took along each sees
 * what exists for them: few forms are in use at once.
 */
const maxForms = 3;

function isSame(a: Shown, b: Shown): boolean {
  return a.history === b.history && areSameUptimes(a.uptimes, b.uptimes) && isSameView(a.view, b.view);
}

function isSameView(a: MonitorView, b: MonitorView): boolean {
  for (const key in a) {
    if (a[key as keyof MonitorView] !== b[key as keyof MonitorView] && key !== 'impacted') return false;
  }
  return a.impacted.length === b.impacted.length && a.impacted.every((id, index) => id === b.impacted[index]);
}

function areSameUptimes(a: Uptimes, b: Uptimes): boolean {
  return a.day === b.day && a.week === b.week && a.month === b.month && a.quarter === b.quarter;
}
