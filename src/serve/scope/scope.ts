/**
 * What exists for one viewer. A handler reads through this alone, and every list in it is already filtered: what is
 * private is missing because nobody hands it over.
 */
import { type Heatmap, heatmapOf } from '../../db/read/heatmap.ts';
import { HourReader } from '../../db/read/hours.ts';
import { dailyLatency, hourlyLatency } from '../../db/read/latency-rollups.ts';
import { latencySeries, type SeriesPoint } from '../../db/read/series.ts';
import { readOldHours } from '../../db/store/history.ts';
import type { Store } from '../../db/store/store.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { ReaderState } from '../../engine/core/status.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import type { ProbedMonitor } from '../../engine/probes/probe.ts';
import { incidentOfLink } from '../../engine/operations/acknowledge.ts';
import { signUp, subscriberOfLink } from '../../engine/operations/subscribe.ts';
import type { LiveView } from '../../engine/views/live.ts';
import { plannedMaintenance, type PlannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { visibleWindows } from '../../engine/views/frame.ts';
import type { Viewer } from '../access/viewer.ts';
import type { MetricReading } from '../../engine/views/metrics/families.ts';
import type { MetricsFormat } from '../metrics/exposition.ts';
import type { Building, ResponseCache } from '../responses/cache.ts';
import type { Pieces } from '../responses/pieces.ts';
import type { CachedResponse } from '../responses/cached-response.ts';
import { withPauses } from '../../engine/core/yielding.ts';
import { HttpProblem } from '../problem.ts';
import type { LatencyRange } from '../pages/monitor-page.ts';
import type { BadgeFacts, BadgeWindow } from '../svg/badge.ts';
import { createMonitorViewCache, type MonitorViewCache } from './monitor-view-cache.ts';
import { newsAmong } from './news.ts';
import { badgeOf, maintainedAmong, overallStatus } from './badge.ts';
import { createHistoryTexts } from './history-text.ts';
import { readAhead } from './gather.ts';
import { type HealthSources, type HealthView, readHealth } from './health.ts';
import { explainedMonitor } from './explanation.ts';
import { liveView } from './live.ts';
import { buildMetrics, type MetricsSources, readMetrics } from './metrics.ts';
import { buildOverview, type Overview } from './overview.ts';
import {
  type FeedPage,
  type HistoryPage,
  type EventsAsked,
  readEvents,
  readFeed,
  readHistory,
  readIncident,
  readIncidents,
  readLatestEvents,
  readOpenIncidents,
  readPostmortem,
  type RecordPage,
} from './record.ts';
import { type MonthReport, reportSteps } from './report.ts';
import { summaryPieces } from './summary.ts';
import { keyOf, knownTo, listed, monitorsAmong, readerOf, type Scope, visibleTo } from './visible.ts';

interface IncidentsAsked {
  readonly limit: number;
  readonly before: string | null;
  readonly isOpen?: boolean | null;
  /** Null: all that exist for the viewer. */
  readonly monitor: string | null;
}

interface InGroup {
  /** Null: all that exist for the viewer, or the monitor that is named. */
  readonly group: string | null;
}

export interface ViewerScope {
  /** Anybody sees this much: nothing in it is for some alone. */
  readonly isPublic: boolean;
  /** The settings that are no secret and no list of things that may be private. */
  readonly settings: Pick<Config, 'alerts' | 'channels' | 'health' | 'page' | 'rotations' | 'subscribe'>;
  /** In the order of the configuration. */
  readonly monitors: readonly Monitor[];
  readonly monitor: (id: string) => Monitor | null;
  /** The `listen_id` of each peer, for the operator alone: mutes name peers by it. */
  readonly peerIds: readonly string[];
  /** Whether any monitor of the group exists for the viewer. */
  readonly hasGroup: (group: string) => boolean;
  /** Rejects with a problem when samples are not in memory and cannot be read now. */
  readonly latency: (id: string, hours: number) => Promise<readonly SeriesPoint[]>;
  readonly heatmap: (id: string) => Heatmap;
  /** The response times of the last day, week, month and quarter, ever more coarsely. */
  readonly latencyRanges: (id: string) => readonly LatencyRange[];
  /** Null: the monitor does not exist for the viewer. */
  readonly badge: (id: string, window: BadgeWindow) => BadgeFacts | null;
  /** The worst status that shows. */
  readonly overall: () => ReaderState;
  /** Those that readers are to know of: planned maintenance is none. */
  readonly newsAmong: (incidents: readonly IncidentView[]) => readonly IncidentView[];
  readonly incidents: (asked: IncidentsAsked) => RecordPage;
  /** One by its uid, or its number where the viewer may know it; null: there is none for the viewer. */
  readonly incident: (name: string) => ReturnType<typeof readIncident>;
  /** The channels that were notified of an incident that was opened by hand; for the operator alone. */
  readonly channelsOfOpened: (uid: string) => readonly string[];
  /** What was written about an incident afterwards, in Markdown; null: nothing. */
  readonly postmortem: (uid: string) => ReturnType<typeof readPostmortem>;
  /** All maintenance that covers something that exists for the viewer, over, present and to come. */
  readonly maintenances: () => readonly PlannedMaintenance[];
  /** The newest of what was changed about a monitor, the oldest first, for its charts. */
  readonly latestEvents: (
    id: string,
    asked: { readonly fromAt: number; readonly limit: number },
  ) => readonly { readonly at: string; readonly title: string }[];
  /** What was changed, for timelines. */
  readonly events: (asked: EventsAsked) => ReturnType<typeof readEvents>;
  /** What is to be written when mails are asked for: see signUp. */
  readonly signUp: (asked: Parameters<typeof signUp>[1]) => ReturnType<typeof signUp>;
  /** The subscriber of the link in a mail, whatever the viewer; null: the link is invalid. */
  readonly subscriber: (link: string) => ReturnType<typeof subscriberOfLink>;
  /** The delivery of the link in a message, whatever the viewer; null: the link is invalid. */
  readonly incidentOfLink: (token: string) => ReturnType<typeof incidentOfLink>;
  readonly history: (asked: Omit<IncidentsAsked, 'isOpen'> & InGroup) => HistoryPage;
  /** The newest, with maintenance and, where it is of everything, what is announced. */
  readonly feed: (asked: InGroup & Pick<IncidentsAsked, 'limit' | 'monitor'>) => FeedPage;
  /** What readers outside know this database by. */
  readonly databaseUid: string;
  /** Of all that exists for the viewer, or of what is in a group. */
  readonly overview: (group: string | null) => Promise<Overview>;
  /** The same of one monitor that exists for the viewer. */
  readonly overviewOf: (id: string) => Promise<Overview>;
  /** Whether other pages show the monitor to the viewer, too: the token of a group opens that of the group alone. */
  readonly hasPages: (id: string) => boolean;
  /** Null: there is none for this month. */
  readonly report: (month: string, group: string | null) => Promise<MonthReport | null>;
  readonly metrics: (format: MetricsFormat) => Promise<Pieces>;
  /** The same as values. */
  readonly measured: () => Promise<MetricReading>;
  /** The JSON of the summary. */
  readonly summary: () => Promise<Pieces>;
  /** What the live view shows beyond the summary, of those of these monitors that exist; for the operator alone. */
  readonly live: (ids: readonly string[], redact: (text: string) => string) => LiveView;
  /** Why a monitor alerted or did not; for the operator alone. Null: there is no such monitor. */
  readonly explanation: (id: string) => ReturnType<typeof explainedMonitor> | null;
  readonly health: () => HealthView;
  /** The config id of the peer that the viewer is; null: it is none. */
  readonly peer: string | null;
  /** The monitor of the same kind and target; null: there is none, or the viewer is no peer. */
  readonly probed: (asked: Parameters<typeof probedBy>[0]) => ProbedMonitor | null;
  /** Lets others have their turn, when it is time: for work that is long. */
  readonly yieldTurn: () => Promise<void>;
  /** What is kept of this name for viewers who see the same as this one, or is built now. */
  readonly kept: (name: string, building: Building) => CachedResponse | Promise<CachedResponse>;
}

export type ScopeOf = (viewer: Viewer) => ViewerScope;

export interface ScopeSources extends HealthSources, Omit<MetricsSources, 'histories'> {
  readonly config: () => Config;
  readonly store: Pick<Store, 'sql' | 'health' | 'archive'>;
  readonly now: () => number;
  readonly databaseUid: string;
  readonly cache: ResponseCache;
}

/** As many points are drawn at most. */
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
    askedOf(group === null ? visible.list : visible.list.filter((one) => one.group === group));
  const askedOf = (list: readonly Monitor[]) => {
    const some = list === visible.list ? visible : listed(list);
    const reader = readerOf(scope, some, now());
    return { config, visible: some.list, known, reader, blindSinceAt: blindSinceAt() };
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
    monitors: visible.list,
    monitor,
    peerIds: viewer.kind === 'operator' ? config.peers.map(({ listen_id }) => listen_id) : [],
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
    subscriber: (link) => subscriberOfLink(store.sql, link, now()),
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
    health: () => readHealth(sources, { config, visible: visible.byId, nowAt: now() }),
    peer: viewer.kind === 'peer' ? viewer.peer : null,
    probed: (of) => (viewer.kind === 'peer' ? probedBy(of, config.monitors) : null),
    yieldTurn: sources.yieldTurn,
    kept: (name, building) => cache.get(`${key}\n${name}`, building),
  };
}

interface Asked {
  readonly id: string | null;
  readonly kind: string;
  readonly target: string;
}

/**
 * The monitor of this node with the same kind and target, one with the same id rather than another; null: there is
 * none. Push and exec monitors have no target, so they are never found.
 */
function probedBy({ id, kind, target }: Asked, monitors: readonly Monitor[]): ProbedMonitor | null {
  let found: ProbedMonitor | null = null;
  for (const monitor of monitors) {
    if (monitor.kind === 'push' || monitor.kind === 'exec') continue;
    if (monitor.kind !== kind || monitor.target !== target) continue;
    if (monitor.id === id) return monitor;
    found ??= monitor;
  }
  return found;
}
