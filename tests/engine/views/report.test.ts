import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  reportOf,
  reportParts,
  type ReportIncident,
  type ReportMonitor,
} from '../../../src/engine/views/report.ts';
import { monthSpan } from '../../../src/engine/core/instant.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** June has 30 days: 2,592,000 seconds, 43.2 minutes of which 99.9 % allows to fail. */
const june = Date.UTC(2026, 5, 1);
const afterJune = Date.UTC(2026, 7, 1);

function monitor(part: Partial<ReportMonitor> = {}): ReportMonitor {
  const secs = { up: 2_592_000, degraded: 0, down: 0, unknown: 0 };
  return { id: 'api', name: 'API', group: null, sloUptimePercent: null, secs, ...part };
}

function incident(startedAt: number, endedAt: number | null, id = 'api'): ReportIncident {
  return { monitor: id, startedAt, endedAt };
}

function rowOf(one: ReportMonitor, incidents: readonly ReportIncident[] = [], nowAt = afterJune) {
  const row = reportOf({ month: '2026-06', nowAt, monitors: [one], incidents })?.groups[0]?.rows[0];
  assert.ok(row);
  return row;
}

describe('the SLA report', () => {
  it('cuts uptime after two decimals and never rounds it up', () => {
    const secs = { up: 2_591_999, degraded: 0, down: 1, unknown: 0 };
    assert.equal(rowOf(monitor({ secs })).uptime, 9999);
    assert.equal(rowOf(monitor()).uptime, 10_000);
  });

  it('leaves unobserved time out of uptime, and shows it as coverage', () => {
    const secs = { up: 1_295_000, degraded: 0, down: 1000, unknown: 500 };
    const row = rowOf(monitor({ secs }));
    assert.equal(row.uptime, 9992);
    assert.equal(row.coverage, 5000);
    assert.equal(rowOf(monitor({ secs: { up: 0, degraded: 0, down: 0, unknown: 9 } })).uptime, null);
  });

  it('clips downtime to the month at both ends, and counts what began in it', () => {
    const row = rowOf(monitor(), [
      incident(june - 2 * hourMs, june + hourMs),
      incident(june + 30 * dayMs - hourMs, june + 30 * dayMs + 5 * hourMs),
    ]);
    assert.equal(row.incidents, 1);
    assert.equal(row.downtimeMs, 2 * hourMs);
  });

  it('leaves out incidents that only touch the month', () => {
    const row = rowOf(monitor(), [incident(june - hourMs, june), incident(june + 30 * dayMs, null)]);
    assert.deepEqual([row.incidents, row.downtimeMs, row.mttrMs], [0, 0, null]);
  });

  it('counts an incident in one month only: in which its first part outside of maintenance lies', () => {
    const maintained = [{ fromAt: june - 3 * hourMs, toAt: june + hourMs }];
    const outage = incident(june - 2 * hourMs, june + 2 * hourMs);
    assert.equal(rowOf(monitor({ maintained }), [outage]).incidents, 1);
    assert.equal(rowOf(monitor(), [outage]).incidents, 0);
  });

  it('counts an open incident up to now', () => {
    const nowAt = june + 10 * dayMs;
    const row = rowOf(monitor(), [incident(nowAt - 3 * hourMs, null), incident(june, june + hourMs)], nowAt);
    assert.equal(row.downtimeMs, 4 * hourMs);
    assert.equal(row.mttrMs, 2 * hourMs);
  });

  it('takes the mean of the parts within the month for the time to recovery', () => {
    const row = rowOf(monitor(), [
      incident(june - 3 * hourMs, june + hourMs),
      incident(june + dayMs, june + dayMs + 2 * hourMs),
      incident(june + 30 * dayMs - hourMs, june + 31 * dayMs),
    ]);
    assert.equal(row.mttrMs, (4 / 3) * hourMs);
  });

  it('meets an SLO to the second and misses it a second later', () => {
    const with99 = (down: number) =>
      rowOf(
        monitor({ sloUptimePercent: 99.9, secs: { up: 2_592_000 - down, degraded: 0, down, unknown: 0 } }),
      ).slo;
    assert.deepEqual(with99(2592), {
      kind: 'met',
      targetPercent: 99.9,
      budgetMinutes: 43.2,
      spentMinutes: 43.2,
      usedPercent: 100,
    });
    const missed = with99(2593);
    assert.equal(missed.kind, 'missed');
    assert.ok('usedPercent' in missed && missed.usedPercent === 101);
  });

  it('judges the uptime over the time covered, and allows the budget of the whole month', () => {
    // A day was seen: 99.9 % allows 86.4 s of it, and 43.2 minutes of June.
    const seen = (down: number) => {
      const secs = { up: 86_400 - down, degraded: 0, down, unknown: 0 };
      return rowOf(monitor({ sloUptimePercent: 99.9, secs }));
    };
    for (const down of [0, 86, 87, 600]) {
      const { slo, uptime } = seen(down);
      assert.ok('usedPercent' in slo);
      assert.equal(slo.kind === 'met', 100 * (1 - down / 86_400) >= 99.9, String(down));
      assert.equal(slo.usedPercent, Math.ceil((100 * down) / 2592), String(down));
      assert.equal(slo.budgetMinutes, 43.2);
      assert.equal(uptime, Math.floor(10_000 * (1 - down / 86_400)));
    }
  });

  it('says that an SLO has no data instead of counting it as met', () => {
    const secs = { up: 0, degraded: 0, down: 0, unknown: 60 };
    assert.deepEqual(rowOf(monitor({ sloUptimePercent: 99.9, secs })).slo, {
      kind: 'no_data',
      targetPercent: 99.9,
    });
  });

  it('has what is in no group last, as the status page', () => {
    const monitors = [monitor({ id: 'a', group: null }), monitor({ id: 'b', group: 'One' })];
    const report = reportOf({ month: '2026-06', nowAt: afterJune, monitors, incidents: [] });
    assert.deepEqual(
      report?.groups.map(({ name }) => name),
      ['One', null],
    );
  });

  it('adds up groups in the order of their first monitor', () => {
    const report = reportOf({
      month: '2026-06',
      nowAt: afterJune,
      monitors: [
        monitor({ id: 'a', group: 'Two', sloUptimePercent: 99 }),
        monitor({ id: 'b', group: 'One' }),
        monitor({
          id: 'c',
          group: 'Two',
          secs: { up: 0, degraded: 0, down: 2_592_000, unknown: 0 },
          sloUptimePercent: 99,
        }),
      ],
      incidents: [incident(june, june + 30 * dayMs, 'c'), incident(june, june + dayMs, 'gone')],
    });
    assert.ok(report);
    assert.deepEqual(
      report.groups.map(({ name }) => name),
      ['Two', 'One'],
    );
    const [two] = report.groups;
    assert.ok(two);
    assert.equal(two.total.uptime, 5000);
    assert.deepEqual([two.total.slosMet, two.total.slosMissed], [1, 1]);
    assert.equal(two.total.downtimeMs, 30 * dayMs);
    assert.deepEqual([report.total.incidents, report.total.uptime], [1, 6666]);
  });

  it('says of several monitors how long at least one was down, and their mean: never the sum', () => {
    const report = reportOf({
      month: '2026-06',
      nowAt: afterJune,
      monitors: [
        monitor({ id: 'a' }),
        monitor({ id: 'b' }),
        monitor({ id: 'c' }),
        monitor({ id: 'unseen', secs: { up: 0, degraded: 0, down: 0, unknown: 0 } }),
      ],
      incidents: [
        incident(june + 2 * hourMs, june + 5 * hourMs, 'b'),
        incident(june - hourMs, june + 3 * hourMs, 'a'),
        incident(june + 2.5 * hourMs, june + 4 * hourMs, 'a'),
        incident(june + 20 * hourMs, june + 21 * hourMs, 'b'),
      ],
    });
    assert.ok(report);
    assert.equal(report.total.downtimeMs, 6 * hourMs);
    assert.equal(report.total.meanDowntimeMs, (8 / 3) * hourMs);
  });

  it('counts once the time in which several were under maintenance, and leaves it out for each', () => {
    const secs = { up: 2_592_000 - 3 * 3600, degraded: 0, down: 0, unknown: 0 };
    const stretch = (fromHours: number, toHours: number) => ({
      fromAt: june + fromHours * hourMs,
      toAt: june + toHours * hourMs,
    });
    const monitors = [
      monitor({ id: 'a', secs, maintained: [stretch(10, 12), stretch(20, 21)] }),
      monitor({ id: 'b', secs, maintained: [stretch(9, 12)] }),
    ];
    const report = reportOf({ month: '2026-06', nowAt: afterJune, monitors, incidents: [] });
    assert.equal(report?.total.maintenanceMs, 4 * hourMs);
    assert.equal(report.total.coverage, 10_000);
    assert.deepEqual(
      report.groups[0]?.rows.map(({ maintenanceMs }) => maintenanceMs),
      [3 * hourMs, 3 * hourMs],
    );
  });

  it('rounds what grows, but takes the mean of what there is', () => {
    const nowAt = june + 2 * hourMs;
    const ids = ['a', 'b', 'c', 'd'];
    const report = reportOf({
      month: '2026-06',
      nowAt,
      monitors: ids.map((id) => monitor({ id })),
      incidents: [
        incident(june, june + 60_000, 'a'),
        ...ids.slice(1).map((id) => incident(nowAt - 100_000, null, id)),
      ],
      isRounded: true,
    });
    assert.deepEqual(
      report?.groups[0]?.rows.map(({ downtimeMs }) => downtimeMs),
      [60_000, 60_000, 60_000, 60_000],
    );
    // A minute and three times 100 seconds are 90 seconds each.
    assert.equal(report.total.meanDowntimeMs, 60_000);
    const exact = reportOf({
      month: '2026-06',
      nowAt,
      monitors: ids.map((id) => monitor({ id })),
      incidents: ids.map((id) => incident(nowAt - (id === 'a' ? 10_000 : 130_000), null, id)),
      isRounded: true,
    });
    // 10 and three times 130 seconds: 100 each, not a minute and three times two.
    assert.equal(exact?.total.meanDowntimeMs, 60_000);
  });

  it('measures the coverage of a running month against what has passed', () => {
    const secs = { up: 86_400, degraded: 0, down: 0, unknown: 0 };
    const report = reportOf({
      month: '2026-06',
      nowAt: june + 2 * dayMs,
      monitors: [monitor({ secs })],
      incidents: [],
    });
    assert.equal(report?.isRunning, true);
    assert.equal(report.total.coverage, 5000);
  });

  it('knows a month when it sees one', () => {
    assert.deepEqual(monthSpan('2026-12'), { fromAt: Date.UTC(2026, 11, 1), toAt: Date.UTC(2027, 0, 1) });
    for (const wrong of ['2026-13', '2026-00', '2026-6', '26-06', '2026-06-01', '', '1969-12']) {
      assert.equal(monthSpan(wrong), null);
    }
    assert.equal(reportOf({ month: 'June', nowAt: 0, monitors: [], incidents: [] }), null);
  });
});

describe('the report of many monitors', () => {
  it('is made in steps, of a monitor or of some hundred incidents each, and is the same', () => {
    const monitors = Array.from({ length: 300 }, (_, n) => ({
      id: `m${n}`,
      name: `M ${n}`,
      group: null,
      sloUptimePercent: 99.9,
      secs: { up: 2_000_000, degraded: 100, down: 300, unknown: 0 },
    }));
    const startedAt = Date.UTC(2026, 5, 10);
    const incidents = Array.from({ length: 3000 }, (_, n) => ({
      monitor: `m${n % 300}`,
      startedAt: startedAt + n * 1000,
      endedAt: startedAt + n * 1000 + 60_000,
    }));
    const facts = { month: '2026-06', nowAt: Date.UTC(2026, 6, 3), monitors, incidents };
    const steps = reportParts(facts);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    assert.deepEqual(step.value, reportOf(facts));
    assert.equal(step.value?.total.incidents, 3000);
    assert.ok(count > 300 + 3000 / 200, `${count}`);
  });
});
