import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderHistoryPage } from '../../../src/serve/pages/history-page.ts';
import { dayNow, daySite as site } from '../../support/made-up-day.ts';

describe('the page of the history', () => {
  it('has one card for maintenance, as the status page', () => {
    const window = { title: 'New disks', start: '2026-11-20T02:00:00Z', end: '2026-11-20T04:00:00Z' };
    const page = renderHistoryPage({
      ...{ site, now: dayNow, incidents: [], alerts: [], monitors: [] },
      ...{ monitor: null, before: null, next: null },
      maintenance: [{ ...window, monitors: [] }],
    });
    assert.match(page, /<li><div class="mt">/);
    assert.doesNotMatch(page.split('<main')[1] ?? '', /class="note/);
  });
});
