import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { graphOf } from '../../../src/engine/core/graph.ts';
import type { StatusSecs } from '../../../src/engine/core/slo.ts';
import type { Status } from '../../../src/engine/core/status.ts';
import {
  announcementViews,
  channelViews,
  groupViews,
  maintenanceViews,
  overallOf,
} from '../../../src/engine/views/frame.ts';
import { dayView, marksOf } from '../../../src/engine/views/day.ts';
import { type MonitorFacts, monitorView, type Reader } from '../../../src/engine/views/monitor.ts';
import { load } from '../../support/config.ts';

const nowAt = Date.UTC(2026, 5, 7, 12);
const hourMs = 3_600_000;

const operator: Reader = {
  nowAt,
  isTrusted: true,
  isVisible: () => true,
  hasDetail: () => true,
  isCritical: () => false,
};
const stranger: Reader = {
  nowAt,
  isTrusted: false,
  isVisible: (id) => id !== 'hidden',
  hasDetail: () => false,
  isCritical: () => false,
};

const secs = (given: Partial<StatusSecs>): StatusSecs => ({
  up: 0,
  degraded: 0,
  down: 0,
  unknown: 0,
  ...given,
});

describe('a day', () => {
  const at = nowAt - 12 * hourMs;
  const minutes = (count: number) => ({
    down_minutes: count,
    incidents: count > 0 ? 1 : 0,
    begun: count > 0 ? 1 : 0,
    maintenance: false,
  });

  it('is down when an outage was confirmed, degraded when that lasted, and never for what nothing confirmed', () => {
    for (const [given, down, state, uptime] of [
      [{}, 0, 'unknown', null],
      [{ unknown: 86_400 }, 0, 'unknown', null],
      // Nothing shows that it worked, no outage was confirmed, and so little is known.
      [{ down: 599, unknown: 100 }, 0, 'unknown', null],
      [{ up: 1, down: 600 }, 0, 'up', 1],
      [{ up: 86_400 }, 0, 'up', 1000],
      [{ up: 85_000, down: 1400 }, 0, 'up', 983],
      [{ up: 86_399, down: 1 }, 1, 'down', 999],
      [{ unknown: 86_400 }, 12, 'down', null],
      [{ up: 85_801, degraded: 599 }, 0, 'up', 1000],
      [{ up: 85_800, degraded: 600 }, 0, 'degraded', 1000],
    ] as const) {
      assert.deepEqual(dayView({ at, secs: secs(given) }, minutes(down)), {
        date: '2026-06-07',
        state,
        uptime_permille: uptime,
        ...minutes(down),
      });
    }
  });

  it('is down as long as the uptime says where nothing but failures is known, as of a daily job', () => {
    const failed = dayView({ at, secs: secs({ down: 86_399, unknown: 1 }) });
    const { state, uptime_permille: uptime, down_minutes: minutesDown, incidents } = failed;
    assert.deepEqual([state, uptime, minutesDown, incidents], ['down', 0, 1439, 0]);
  });

  it('has the downtime of its outages, without maintenance, no minute twice', () => {
    const day = 24 * hourMs;
    const outages = [
      { startedAt: at - day + 23 * hourMs, endedAt: at + hourMs },
      { startedAt: at + hourMs / 2, endedAt: at + 2 * hourMs },
      { startedAt: at + 3 * hourMs, endedAt: at + 3 * hourMs + 5000 },
      { startedAt: at + 5 * hourMs, endedAt: at + 6 * hourMs },
      { startedAt: at + 11.5 * hourMs, endedAt: null },
    ];
    const maintenance = [{ startedAt: at + 4 * hourMs, endedAt: at + 7 * hourMs }];
    const marks = marksOf({ outages, maintenance }, { fromAt: at - 2 * day, nowAt });
    assert.deepEqual(
      [...marks].toSorted(([a], [b]) => a - b),
      [
        [at - day, { down_minutes: 60, incidents: 1, begun: 1, maintenance: false }],
        [at, { down_minutes: 150, incidents: 4, begun: 3, maintenance: true }],
      ],
    );
    const short = [{ startedAt: at, endedAt: at + 1 }];
    const only = marksOf({ outages: short, maintenance: [] }, { fromAt: at, nowAt });
    assert.equal(only.get(at)?.down_minutes, 1, 'an outage is never none');
    assert.equal(marksOf({ outages: short, maintenance: [] }, { fromAt: at + day, nowAt }).size, 0);
  });

  it('is under no maintenance before it begins', () => {
    const later = [{ startedAt: nowAt + hourMs, endedAt: nowAt + 2 * hourMs }];
    const marked = (now: number) => marksOf({ outages: [], maintenance: later }, { fromAt: at, nowAt: now });
    assert.deepEqual([...marked(nowAt)], []);
    assert.equal(marked(nowAt + hourMs + 599_000).get(at)?.maintenance, false, 'less than ten minutes');
    assert.equal(marked(nowAt + hourMs + 600_000).get(at)?.maintenance, true);
    const outages = [{ startedAt: at + hourMs, endedAt: nowAt }];
    assert.equal(marksOf({ outages, maintenance: later }, { fromAt: at, nowAt }).get(at)?.maintenance, false);
  });
});

describe('the overall word', () => {
  const of = (...statuses: readonly Status[]) => statuses.map((status) => ({ status }));

  it('is that of the worst that is known', () => {
    for (const [statuses, overall, label, state] of [
      [[], 'unknown', 'No monitors', 'unknown'],
      [['unknown'], 'unknown', 'No data yet', 'unknown'],
      [['up', 'up'], 'up', 'All systems operational', 'up'],
      [['up', 'unknown'], 'up', 'Operational, as far as is known', 'up'],
      [['up', 'degraded', 'unknown'], 'degraded', 'Degraded performance', 'degraded'],
      [['up', 'down', 'degraded'], 'down', 'Partial outage', 'partial_outage'],
      [['up', 'down'], 'down', 'Major outage', 'major_outage'],
      [['down', 'down'], 'down', 'Major outage', 'major_outage'],
    ] as const) {
      assert.deepEqual(overallOf(of(...statuses)), {
        overall,
        overall_label: label,
        overall_state: state,
      });
    }
  });

  it('is a major outage when a critical monitor is down, however many are up', () => {
    const others = of(...Array.from({ length: 20 }, () => 'up' as const));
    assert.equal(overallOf([{ status: 'down' }, ...others]).overall_state, 'partial_outage');
    assert.equal(overallOf([{ status: 'down', critical: true }, ...others]).overall_state, 'major_outage');
    assert.equal(overallOf([{ status: 'up', critical: true }, ...others]).overall_state, 'up');
  });

  it('is maintenance when that explains what is down, and operational after one unconfirmed failure', () => {
    const up = { status: 'up' } as const;
    assert.deepEqual(overallOf([{ status: 'down', state: 'maintenance' }, up]), {
      overall: 'down',
      overall_label: 'Under maintenance',
      overall_state: 'maintenance',
    });
    assert.deepEqual(overallOf([{ status: 'degraded', state: 'up' }, up]), {
      overall: 'degraded',
      overall_label: 'All systems operational',
      overall_state: 'up',
    });
  });

  it('is never that all is up while this node cannot see its targets', () => {
    const blind = { sinceAt: Date.UTC(2026, 0, 1, 14, 5), nowAt: Date.UTC(2026, 0, 1, 15) };
    const label = 'Unknown: this node cannot see its targets since 14:05 UTC';
    for (const statuses of [['unknown'], ['up', 'unknown'], ['up', 'degraded', 'unknown']] as const)
      assert.deepEqual(overallOf(of(...statuses), blind), {
        overall: 'unknown',
        overall_label: label,
        overall_state: 'unknown',
      });
    assert.equal(overallOf(of('up', 'down', 'unknown'), blind).overall, 'down', 'an outage is known');
    assert.equal(overallOf(of('up', 'up'), blind).overall, 'up', 'nothing that is shown is out of sight');
    const tomorrow = { ...blind, nowAt: Date.UTC(2026, 0, 2) };
    assert.match(overallOf(of('unknown'), tomorrow).overall_label, /since 1 Jan 2026, 14:05 UTC$/);
  });
});

describe('announcements', () => {
  const pinned = [
    {
      id: 4,
      title: 'Move',
      body: null,
      severity: 'info' as const,
      untilAt: nowAt + hourMs,
      createdAt: nowAt,
    },
  ];
  const notices = [
    { title: 'Slow', body: 'in Europe', severity: 'warning' as const, at: nowAt - hourMs },
    { title: 'Always', body: '', severity: 'resolved' as const, at: null },
    { title: 'Tomorrow', body: '', severity: 'info' as const, at: nowAt + 1 },
  ];

  it('are the pinned ones, then the notices that hold, with numbers for the operator alone', () => {
    const seen = announcementViews(pinned, notices, stranger);
    assert.deepEqual(seen, [
      {
        title: 'Move',
        body: null,
        severity: 'info',
        at: '2026-06-07T12:00:00Z',
        until: '2026-06-07T13:00:00Z',
      },
      { title: 'Slow', body: 'in Europe', severity: 'warning', at: '2026-06-07T11:00:00Z', until: null },
      { title: 'Always', body: null, severity: 'resolved', at: null, until: null },
    ]);
    assert.deepEqual(
      announcementViews(pinned, notices, operator),
      seen.map((each, index) => ({ id: index === 0 ? 4 : null, ...each })),
    );
  });
});

describe('maintenance windows', () => {
  it('are those not over, the next one first, without what does not exist for the reader', () => {
    const windows = [
      { title: 'over', startAt: nowAt - hourMs, endAt: nowAt, monitors: [] },
      { title: 'now', startAt: nowAt - hourMs, endAt: nowAt + hourMs, monitors: ['web', 'hidden'] },
      { title: 'private', startAt: nowAt, endAt: nowAt + hourMs, monitors: ['hidden'] },
      { title: 'later', startAt: nowAt + hourMs, endAt: nowAt + 2 * hourMs, monitors: [] },
    ].map((window) => ({ ...window, isRecurring: false }));
    const titles = (reader: Reader) => maintenanceViews(windows, reader).map(({ title }) => title);
    assert.deepEqual(titles(operator), ['now', 'private', 'later']);
    assert.deepEqual(titles(stranger), ['now', 'later']);
    assert.deepEqual(maintenanceViews(windows, stranger)[0]?.monitors, ['web']);
  });
});

describe('channels', () => {
  it('are all that are configured, failing from the threshold on', () => {
    const facts = [
      { channel: 'ops', consecutiveFailures: 3, failingSinceAt: nowAt - 61_500 },
      { channel: 'dev', consecutiveFailures: 2, failingSinceAt: nowAt + 5 },
      { channel: 'gone', consecutiveFailures: 9, failingSinceAt: 0 },
    ];
    const configured = [{ name: 'dev' }, { name: 'new' }, { name: 'ops' }];
    assert.deepEqual(channelViews(configured, facts, { threshold: 3, nowAt }), [
      { name: 'dev', failing: false, consecutive_failures: 2, failing_for_secs: 0 },
      { name: 'new', failing: false, consecutive_failures: 0, failing_for_secs: 0 },
      { name: 'ops', failing: true, consecutive_failures: 3, failing_for_secs: 61 },
    ]);
  });
});

describe('groups', () => {
  it('come in the order in which they appear', () => {
    const monitors = [
      { id: 'a', group: 'two' },
      { id: 'b', group: null },
      { id: 'c', group: 'one' },
      { id: 'd', group: 'two' },
    ];
    assert.deepEqual(groupViews(monitors), [
      { name: 'two', ids: ['a', 'd'] },
      { name: 'one', ids: ['c'] },
    ]);
  });
});

describe('a monitor of the summary', () => {
  const facts: MonitorFacts = {
    status: 'down',
    isUnconfirmed: false,
    last: {
      at: nowAt - 5000,
      status: 'down',
      latencyMs: null,
      category: 'timeout',
      message: 'no answer from 10.0.0.1 within 10 s',
    },
    day: { uptimePermille: 990, coveragePermille: 1000, p50Ms: 10, p95Ms: 20, p99Ms: 30 },
    sloSecs: secs({ up: 86_400, down: 100 }),
    certExpiresAt: nowAt + 10 * 24 * hourMs - 1,
    domainExpiresAt: nowAt - 1,
    cause: 'hidden',
    impacted: ['hidden', 'app'],
  };

  async function seen(reader: Reader, given: MonitorFacts = facts) {
    const { config } = await load(`
      [[monitors]]
      id = "web"
      target = "https://example.com"
      depends_on = ["db"]
      slo_uptime = 99.9
      [[monitors]]
      id = "db"
      target = "https://db.example.com"
    `);
    const [monitor] = config.monitors;
    assert.ok(monitor !== undefined);
    const graph = graphOf(config.monitors.map(({ id, depends_on }) => ({ id, dependsOn: depends_on })));
    const silence = { id: 1, monitors: ['db'], untilAt: nowAt + hourMs };
    const situation = { mutes: { silences: [silence], maintenances: [] }, graph, nowAt };
    return monitorView(monitor, given, { reader, situation });
  }

  it('has everything for the operator', async () => {
    assert.deepEqual(await seen(operator), {
      id: 'web',
      name: 'web',
      group: null,
      kind: 'http',
      status: 'down',
      last_checked: '2026-06-07T11:59:55Z',
      last_latency_ms: null,
      last_error: 'no answer from 10.0.0.1 within 10 s',
      uptime_24h_permille: 990,
      latency_p50_ms: 10,
      latency_p95_ms: 20,
      latency_p99_ms: 30,
      slo_latency_ms: null,
      slo_uptime_pct: 99.9,
      error_budget_minutes_total: 43.2,
      error_budget_minutes_left: 41.5,
      maintenance: false,
      unstable_since: null,
      silenced_until: null,
      cert_expiry_days: 9,
      domain_expiry_days: -1,
      coverage_24h_permille: 1000,
      cause: 'hidden',
      impacted: ['hidden', 'app'],
    });
  });

  it('shows the public only the category of the error, and nothing of what is private', async () => {
    const view = await seen(stranger);
    assert.equal(view.last_error, 'timeout');
    assert.equal(view.cause, null);
    assert.deepEqual(view.impacted, ['app']);
  });

  it('has no error when the last probe was healthy, whatever it read', async () => {
    const last = { at: nowAt, status: 'up' as const, latencyMs: 3, category: null, message: 'all fine' };
    const view = await seen(operator, { ...facts, last });
    assert.equal(view.last_error, null);
    assert.equal(view.last_latency_ms, 3);
  });
});
