/** The JSON of monitors: the same bytes as long as nothing in them changes, for all who are shown the same. */
import type { MonitorView } from '../../engine/views/monitor.ts';
import { createRecent } from '../responses/recent.ts';
import { pieceOf } from '../responses/pieces.ts';

export interface MonitorViewCache {
  /** The JSON of a view, open at its end for the bars, behind the brace that ends the one before. */
  readonly json: (view: MonitorView) => Buffer;
}

/** For the life of a configuration, which bounds how many monitors there are. Who is shown what is decided before. */
export function createMonitorViewCache(): MonitorViewCache {
  const texts = createRecent<{ readonly view: MonitorView; readonly json: Buffer }>(maxForms);
  return {
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
 * The public sees less of a monitor in trouble than those who know a token, and of what it took along each sees
 * what exists for them: few forms are in use at once.
 */
const maxForms = 3;

function isSameView(a: MonitorView, b: MonitorView): boolean {
  for (const key in a) {
    if (a[key as keyof MonitorView] !== b[key as keyof MonitorView] && key !== 'impacted') return false;
  }
  return a.impacted.length === b.impacted.length && a.impacted.every((id, index) => id === b.impacted[index]);
}
