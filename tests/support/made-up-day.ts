/** A made-up installation for looking at pages: a healthy day, an outage, an empty install. */
import type { IncidentView } from '../../src/engine/views/incident.ts';
import type { PageDay } from '../../src/engine/views/day.ts';
import type { AlertLine } from '../../src/engine/views/history.ts';
import type { HeatmapFacts } from '../../src/engine/views/heatmap.ts';
import { overallOf } from '../../src/engine/views/frame.ts';
import {
  noFigures,
  type PageFigures,
  type PageOverview,
  type ShownMonitor,
} from '../../src/engine/views/page.ts';
import type { LatencyPoint } from '../../src/engine/views/page-latency.ts';
import { peerCounts, type PeerView } from '../../src/engine/views/peers.ts';
import { type Report, type ReportIncident, reportOf } from '../../src/engine/views/report.ts';
import { randomOf } from './random.ts';

export const dayNow = '2026-11-21T14:05:30Z';
export const daySite = { title: 'Harbour', base: '' };
const nowAt = Date.parse(dayNow);
const dayMs = 86_400_000;

const names: readonly (readonly [id: string, name: string, group: string | null, kind: string])[] = [
  ['web', 'Website', 'Public', 'http'],
  ['checkout', 'Checkout', 'Public', 'http'],
  ['api', 'API', 'Public', 'http'],
  ['docs', 'Documentation', 'Public', 'http'],
  ['search', 'Search', 'Public', 'http'],
  ['images', 'Image delivery (Frankfurt and São Paulo)', 'Public', 'http'],
  ['login', 'Sign-in', 'Accounts', 'http'],
  ['mail', 'Outgoing mail', 'Accounts', 'tcp'],
  ['webhooks', 'Webhooks', 'Accounts', 'http'],
  ['billing', 'Billing', 'Accounts', 'http'],
  ['exports', 'Exports', 'Accounts', 'http'],
  ['db', 'Database', 'Inside', 'tcp'],
  ['cache', 'Cache', 'Inside', 'tcp'],
  ['queue', 'Job queue', 'Inside', 'tcp'],
  ['backup', 'Nightly backup', 'Inside', 'push'],
  ['dns', 'Name servers', 'Inside', 'dns'],
  ['gateway', 'Gateway', 'Inside', 'icmp'],
  ['metrics', 'Metrics', 'Inside', 'http'],
  ['registry', 'Package registry', null, 'http'],
  ['forum', '掲示板', null, 'http'],
];

export type DayKind = 'healthy' | 'outage' | 'empty' | 'first';

export interface MadeUpDay {
  readonly summary: PageOverview;
  readonly figures: ReadonlyMap<string, PageFigures>;
}

export function madeUpDay(kind: DayKind, count = 20): MadeUpDay {
  const shown = kind === 'empty' ? [] : names.slice(0, count);
  const monitors = shown.map(([id, name, group, probe], index) =>
    monitorOf({ id, name, group, kind: probe }, kind, index),
  );
  const isOutage = kind === 'outage';
  const groups = [...new Set(shown.flatMap(([, , group]) => group ?? []))].map((name) => ({
    name,
    ids: shown.filter(([, , group]) => group === name).map(([id]) => id),
  }));
  return {
    summary: {
      title: daySite.title,
      ...overallOf(monitors),
      generated_at: dayNow,
      incidents: isOutage ? [dbIncident, mailIncident] : [],
      announcements: isOutage
        ? [
            {
              title: 'We are moving the database to another rack',
              body: 'The spare did not take over as it should.\nOrders are kept and will be worked off.',
              severity: 'critical',
              at: '2026-11-21T13:52:00Z',
              until: null,
            },
          ]
        : [],
      maintenances:
        kind === 'empty' || kind === 'first'
          ? []
          : [
              {
                title: 'Search index rebuild',
                start: '2026-11-22T02:00:00Z',
                end: '2026-11-22T04:00:00Z',
                monitors: ['search'],
              },
            ],
      groups,
      monitors,
      past: isOutage ? dayIncidents.slice(2, 3) : [],
      peers: kind === 'empty' ? [] : dayPeers(isOutage),
      peer_counts: peerCounts(kind === 'empty' ? [] : dayPeers(isOutage)),
    },
    figures: new Map(monitors.map((monitor) => [monitor.id, figuresOf(monitor, kind)])),
  };
}

function dayPeers(isOutage: boolean): PeerView[] {
  const quiet = { clock_skew_ms: null, reason: null, seen_by: [] };
  return [
    { ...quiet, id: 'paris', name: 'Paris', state: 'up', age: 42, clock_skew_ms: -7200 },
    isOutage
      ? {
          ...quiet,
          id: 'tokyo',
          name: 'Tokyo',
          state: 'link_degraded',
          age: 754,
          seen_by: ['Paris'],
        }
      : { ...quiet, id: 'tokyo', name: 'Tokyo', state: 'unknown', age: null },
  ];
}

const quietIncident: IncidentView = {
  uid: 'i-00',
  monitor: 'db',
  name: 'Database',
  kind: 'down',
  started_at: '2026-11-21T13:41:05Z',
  confirmed_at: '2026-11-21T13:43:05Z',
  ended_at: null,
  duration_secs: 1465,
  reason: null,
  error: 'connection',
  latest_reason: null,
  cause: null,
  impacted: [],
  note: null,
  vantage: null,
  state: 'detected',
  impact: 'partial',
  acknowledged: null,
  monitors: ['db'],
  updates: [],
};

const dbIncident: IncidentView = {
  ...quietIncident,
  uid: 'i-07',
  impacted: ['checkout', 'billing'],
  note: 'Fail-over did not start. We are bringing the spare up by hand.',
};

const mailIncident: IncidentView = {
  ...quietIncident,
  uid: 'i-08',
  monitor: 'mail',
  name: 'Outgoing mail',
  started_at: '2026-11-21T14:01:10Z',
  confirmed_at: '2026-11-21T14:03:10Z',
  duration_secs: 260,
  error: 'timeout',
};

/** Two incidents that last and a few of the weeks before. */
export const dayIncidents: readonly IncidentView[] = [
  mailIncident,
  dbIncident,
  {
    ...quietIncident,
    id: 41,
    uid: 'i-06',
    monitor: 'api',
    name: 'API',
    started_at: '2026-11-18T03:12:00Z',
    confirmed_at: '2026-11-18T03:14:00Z',
    ended_at: '2026-11-18T03:31:40Z',
    duration_secs: 1180,
    reason: 'expected a status of 200–299, got 503',
    error: 'expected a status of 200–299, got 503',
    note: 'A deployment went out with the wrong pool size; rolled back.',
    snapshot: {
      status_line: 'HTTP/1.1 503 Service Unavailable',
      headers: [
        ['content-type', 'text/html'],
        ['retry-after', '30'],
      ],
      body: '<html><h1>Too many connections</h1></html>',
    },
  },
  {
    ...quietIncident,
    uid: 'i-05',
    monitor: 'search',
    name: 'Search',
    started_at: '2026-11-02T22:40:00Z',
    confirmed_at: '2026-11-02T22:42:00Z',
    ended_at: '2026-11-03T01:10:00Z',
    duration_secs: 9000,
    error: 'timeout',
  },
];

export const dayAlerts: readonly AlertLine[] = [
  {
    at: '2026-11-18T02:58:00Z',
    monitor: 'api',
    name: 'API',
    severity: 'warning',
    title: 'Deployment 2026.11.18 started',
    message: 'by the pipeline\nregion: eu',
    suppressed: 2,
  },
];

function monitorOf(
  who: Pick<ShownMonitor, 'id' | 'name' | 'group' | 'kind'>,
  kind: DayKind,
  index: number,
): ShownMonitor {
  const isDown = kind === 'outage' && ['db', 'mail'].includes(who.id);
  const isSlow = kind === 'outage' && ['checkout', 'billing'].includes(who.id);
  const isNew = kind === 'first';
  const p50 = 24 + index * 11;
  const hasSlo = index % 3 === 0 && !isNew;
  const status = isNew ? 'unknown' : isDown ? 'down' : isSlow ? 'degraded' : 'up';
  const isMaintained = kind === 'outage' && who.id === 'queue';
  return {
    ...who,
    status,
    state: isMaintained ? 'maintenance' : status,
    description: who.id === 'checkout' ? 'Where orders are paid' : null,
    url: who.id === 'web' ? 'https://www.example.com' : null,
    critical: false,
    last_checked: isNew ? null : '2026-11-21T14:05:08Z',
    last_latency_ms: isNew || isDown ? null : p50 + 3,
    last_error: isDown ? (who.id === 'db' ? 'connection' : 'timeout') : isSlow ? 'status' : null,
    uptime_24h_permille: isNew ? null : isDown ? 982 : 1000,
    latency_p50_ms: isNew || who.kind === 'push' ? null : p50,
    latency_p95_ms: isNew || who.kind === 'push' ? null : Math.round(p50 * 1.9),
    latency_p99_ms: isNew || who.kind === 'push' ? null : p50 * 4,
    slo_latency_ms: index === 0 ? 400 : null,
    slo_uptime_pct: hasSlo ? 99.9 : null,
    error_budget_minutes_total: hasSlo ? 43.2 : null,
    error_budget_minutes_left: hasSlo ? (isDown || isSlow ? -4.2 : 31.7) : null,
    maintenance: isMaintained,
    silenced_until: kind === 'outage' && who.id === 'cache' ? '2026-11-21T16:00:00Z' : null,
    cert_expiry_days: who.kind !== 'http' || isNew ? null : kind === 'outage' && index === 3 ? 9 : 61 + index,
    domain_expiry_days: index === 0 && !isNew ? 212 : null,
    history: historyOf(kind, index, isDown),
    coverage_24h_permille: isNew ? 0 : 998,
    cause: isSlow ? 'db' : null,
    impacted: who.id === 'db' && isDown ? ['checkout', 'billing'] : [],
  };
}

function historyOf(kind: DayKind, index: number, isDown: boolean): PageDay[] {
  const random = randomOf(index + 1);
  return Array.from({ length: 90 }, (_, day): PageDay => {
    const date = new Date(nowAt - (89 - day) * dayMs).toISOString().slice(0, 10);
    const isUnseen = kind === 'first' || (index === 4 && day < 30);
    const quiet = { date, down_minutes: 0, incidents: 0, begun: 0, maintenance: false };
    if (isUnseen) return { ...quiet, state: 'unknown', uptime_permille: null };
    if (isDown && day === 89)
      return { ...quiet, state: 'down', uptime_permille: 962, down_minutes: 24, incidents: 1, begun: 1 };
    const luck = random.below(220);
    if (luck < 3)
      return {
        ...quiet,
        state: 'down',
        uptime_permille: 941,
        down_minutes: [4, 25, 180][luck] ?? 4,
        incidents: 1,
        begun: 1,
      };
    if (luck === 3) return { ...quiet, state: 'degraded', uptime_permille: 996 };
    if (luck === 4) return { ...quiet, state: 'up', uptime_permille: 1000, maintenance: true };
    return { ...quiet, state: 'up', uptime_permille: 1000 };
  });
}

function figuresOf({ id, history }: ShownMonitor, kind: DayKind): PageFigures {
  if (kind === 'first') return { day: null, week: null, month: null, quarter: null, shown: null };
  const isDown = kind === 'outage' && (id === 'db' || id === 'mail');
  const isTroubled = history.some(({ state }) => state === 'down');
  const quarter = isTroubled ? 9986 : 9999;
  return {
    day: isDown ? 9823 : 10_000,
    week: isDown ? 9974 : 10_000,
    month: isTroubled ? 9991 : 10_000,
    quarter,
    shown: quarter,
  };
}

/** What was measured in the last `hours`, one point every so many seconds, with a gap and a peak. */
function madeUpLatency(hours: number, everySecs: number): LatencyPoint[] {
  const random = randomOf(hours);
  const count = Math.floor((hours * 3600) / everySecs);
  return Array.from({ length: count }, (_, step) => ({
    t: Math.floor(nowAt / 1000) - (count - step) * everySecs,
    latency_ms: Math.round(
      120 + random.below(40) + 40 * Math.sin((step * 6) / count) + (step === Math.floor(count / 3) ? 300 : 0),
    ),
  })).filter((_, step) => Math.abs(step - count * 0.7) > count * 0.03);
}

/** What the page of a monitor is made of. */
export function madeUpMonitor() {
  const { summary, figures } = madeUpDay('outage');
  const [, monitor] = summary.monitors;
  if (monitor === undefined) throw new Error('there is no second monitor');
  return {
    site: daySite,
    now: dayNow,
    monitor,
    figures: figures.get(monitor.id) ?? noFigures,
    ranges: [
      { hours: 24, points: madeUpLatency(24, 300) },
      { hours: 168, points: madeUpLatency(168, 3600) },
      { hours: 720, points: madeUpLatency(720, 3600) },
      { hours: 2160, points: madeUpLatency(2160, 86_400) },
    ],
    incidents: dayIncidents,
    heatmap: { ...madeUpHeatmap(), name: monitor.name },
    nameOf: (id: string) => id,
  };
}

/** A thousand monitors in 25 groups, of which so many are down or degraded. */
export function madeUpThousand(troubled: number): MadeUpDay {
  const { summary } = madeUpDay('healthy', 18);
  const monitors = Array.from({ length: 1000 }, (_, index): ShownMonitor => {
    const like = summary.monitors[index % 18];
    if (like === undefined) throw new Error('there are fewer');
    const isBad = index % Math.floor(1000 / Math.max(1, troubled)) === 7 && index < 1000;
    const status = !isBad ? 'up' : index % 2 === 0 ? 'down' : 'degraded';
    const own = { id: `m-${index}`, name: `${like.name} ${index}`, group: `Region ${index % 25}` };
    return { ...like, ...own, status, state: status, last_error: isBad ? 'timeout' : null };
  });
  const groups = [...new Set(monitors.map(({ group }) => group ?? ''))].map((name) => {
    return { name, ids: monitors.filter(({ group }) => group === name).map(({ id }) => id) };
  });
  const down = monitors.filter(({ status }) => status === 'down');
  const incidents = down.map(({ id, name }) => ({ ...quietIncident, uid: `of-${id}`, monitor: id, name }));
  return {
    summary: { ...summary, ...overallOf(monitors), monitors, groups, incidents, peers: [] },
    figures: new Map(monitors.map((monitor) => [monitor.id, figuresOf(monitor, 'healthy')])),
  };
}

export function madeUpHeatmap(): HeatmapFacts {
  const random = randomOf(5);
  const days = Array.from({ length: 28 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => {
      const at = Date.parse('2026-10-25T00:00:00Z') + day * dayMs + hour * 3_600_000;
      if (at > nowAt || (day === 6 && hour < 9)) return { at, averageMs: null };
      const rush = hour > 7 && hour < 19 ? 1.5 : 0.85;
      const spike = random.below(60) === 0 ? 4 : 1;
      return { at, averageMs: Math.round((60 + random.below(30)) * rush * spike) };
    }),
  );
  return { days, medianMs: 88 };
}

export function madeUpReport(month = '2026-11'): Report {
  const day = madeUpDay('outage');
  const incidents = dayIncidents.map(
    ({ monitor, started_at, ended_at }): ReportIncident => ({
      monitor: monitor ?? '',
      startedAt: Date.parse(started_at),
      endedAt: ended_at === null ? null : Date.parse(ended_at),
    }),
  );
  const elapsedSecs = (nowAt - Date.parse('2026-11-01T00:00:00Z')) / 1000;
  const monitors = day.summary.monitors.map(({ id, name, group, slo_uptime_pct }, index) => {
    const down = incidents
      .filter(({ monitor }) => monitor === id)
      .reduce((sum, { startedAt, endedAt }) => sum + ((endedAt ?? nowAt) - startedAt) / 1000, 0);
    const known = elapsedSecs - index * 4000;
    return {
      id,
      name,
      group,
      sloUptimePercent: slo_uptime_pct,
      secs: { up: known - down, degraded: 0, down, unknown: 0 },
    };
  });
  const report = reportOf({ month, nowAt, monitors, incidents });
  if (report === null) throw new Error(`${month} is no month`);
  return report;
}
