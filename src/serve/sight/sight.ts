/**
 * What exists for one viewer. A handler reads through this alone, and every list in it is already filtered: what is
 * private is missing because nobody hands it over.
 */
import type { LatencyPoint } from '../../db/read/series.ts';
import { latencySeries } from '../../db/read/series.ts';
import type { Store } from '../../db/store.ts';
import { incidents, type IncidentQuery } from '../../db/topics/incidents.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { incidentView, type IncidentView } from '../../engine/views/incident.ts';
import type { Reader } from '../../engine/views/reader.ts';
import { isVisibleTo, type Viewer } from '../access/viewer.ts';
import type { Figures } from './figures.ts';
import { createHistoryTexts } from './history-text.ts';
import { readHealth, type HealthSources, type HealthView } from './health.ts';
import { buildSummary } from './summary.ts';
import type { SummaryCache } from './summary-cache.ts';
import type { StateOf } from './status.ts';

interface IncidentsAsked extends Pick<IncidentQuery, 'limit' | 'isOpen'> {
  readonly before: string | null;
  /** Null: all that exist for the viewer. */
  readonly monitor: string | null;
}

export interface Sight {
  /** The settings that are no secret and no list of things that may be private. */
  readonly settings: Pick<Config, 'alerts' | 'channels' | 'health' | 'page'>;
  /** In the order of the configuration. */
  readonly monitors: readonly Monitor[];
  readonly monitor: (id: string) => Monitor | null;
  readonly latency: (id: string, hours: number) => readonly LatencyPoint[];
  readonly incidents: (asked: IncidentsAsked) => {
    readonly incidents: readonly IncidentView[];
    readonly next: string | null;
  };
  /** The JSON of the summary. */
  readonly summary: () => Promise<Uint8Array>;
  readonly health: () => HealthView;
}

export type SightOf = (viewer: Viewer) => Sight;

export interface SightSources extends HealthSources {
  readonly config: () => Config;
  readonly store: Pick<Store, 'sql' | 'health'>;
  readonly stateOf: StateOf;
  readonly now: () => number;
  readonly figures: Figures;
  readonly cache: SummaryCache;
  readonly breathe: () => Promise<void>;
}

/** As many points are drawn at most. */
const maxPoints = 2000;

export function createSights(sources: SightSources): SightOf {
  const histories = createHistoryTexts();
  let seen: Config | null = null;
  let known = new Map<string, Visible>();
  return (viewer) => {
    const config = sources.config();
    if (config !== seen) {
      seen = config;
      known = new Map();
      sources.cache.clear();
      histories.keep(new Set(config.monitors.map(({ id }) => id)));
    }
    const key = keyOf(viewer);
    let visible = known.get(key);
    if (visible === undefined) {
      visible = visibleTo(viewer, config);
      // There is one producer a monitor; only lists that many ask for are worth keeping.
      if (viewer.kind !== 'producer') known.set(key, visible);
    }
    return sightOf({ ...sources, histories }, { viewer, config, key, visible });
  };
}

interface Visible {
  readonly list: readonly Monitor[];
  readonly byId: ReadonlyMap<string, Monitor>;
}

interface Scope {
  readonly viewer: Viewer;
  readonly config: Config;
  readonly key: string;
  readonly visible: Visible;
}

function visibleTo(viewer: Viewer, { monitors }: Config): Visible {
  const list = monitors.filter((monitor) => isVisibleTo(viewer, monitor));
  return { list, byId: new Map(list.map((monitor) => [monitor.id, monitor])) };
}

function keyOf(viewer: Viewer): string {
  return viewer.kind === 'group' ? `group ${viewer.group}` : viewer.kind;
}

function sightOf(
  sources: SightSources & { readonly histories: ReturnType<typeof createHistoryTexts> },
  { viewer, config, key, visible }: Scope,
): Sight {
  const { store, now, cache } = sources;
  const monitor = (id: string) => visible.byId.get(id) ?? null;
  const readerAt = (nowAt: number): Reader => ({
    nowAt,
    isTrusted: viewer.kind === 'operator',
    isVisible: (id) => visible.byId.has(id),
    hasDetail: (id) => viewer.kind !== 'anonymous' || monitor(id)?.public_error_detail === true,
  });
  return {
    settings: config,
    monitors: visible.list,
    monitor,
    latency: (id, hours) =>
      monitor(id) === null ? [] : latencySeries(store.sql, id, { now: now(), hours, maxPoints }),
    incidents: ({ limit, before, isOpen, monitor: only }) => {
      const reader = readerAt(now());
      const page = incidents.list(store.sql, {
        limit,
        before,
        isOpen,
        monitors: among(only, viewer, visible),
      });
      return {
        incidents: page.incidents.map((row) =>
          incidentView(row, { ...reader, isDetailPublic: reader.hasDetail(row.monitor) }),
        ),
        next: page.next,
      };
    },
    summary: () =>
      cache.get(key, () => buildSummary(sources, { config, visible: visible.list, reader: readerAt(now()) })),
    health: () => readHealth(sources, config),
  };
}

/** The operator also sees the record of monitors that are configured no more; of those nobody knows if they were public. */
function among(only: string | null, viewer: Viewer, visible: Visible): readonly string[] | null {
  if (viewer.kind === 'operator') return only === null ? null : [only];
  if (only === null) return [...visible.byId.keys()];
  return visible.byId.has(only) ? [only] : [];
}
