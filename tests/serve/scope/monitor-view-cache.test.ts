import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MonitorView } from '../../../src/engine/views/monitor.ts';
import { createMonitorViewCache } from '../../../src/serve/scope/monitor-view-cache.ts';
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

describe('the JSON of a monitor', () => {
  it('stays the same bytes while nothing in it changes', () => {
    const views = createMonitorViewCache();
    assert.equal(views.json(viewOf()), views.json(viewOf()));
  });

  it('stays the same for all who are shown the same, also while others are shown more', () => {
    const views = createMonitorViewCache();
    const [less, more] = [viewOf(), { ...viewOf(), last_error: 'connection refused' }];
    const known = [less, more].map((view) => views.json(view));
    assert.notDeepEqual(known[0], known[1]);
    for (const [index, view] of [less, more, less].entries())
      assert.equal(views.json({ ...view }), known[index % 2]);
  });

  it('is other bytes whatever changes', () => {
    const view = viewOf();
    for (const changed of changes(view)) {
      const views = createMonitorViewCache();
      assert.notDeepEqual(views.json(changed), views.json(view), JSON.stringify(changed));
    }
  });
});
