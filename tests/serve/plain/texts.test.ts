import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderHistoryText } from '../../../src/serve/plain/history-text.ts';
import { reportTextSteps } from '../../../src/serve/plain/report-text.ts';
import { statusTextSteps } from '../../../src/serve/plain/status-text.ts';
import { atOnce } from '../../../src/engine/core/yielding.ts';
import { assertGolden } from '../../support/golden.ts';
import { dayAlerts, dayIncidents, dayNow, madeUpDay, madeUpReport } from '../../support/made-up-day.ts';

function golden(name: string, text: string): void {
  assertGolden(new URL(`golden/${name}.txt`, import.meta.url), text);
}

describe('the plain text', () => {
  for (const kind of ['healthy', 'outage', 'empty', 'first'] as const) {
    it(`of the status page reads well on a day that is ${kind}`, () => {
      golden(`status-${kind}`, atOnce(statusTextSteps({ ...madeUpDay(kind), group: null, width: 80 })));
    });
  }

  it('calls nothing degraded that only one check found so, as the page does, and what is confirmed so', () => {
    const textOf = (state: 'up' | 'degraded') => {
      const day = madeUpDay('healthy');
      const monitors = day.summary.monitors.map((each) => ({ ...each, status: 'degraded' as const, state }));
      const summary = { ...day.summary, monitors };
      return atOnce(statusTextSteps({ ...day, summary, group: null, width: 80 }));
    };
    assert.doesNotMatch(textOf('up'), /\d degraded\n/);
    assert.match(textOf('degraded'), /\d degraded\n/);
  });

  it('shows more where there is more room, and less where there is less', () => {
    const facts = { ...madeUpDay('outage', 13), group: 'Public' };
    golden('status-160', atOnce(statusTextSteps({ ...facts, width: 160 })));
    golden('status-40', atOnce(statusTextSteps({ ...facts, width: 40 })));
  });

  it('of the history reads well', () => {
    const facts = { title: 'Harbour', now: dayNow, incidents: dayIncidents, alerts: dayAlerts, width: 80 };
    golden('history', renderHistoryText({ ...facts, next: '1700000000000-i-05', nameOf: (id) => id }));
    golden(
      'history-empty',
      renderHistoryText({ ...facts, incidents: [], alerts: [], next: null, nameOf: (id) => id }),
    );
  });

  it('of the report reads well', () => {
    golden(
      'report',
      atOnce(
        reportTextSteps({
          title: 'Harbour',
          report: madeUpReport(),
          recordMonth: '2026-10',
          closed: null,
          group: null,
          width: 80,
        }),
      ),
    );
  });
});
