/** Made-up summaries and the means to draw them. */
import type { IncidentView } from '../../src/engine/views/incident.ts';
import type { PageMonitor, PageSummary } from '../../src/engine/views/page.ts';
import type { LiveMonitor, LiveView } from '../../src/engine/views/live.ts';
import type { Detail, Model } from '../../src/tui/model.ts';
import { initialState, reduce, type Event, type ScreenState } from '../../src/tui/state.ts';

const nowAt = Date.UTC(2026, 10, 21, 14, 5, 9);
const now = new Date(nowAt).toISOString();

export function monitorOf(id: string, given: Partial<PageMonitor> = {}): PageMonitor {
  return {
    id,
    name: id,
    group: null,
    kind: 'http',
    status: 'up',
    last_checked: new Date(nowAt - 4000).toISOString(),
    last_latency_ms: 40,
    last_error: null,
    uptime_24h_permille: 1000,
    latency_p50_ms: 40,
    latency_p95_ms: 90,
    latency_p99_ms: 130,
    slo_latency_ms: null,
    slo_uptime_pct: null,
    error_budget_minutes_total: null,
    error_budget_minutes_left: null,
    maintenance: false,
    silenced_until: null,
    unstable_since: null,
    cert_expiry_days: null,
    domain_expiry_days: null,
    history: [],
    coverage_24h_permille: 1000,
    cause: null,
    impacted: [],
    ...given,
  };
}

function incidentOf(given: Partial<IncidentView> = {}): IncidentView {
  return {
    id: 12,
    uid: 'k3jd8s2a',
    monitor: 'api',
    name: 'Public API',
    kind: 'down',
    started_at: '2026-11-21T13:52:35Z',
    confirmed_at: '2026-11-21T13:54:35Z',
    ended_at: null,
    duration_secs: 754,
    reason: 'the connection is refused',
    error: 'the connection is refused',
    latest_reason: null,
    cause: null,
    impacted: ['search'],
    note: null,
    vantage: null,
    state: 'detected',
    impact: 'partial',
    acknowledged: null,
    monitors: ['api'],
    updates: [],
    ...given,
  };
}

export function summaryOf(monitors: readonly PageMonitor[], given: Partial<PageSummary> = {}): PageSummary {
  return {
    title: 'Example Systems',
    overall: 'down',
    overall_label: 'Partial outage',
    generated_at: now,
    incidents: [],
    announcements: [],
    maintenances: [],
    groups: [],
    monitors,
    peers: [],
    peer_counts: { up: 0, down: 0, link_degraded: 0, unknown: 0 },
    channels: [],
    ...given,
  };
}

export function modelOf(summary: PageSummary, given: Partial<Model> = {}): Model {
  return { summary, readAt: nowAt, source: 'statusd.db', ...given };
}

/** The last checks of a monitor that is as it is since a while, its day with a slope, and a quarter with two bad days. */
function liveMonitorOf({ id, status }: Pick<PageMonitor, 'id' | 'status'>): LiveMonitor {
  const isKnown = status !== 'unknown';
  return {
    id,
    target: `https://${id}.example.com/`,
    dependents: id === 'api' ? ['search'] : [],
    checks: isKnown ? Array.from({ length: 30 }, (_, index) => (index < 21 ? 'up' : status)) : [],
    hours: Array.from({ length: 24 }, (_, hour) => ({
      latency_ms: !isKnown || hour === 20 ? null : 5 * 2 ** Math.floor(hour / 3),
      status: !isKnown || hour === 20 ? 'unknown' : hour === 23 ? status : 'up',
    })),
    days: Array.from({ length: 90 }, (_, day) =>
      day < 10 ? 'unknown' : day === 50 ? 'down' : day === 70 ? 'degraded' : 'up',
    ),
  };
}

/** What a source says beyond such a summary. */
export function liveOf({ monitors }: PageSummary, given: Partial<LiveView> = {}): LiveView {
  return {
    alerts_by_hour: Array.from({ length: 24 }, (_, hour) => [0, 1, 3][hour % 7] ?? 0),
    feed: [
      {
        at: '2026-11-21T13:54:45Z',
        kind: 'failed',
        monitor: 'api',
        text: 'not delivered to ops: Public API down',
      },
      { at: '2026-11-21T13:54:45Z', kind: 'sent', monitor: 'api', text: 'sent to mail: Public API down' },
      {
        at: '2026-11-21T13:54:40Z',
        kind: 'suppressed',
        monitor: 'search',
        text: 'not sent: Search down. An upstream it depends on is down; the message about the upstream names it.',
      },
      {
        at: '2026-11-21T13:54:35Z',
        kind: 'down',
        monitor: 'api',
        text: 'Public API is down: the connection is refused',
      },
      { at: '2026-11-21T13:50:00Z', kind: 'changed', monitor: 'api', text: 'deploy v2.14' },
      { at: '2026-11-20T20:10:00Z', kind: 'up', monitor: 'mail', text: 'Mail relay recovered after 4m 12s' },
    ],
    incidents: [
      {
        uid: 'k3jd8s2a',
        sent: [{ channel: 'mail', at: '2026-11-21T13:54:45Z' }],
        failed: ['ops'],
        folded: false,
        withheld: null,
      },
    ],
    silences: [{ id: 3, monitors: ['web'], until: '2026-11-21T15:00:00Z', reason: 'rack move' }],
    monitors: monitors.map((monitor) =>
      monitor.id === 'mail' ? { ...liveMonitorOf(monitor), checks: flapping } : liveMonitorOf(monitor),
    ),
    ...given,
  };
}

const flapping = Array.from({ length: 30 }, (_, index): 'up' | 'down' => (index % 5 === 0 ? 'down' : 'up'));

/** Seven monitors, one down, one slow, one silent, one nobody knows of; a broken channel; banners. */
export function troubled(): PageSummary {
  return summaryOf(
    [
      monitorOf('db', {
        name: 'Primary database',
        group: 'Core',
        latency_p50_ms: 4,
        latency_p95_ms: 7,
        latency_p99_ms: 12,
      }),
      monitorOf('api', {
        name: 'Public API',
        group: 'Core',
        status: 'down',
        uptime_24h_permille: 987,
        last_error: 'the connection is refused',
        impacted: ['search'],
        slo_uptime_pct: 99.9,
        error_budget_minutes_total: 43.2,
        error_budget_minutes_left: -12.5,
      }),
      monitorOf('search', {
        name: 'Search',
        group: 'Core',
        status: 'degraded',
        latency_p95_ms: 1340,
        slo_latency_ms: 800,
        last_error: 'slower than 1000 ms: 1340 ms',
        cause: 'api',
      }),
      monitorOf('web', {
        name: 'Website',
        group: 'Edge',
        cert_expiry_days: 9,
        silenced_until: '2026-11-21T15:00:00Z',
      }),
      monitorOf('kyoto', { name: '京都 edge', group: 'Edge', maintenance: true }),
      monitorOf('mail', { name: 'Mail relay', kind: 'tcp' }),
      monitorOf('backup', {
        name: 'Nightly backup',
        kind: 'push',
        status: 'unknown',
        last_checked: null,
        uptime_24h_permille: null,
        latency_p50_ms: null,
        latency_p95_ms: null,
        latency_p99_ms: null,
      }),
    ],
    {
      incidents: [incidentOf()],
      announcements: [{ title: 'Slow today', body: 'We know.', severity: 'warning', at: now, until: null }],
      maintenances: [
        {
          title: 'New rack',
          start: '2026-11-21T14:00:00Z',
          end: '2026-11-21T16:00:00Z',
          monitors: ['kyoto'],
        },
      ],
      groups: [
        { name: 'Core', ids: ['db', 'api', 'search'] },
        { name: 'Edge', ids: ['web', 'kyoto'] },
      ],
      channels: [
        { name: 'ops', failing: true, consecutive_failures: 4, failing_for_secs: 600 },
        { name: 'mail', failing: false, consecutive_failures: 0, failing_for_secs: 0 },
      ],
    },
  );
}

export function detailOf(given: Partial<Detail> = {}): Detail {
  const fromSecs = nowAt / 1000 - 86_400;
  const latency = Array.from({ length: 288 }, (_, index) => ({
    t: fromSecs + index * 300,
    latency_ms: 40 + Math.round(30 * Math.sin(index / 30)),
  })).filter(({ t }) => t < nowAt / 1000 - 754);
  return {
    id: 'api',
    hours: 24,
    latency,
    days: null,
    incidents: [
      incidentOf(),
      incidentOf({
        id: 9,
        ended_at: '2026-11-19T08:10:00Z',
        started_at: '2026-11-19T08:00:00Z',
        duration_secs: 600,
        note: 'the router was replaced',
      }),
    ],
    explanation: {
      headline: [
        'Incident 12: api is down since 13:52:35 UTC, for 12m 34s.',
        'Sent to mail; not yet to ops.',
      ],
      timeline: [
        {
          at: nowAt - 754_000,
          kind: 'happened',
          channel: null,
          event: null,
          reason: null,
          text: 'The first check failed.',
          times: 1,
        },
        {
          at: nowAt - 600_000,
          kind: 'told',
          channel: 'mail',
          event: 'down',
          reason: 'delivered',
          text: 'The message arrived.',
          times: 1,
        },
        {
          at: nowAt - 500_000,
          kind: 'undelivered',
          channel: 'ops',
          event: 'down',
          reason: 'refused',
          text: 'It is tried again.',
          times: 3,
        },
      ],
      messages: [],
      next: ['When it recovers, mail is told.'],
    },
    channels: ['ops', 'mail'],
    ...given,
  };
}

export function stateWith(columns: number, rows: number, ...events: readonly Event[]): ScreenState {
  return events.reduce(reduce, initialState({ columns, rows }, nowAt));
}
