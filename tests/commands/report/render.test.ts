import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import stringWidth from 'string-width';
import { reportJson } from '../../../src/commands/report/perform.ts';
import { reportText } from '../../../src/commands/report/render.ts';
import { type Report, reportOf } from '../../../src/engine/views/report.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';

const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);
const heading = { title: 'Example Status', group: null, isQuiet: false };
const hour = 3_600_000;
const fromAt = Date.UTC(2026, 9, 1);
const monitor = (
  id: string,
  parts: { name?: string; group?: string | null; slo?: number; secs?: readonly number[] },
) => {
  const [up = 2_600_000, degraded = 0, down = 0] = parts.secs ?? [];
  return {
    id,
    name: parts.name ?? id,
    group: parts.group ?? null,
    sloUptimePercent: parts.slo ?? null,
    secs: { up, degraded, down, unknown: 0 },
  };
};

function made(nowAt: number): Report {
  const report = reportOf({
    month: '2026-10',
    nowAt,
    monitors: [
      monitor('gateway', { name: 'Gateway', group: 'Network', slo: 99.9, secs: [2_600_000, 100, 3000] }),
      monitor('shop', {
        name: `監視 ${'a long name '.repeat(8)}`,
        group: 'Shop\u001b[31m',
        slo: 95,
        secs: [2_600_000, 0, 90_000],
      }),
      monitor('api', { name: 'API', group: 'Shop\u001b[31m', slo: 99, secs: [0] }),
      monitor('db', {}),
      monitor('new', { secs: [100, 0, 0] }),
    ],
    incidents: [
      { monitor: 'gateway', startedAt: fromAt + hour, endedAt: fromAt + 2 * hour },
      { monitor: 'shop', startedAt: fromAt - hour, endedAt: fromAt + 24 * hour },
      { monitor: 'shop', startedAt: fromAt + 100 * hour, endedAt: null },
    ],
  });
  assert.ok(report !== null);
  return report;
}
const report = {
  report: made(Date.UTC(2026, 10, 21)),
  recordMonth: '2026-08',
  closed: null,
  recomputed: null,
};
const running = {
  report: made(Date.UTC(2026, 9, 20, 7, 30)),
  recordMonth: '2026-08',
  closed: null,
  recomputed: null,
};

describe('a report on the terminal', () => {
  for (const columns of [80, 200]) {
    for (const isColoured of [false, true]) {
      it(`is as it was at ${columns} columns, ${isColoured ? 'with' : 'without'} colour`, () => {
        const text = reportText(report, heading, outputOf({ columns, isColoured }));
        assertGolden(golden(`report.${columns}${isColoured ? '.colour' : ''}.txt`), text);
      });
    }
  }

  it('has all its columns in a pipe', () => {
    const text = reportText(report, heading, outputOf({ columns: null, isColoured: false }));
    assert.match(text, /MONITOR +UPTIME +COVERAGE +INCIDENTS +DOWNTIME +RECOVERY +SLO +BUDGET\n/);
  });

  for (const columns of [40, 60, 80, 100, 132]) {
    it(`keeps to ${columns} columns, the uptime among them`, () => {
      const text = reportText(
        report,
        { ...heading, isQuiet: true },
        outputOf({ columns, isColoured: false }),
      );
      const whole = reportText(report, heading, outputOf({ columns, isColoured: false }));
      for (const line of [...text.split('\n'), ...whole.split('\n')])
        assert.ok(stringWidth(line) <= columns, line);
      assert.match(text, /MONITOR +UPTIME/);
    });
  }

  it('says that the month still runs', () => {
    const text = reportText(running, heading, outputOf({ columns: 80, isColoured: false }));
    assert.match(text, /\nThe month still runs: figures up to 2026-10-20 07:30 UTC\.\n/);
    assert.doesNotMatch(
      reportText(report, heading, outputOf({ columns: 80, isColoured: false })),
      /still runs/,
    );
  });

  it('is the same for a program', () => {
    assertGolden(golden('report.json'), `${JSON.stringify(reportJson(report), null, 2)}\n`);
  });
});
