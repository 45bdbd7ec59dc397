import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MonitorView } from '../../../src/engine/views/monitor.ts';
import { createMonitorViewCache } from '../../../src/serve/scope/monitor-view-cache.ts';
import { createHistoryTexts } from '../../../src/serve/scope/history-text.ts';
import { madeUpDay } from '../../support/made-up-day.ts';

function viewOf(): MonitorView {
  const [monitor] = madeUpDay('healthy', 1).summary.monitors;
  assert.ok(monitor !== undefined);
  return { ...monitor, history: undefined, impacted: ['a', 'b'], kind: 'http' } as unknown as MonitorView;
}

/** Another value for every field, the id aside. */
function changes(view: MonitorView): MonitorView[] {
  return Object.entries(view).flatMap(([key, value]) => {
    if (key === 'id' || key === 'history') return [];
    if (key === 'impacted')
      return [
        { ...view, impacted: ['a'] },
        { ...view, impacted: ['a', 'c'] },
      ];
    return [{ ...view, [key]: value === null ? 1 : null }];
  });
}

describe('cards', () => {
  const uptimes = { day: 1, week: 2, month: 3, quarter: null };
  const cachedHistory = createHistoryTexts().of('a', []);

  it('stay the same object while nothing in them changes', () => {
    const views = createMonitorViewCache();
    const card = views.of({ view: viewOf(), history: cachedHistory, uptimes });
    assert.equal(views.of({ view: viewOf(), history: cachedHistory, uptimes: { ...uptimes } }), card);
    assert.equal(views.json(viewOf()), views.json(viewOf()));
  });

  it('are the same for all who are shown the same, also while others are shown more', () => {
    const views = createMonitorViewCache();
    const [less, more] = [viewOf(), { ...viewOf(), last_error: 'connection refused' }];
    const known = [less, more].map((view) => views.of({ view, history: cachedHistory, uptimes }));
    assert.notEqual(known[0], known[1]);
    assert.equal(known[0]?.last_error, less.last_error);
    for (const [index, view] of [less, more, less].entries()) {
      assert.equal(views.of({ view: { ...view }, history: cachedHistory, uptimes }), known[index % 2]);
    }
  });

  it('are another object whatever changes', () => {
    const view = viewOf();
    const other = createHistoryTexts().of('a', [
      { at: 0, secs: { up: 1, degraded: 0, down: 0, unknown: 0 } },
    ]);
    const shown = { view, history: cachedHistory, uptimes };
    for (const changed of [
      ...changes(view).map((each) => ({ ...shown, view: each })),
      { ...shown, history: other },
      ...Object.keys(uptimes).map((key) => ({ ...shown, uptimes: { ...uptimes, [key]: 9 } })),
    ]) {
      const views = createMonitorViewCache();
      assert.notEqual(views.of(changed), views.of(shown), JSON.stringify(changed));
      if (changed.view !== view) assert.notDeepEqual(views.json(changed.view), views.json(view));
    }
  });
});
