/** Reads the configured database beside the daemon and follows its changes. */
import { channelNamesOf } from '../../engine/alerting/route.ts';
import { yieldToEventLoop } from '../../engine/core/yielding.ts';
import { HourReader } from '../../db/read/hours.ts';
import { dailyLatency, hourlyLatency } from '../../db/read/latency-rollups.ts';
import { latencySeries } from '../../db/read/series.ts';
import { type Store } from '../../db/store/store.ts';
import { incidentUpdates } from '../../db/tables/incident-updates.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { monitors } from '../../db/tables/monitors.ts';
import type { Config } from '../../engine/config/config.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { recordedNetwork } from '../../engine/monitoring/network/record.ts';
import { dayView } from '../../engine/views/day.ts';
import { explain } from '../../engine/views/explain.ts';
import { criticalAmong, wholeIncident } from '../../engine/views/incident.ts';
import type { PageSummary } from '../../engine/views/page.ts';
import type { Reader } from '../../engine/views/monitor.ts';
import { createFigures, type Figures } from '../../serve/scope/figures.ts';
import { createHistoryTexts } from '../../serve/scope/history-text.ts';
import { liveView } from '../../serve/scope/live.ts';
import { buildSummary } from '../../serve/scope/summary.ts';
import type { Detail, Model } from '../../tui/model.ts';
import { holderOf, leaderOf } from '../daemon-of-database.ts';
import { databaseName, openConfigured } from '../open-store.ts';
import { gatherFacts } from '../explain/gather.ts';
import type { LocalActions } from './local-actions.ts';
import type { SummarySource } from './source.ts';

export interface LocalOptions {
  readonly loaded: Pick<LoadedConfig, 'config' | 'redact'>;
  readonly clock: Clock;
  readonly actions: LocalActions;
  /** Absent: opens the database of the configuration. */
  readonly open?: () => Promise<Store>;
}

const maxIncidents = 10;

/** What an operator does, and incidents, show at once. */
const urgent = /^(?:announcement|silence|maintenance|incident|channel)\./;

/** Throws `store_unusable` when the database is damaged beyond repair. */
export async function openLocal({
  loaded,
  clock,
  actions,
  open: given,
}: LocalOptions): Promise<SummarySource> {
  const { config } = loaded;
  const open = given ?? (() => openConfigured(config, 'reader', clock));
  const followed = followedStore(await open());
  const summaryOf = summaryReader(clock);
  const liveOf = liveReader({ ...loaded, clock });
  const figuresOf = figuresReader(config);
  // The days of the monitors on the screen are read for themselves; those of a thousand take long to write down.
  const live: Config = { ...config, page: { ...config.page, history_days: 1 } };
  const lastIncident = (monitor: string) =>
    incidents.list(followed.store().sql, { limit: 1, monitors: [monitor] }).incidents[0]?.uid ?? null;
  return {
    act: (action) => actions(action, lastIncident),
    warnings: () =>
      followed
        .store()
        .warnings()
        .map(({ message }) => message),
    summary: () => summaryOf(followed.store(), config),
    read: async (): Promise<Model> => {
      // There was no database yet: it is looked for again, since nothing of it can be followed.
      if (monitors.list(followed.store().sql).length === 0) await followed.replace(await open());
      const store = followed.store();
      const summary = (await summaryOf(store, live)) as PageSummary;
      const readAt = clock.now();
      return { summary, readAt, source: databaseName(config) };
    },
    look: (monitor, hours) =>
      Promise.resolve(
        lookAt(monitor, {
          ...loaded,
          store: followed.store(),
          figures: figuresOf(followed.store()),
          nowAt: clock.now(),
          hours,
        }),
      ),
    glance: (ids) => Promise.resolve(liveOf(followed.store(), ids)),
    daemon: async () => {
      const { storage, server } = config;
      if (storage !== null) return (await leaderOf(storage)) === null ? 'gone' : 'ok';
      const holder = await holderOf(server.database_path);
      if (holder === null) return 'gone';
      return holder.isElsewhere ? 'unknown' : 'ok';
    },
    follow: followed.follow,
    patienceMs: () => 0,
    close: () => followed.store().close(),
  };
}

/** A store that can be opened anew under those who listen to it. */
function followedStore(first: Store) {
  let store = first;
  let listener: (() => void) | null = null;
  const listen = () =>
    store.onChange(({ operations }) => {
      if (operations.some(([name]) => urgent.test(name))) listener?.();
    });
  return {
    store: () => store,
    follow: (next: () => void) => {
      listener = next;
      return listen();
    },
    replace: async (next: Store) => {
      const before = store;
      store = next;
      if (listener !== null) listen();
      await before.close();
    },
  };
}

/** The summary an operator gets from the API, made by the same code. */
function summaryReader(clock: Clock): (store: Store, config: Config) => Promise<unknown> {
  const histories = createHistoryTexts();
  let known: { readonly store: Store; readonly config: Config; readonly figures: Figures } | null = null;
  return async (store, config) => {
    if (known?.store !== store || known.config !== config) {
      known = { store, config, figures: createFigures(store, () => config) };
    }
    const { figures } = known;
    const reader: Reader = {
      nowAt: clock.now(),
      isTrusted: true,
      isVisible: () => true,
      hasDetail: () => true,
      isCritical: criticalAmong(config.monitors),
    };
    const sources = { store, stateOf: () => null, figures, histories, yieldTurn: yieldToEventLoop };
    const visible = config.monitors;
    const all = new Map(visible.map((monitor) => [monitor.id, monitor]));
    const network = recordedNetwork(store.sql);
    const blindSinceAt = network.state === 'ok' ? null : network.sinceAt;
    const bytes = await buildSummary(sources, { config, visible, known: all, reader, blindSinceAt });
    return JSON.parse(bytes.toString('utf8')) as unknown;
  };
}

/** The figures of a store, remembered until another one is asked about. */
function figuresReader(config: Config): (store: Store) => Figures {
  let known: { readonly store: Store; readonly figures: Figures } | null = null;
  return (store) => {
    if (known?.store !== store) known = { store, figures: createFigures(store, () => config) };
    return known.figures;
  };
}

/** What the API gives an operator beyond the summary, made by the same code. */
function liveReader({
  config,
  redact,
  clock,
}: Omit<LocalOptions, 'loaded' | 'actions'> & LocalOptions['loaded']) {
  let known: { readonly store: Store; readonly hours: HourReader } | null = null;
  const figuresOf = figuresReader(config);
  return (store: Store, ids: readonly string[]) => {
    if (known?.store !== store) known = { store, hours: new HourReader() };
    return liveView({ ...known, figures: figuresOf(store), config, redact, nowAt: clock.now() }, ids);
  };
}

interface Looking extends Pick<LoadedConfig, 'config' | 'redact'> {
  readonly store: Store;
  readonly nowAt: number;
  readonly figures: Figures;
  /** How far the latency goes back. */
  readonly hours: number;
}

function lookAt(id: string, looking: Looking): Detail {
  const { config, store, figures, nowAt, hours } = looking;
  const { sql } = store;
  const found = figures.at(nowAt).of(id);
  const marks = found?.marks();
  const routed = config.monitors.find((monitor) => monitor.id === id)?.notify ?? null;
  const { incidents: rows } = incidents.list(sql, { limit: maxIncidents, monitors: [id] });
  const said = incidentUpdates.of(
    sql,
    rows.map(({ uid }) => uid),
  );
  return {
    id,
    hours,
    latency: latencyOf(sql, id, { now: nowAt, hours }),
    days: (found?.bars ?? []).slice(-config.page.history_days).map((bar) => dayView(bar, marks?.get(bar.at))),
    incidents: rows.map((row) =>
      wholeIncident(row, { nowAt, isCritical: criticalAmong(config.monitors) }, said.get(row.uid)),
    ),
    explanation: explain(gatherFacts(id, looking)),
    channels:
      routed === null ? config.channels.map(({ name }) => name) : channelNamesOf(routed, config, nowAt),
  };
}

/** A day in samples, a month by the hour, more by the day: as the page of a monitor has them. */
function latencyOf(sql: Store['sql'], id: string, view: { readonly now: number; readonly hours: number }) {
  if (view.hours <= 24) return latencySeries(sql, id, { ...view, maxPoints: 2000 });
  return view.hours <= 720 ? hourlyLatency(sql, id, view) : dailyLatency(sql, id, view);
}
