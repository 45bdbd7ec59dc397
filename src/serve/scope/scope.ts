/** Makes the scope of each viewer: what exists for that viewer, read when a handler asks for it. */
import { heatmapOf } from '../../db/read/heatmap.ts';
import { HourReader } from '../../db/read/hours.ts';
import { dailyLatency, hourlyLatency } from '../../db/read/latency-rollups.ts';
import { latencySeries } from '../../db/read/series.ts';
import { readOldHours } from '../../db/store/history.ts';
import type { Store } from '../../db/store/store.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { ProbedMonitor } from '../../engine/probes/probe.ts';
import { incidentOfLink } from '../../engine/operations/acknowledge.ts';
import { mailsStopUntil } from '../../engine/operations/reader-mail-limits.ts';
import { openRootOf } from '../../engine/operations/root-incident.ts';
import { mailChannelOf, signUp, subscriberOfLink } from '../../engine/operations/subscribe.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { visibleWindows } from '../../engine/views/frame.ts';
import type { ResponseCache } from '../responses/cache.ts';
import { withPauses } from '../../engine/core/yielding.ts';
import { HttpProblem } from '../problem.ts';
import { createMonitorViewCache, type MonitorViewCache } from './monitor-view-cache.ts';
import { newsAmong } from './news.ts';
import { badgeOf, maintainedAmong, overallStatus } from './badge.ts';
import { createHistoryTexts } from './history-text.ts';
import { readAhead } from './gather.ts';
import { type HealthSources, readHealth } from './health.ts';
import { explainedMonitor } from './explanation.ts';
import { liveView } from './live.ts';
import { buildMetrics, type MetricsSources, readMetrics } from './metrics.ts';
import { buildOverview } from './overview.ts';
import {
  readEvents,
  readFeed,
  readHistory,
  readIncident,
  readIncidents,
  readLatestEvents,
  readOpenIncidents,
  readPostmortem,
} from './record.ts';
import { type RemovedMonitor, reportSteps } from './report.ts';
import { summaryPieces } from './summary.ts';
import type { ProbeAsked, ScopeOf, ViewerScope } from './viewer-scope.ts';
import {
  keyOf,
  knownTo,
  listed,
  mayShowRemoved,
  monitorsAmong,
  readerOf,
  type Scope,
  visibleTo,
} from './visible.ts';
import { selectablePeer } from '../../engine/operations/select-monitors.ts';

export interface ScopeSources extends HealthSources, Omit<MetricsSources, 'histories'> {
  readonly config: () => Config;
  readonly store: Pick<Store, 'sql' | 'health' | 'archive'>;
  readonly now: () => number;
  readonly databaseUid: string;
  readonly cache: ResponseCache;
}

/** How many points are drawn at most. */
const drawn = { points: 2000, heatmapDays: 28 } as const;

export function createScopes(sources: ScopeSources): ScopeOf {
  const histories = createHistoryTexts();
  let seen: Config | null = null;
  let known = new Map<string, ViewerScope>();
  let shared = sharedAnew();
  return (viewer) => {
    const config = sources.config();
    if (config !== seen) {
      seen = config;
      known = new Map();
      shared = sharedAnew();
      sources.cache.clear();
      histories.keep(new Set(config.monitors.map(({ id }) => id)));
    }
    const key = keyOf(viewer);
    let scope = known.get(key);
    if (scope === undefined) {
      const visible = visibleTo(viewer, config);
      scope = scopeOf({ ...sources, ...shared, histories }, { viewer, config, key, visible });
      known.set(key, scope);
    }
    return scope;
  };
}

/** What was made of monitors for any viewer: viewers who are shown the same are handed the same. */
interface Shared {
  readonly views: MonitorViewCache;
  readonly hours: HourReader;
}

function sharedAnew(): Shared {
  return { views: createMonitorViewCache(), hours: new HourReader() };
}

function scopeOf(sources: ScopeSources & MetricsSources & Shared, scope: Scope): ViewerScope {
  const { store, now, cache } = sources;
  const { viewer, config, key, visible } = scope;
  const monitor = (id: string) => visible.byId.get(id) ?? null;
  const known = knownTo(scope);
  const blindSinceAt = () => {
    const { state, sinceAt } = sources.engineHealth().network;
    return state === 'ok' ? null : sinceAt;
  };
  const asked = (group: string | null = null) =>
    askedOf(group === null ? visible.list : visible.list.filter((one) => one.group === group), group);
  const askedOf = (list: readonly Monitor[], group: string | null = null) => {
    const some = list === visible.list ? visible : listed(list);
    const reader = readerOf(scope, some, now());
    return {
      config,
      visible: some.list,
      known,
      reader,
      mayShowRemoved: (removed: RemovedMonitor) =>
        (group === null || removed.group === group) && mayShowRemoved(viewer, removed),
      blindSinceAt: blindSinceAt(),
    };
  };
  const record = () => ({ store, reader: asked().reader });
  const among = (only: string | null, group: string | null = null) =>
    only === null && group !== null
      ? visible.list.filter((one) => one.group === group).map(({ id }) => id)
      : monitorsAmong(only, scope);
  const maintenances = () => {
    const planned = plannedMaintenance(store.sql, config, now());
    return viewer.kind === 'operator' ? planned : visibleWindows(planned, (id) => visible.byId.has(id));
  };
  const maintained = () => maintainedAmong([...known.values()], maintenances(), now());
  const maintenance = () => ({ planned: maintenances(), isMaintained: maintained() });
  const isInRecord = (id: string) => viewer.kind === 'operator' || visible.byId.has(id);
  return {
    isPublic: viewer.kind === 'anonymous',
    settings: config,
    publicTexts: { ...config, monitors: visible.list },
    monitors: visible.list,
    monitor,
    peers: viewer.kind === 'operator' ? config.peers.map(selectablePeer) : [],
    hasGroup: (group) => visible.list.some((one) => one.group === group),
    latency: async (id, hours) => {
      if (monitor(id) === null) return [];
      const nowAt = now();
      const span = { fromAt: nowAt - hours * 3_600_000, toAt: nowAt };
      const older = await readOldHours(store, id, span).catch(() => {
        throw new HttpProblem(503, 'Older history cannot be read at the moment.', { 'retry-after': '5' });
      });
      return latencySeries(store.sql, id, { now: nowAt, hours, maxPoints: drawn.points, older });
    },
    latencyRanges: (id) => {
      const view = (hours: number) => ({ now: now(), hours, maxPoints: drawn.points });
      if (monitor(id) === null) return [];
      return [
        { hours: 24, points: latencySeries(store.sql, id, view(24)) },
        { hours: 168, points: hourlyLatency(store.sql, id, view(168)) },
        { hours: 720, points: hourlyLatency(store.sql, id, view(720)) },
        { hours: 2160, points: dailyLatency(store.sql, id, view(2160)) },
      ];
    },
    incidents: (query) =>
      readIncidents(record(), { ...query, monitors: among(query.monitor), isNarrow: query.monitor !== null }),
    incident: (name) => readIncident(record(), name, isInRecord),
    channelsOfOpened: (uid) => (viewer.kind === 'operator' ? outbox.channelsOfOpened(store.sql, uid) : []),
    postmortem: (uid) =>
      readIncident(record(), uid, isInRecord) === null ? null : readPostmortem(record(), uid),
    maintenances,
    latestEvents: (id, query) =>
      monitor(id) === null ? [] : readLatestEvents(record(), { ...query, monitor: id, toAt: now() }),
    events: (query) => readEvents(record(), query, isInRecord),
    heatmap: (id) => heatmapOf(store.sql, monitor(id)?.id ?? '', { now: now(), days: drawn.heatmapDays }),
    badge: (id, window) => {
      const found = monitor(id);
      if (found === null) return null;
      return badgeOf(sources, found, { window, at: now(), isMaintained: maintained() });
    },
    overall: () =>
      overallStatus(sources, {
        monitors: visible.list,
        isMaintained: maintained(),
        sinceAt: blindSinceAt(),
        nowAt: now(),
        incidents: () => readOpenIncidents(record(), (id) => visible.byId.has(id)),
      }),
    newsAmong: (incidents) => newsAmong(incidents, maintenance()),
    history: (query) => {
      const monitors = among(query.monitor, query.group);
      const isNarrow = query.monitor !== null || query.group !== null;
      const asked = { ...query, monitors, isNarrow, ...maintenance() };
      return readHistory(record(), asked, (id) => monitor(id)?.name ?? id);
    },
    signUp: (asked) => signUp(store.sql, asked),
    mailsStopUntil: () => {
      const channel = mailChannelOf(config);
      return channel === null ? null : mailsStopUntil(store.sql, channel, now());
    },
    subscriber: (link) => subscriberOfLink(store.sql, link, now()),
    rootOf: (incident) => openRootOf(store.sql, incident),
    incidentOfLink: (token) => incidentOfLink(store.sql, token, now()),
    databaseUid: sources.databaseUid,
    feed: ({ limit, monitor: only, group }) => {
      const isNarrow = only !== null || group !== null;
      const asked = { limit, before: null, monitors: among(only, group), isNarrow, ...maintenance() };
      return readFeed(record(), { ...asked, notices: config.incidents });
    },
    overview: (group) => buildOverview(sources, asked(group)),
    overviewOf: (id) => buildOverview(sources, askedOf(visible.list.filter((one) => one.id === id))),
    hasPages: (id) => viewer.kind !== 'group' || monitor(id)?.public === true,
    report: async (month, group) => {
      await readAhead(sources, asked());
      return withPauses(reportSteps(sources, asked(group), { month, isRounded: true }), sources.yieldTurn);
    },
    metrics: (format) => buildMetrics(sources, asked(), format),
    measured: () => readMetrics(sources, asked()),
    summary: () => summaryPieces(sources, asked()),
    explanation: (id) => {
      const found = monitor(id);
      return found === null ? null : explainedMonitor(found, { sql: store.sql, config, nowAt: now() });
    },
    live: (ids, redact) => liveView({ ...sources, config, nowAt: now(), redact }, ids),
    health: () => {
      const isOperator = viewer.kind === 'operator';
      return readHealth(sources, { config, isOperator, visible: visible.byId, nowAt: now() });
    },
    peer: viewer.kind === 'peer' ? viewer.peer : null,
    probed: (of) => (viewer.kind === 'peer' ? probedBy(of, config.monitors) : null),
    yieldTurn: sources.yieldTurn,
    kept: (name, building) => cache.get(`${key}\n${name}`, building),
  };
}

/**
 * The monitor of this node with the same kind and target, one with the same id rather than another; null: there is
 * none. Push and exec monitors have no target, so they are never found.
 */
function probedBy({ id, kind, target }: ProbeAsked, monitors: readonly Monitor[]): ProbedMonitor | null {
  let found: ProbedMonitor | null = null;
  for (const monitor of monitors) {
    if (monitor.kind === 'push' || monitor.kind === 'exec') continue;
    if (monitor.kind !== kind || monitor.target !== target) continue;
    if (monitor.id === id) return monitor;
    found ??= monitor;
  }
  return found;
}
