/** Builds what the status page shows, whole or of one group, in steps short enough for the probes not to notice. */
import { rfc3339 } from '../../engine/core/instant.ts';
import { uptimeShare } from '../../db/read/share.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import { monitorView, type Reader, readerState } from '../../engine/views/monitor.ts';
import {
  figuresShown,
  type PageFigures,
  type PageOverview,
  type ShownMonitor,
  shownMonitor,
} from '../../engine/views/page.ts';
import { maintenanceViews, visibleWindows, withoutRepeats } from '../../engine/views/frame.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { withCauses } from '../../engine/views/verdict.ts';
import { frameOf } from './frame.ts';
import { newsAmong } from './news.ts';
import { readIncidents } from './record.ts';
import { gather, type GatherRequest, type GatherSources, type MonitorFound } from './gather.ts';

export interface Overview {
  readonly summary: PageOverview;
  /** By config id. */
  readonly figures: ReadonlyMap<string, PageFigures>;
  /** Of all monitors that may be named, by config id. */
  readonly names: ReadonlyMap<string, string>;
}

/** How many monitors are read in one step. */
const stepSize = 5;

/** Of the monitors of `gatherRequest`; what is about others is left out of it. */
export async function buildOverview(sources: GatherSources, gatherRequest: GatherRequest): Promise<Overview> {
  const { yieldTurn, histories } = sources;
  const { config, visible, known, reader, blindSinceAt } = gatherRequest;
  const naming: Reader = { ...reader, isVisible: (id) => known.has(id) };
  const { find, situation } = await gather(sources, gatherRequest);
  const figuresOf = figuresOver(config.page.history_days);
  const monitors: ShownMonitor[] = [];
  const figures = new Map<string, PageFigures>();
  for (const [index, monitor] of visible.toSorted((a, b) => a.page_order - b.page_order).entries()) {
    const found = find(monitor);
    const view = monitorView(monitor, found.facts, { reader: naming, situation });
    const bars = latestOf(found.bars, config.page.history_days);
    const { description, url, critical } = monitor;
    const shown = shownMonitor(view, {
      silenced_until: reader.isTrusted ? view.silenced_until : null,
      unstable_since: reader.isTrusted ? view.unstable_since : null,
      state: readerState(view, found.facts),
      history: histories.of(monitor.id, bars, found.marks()).views,
      description,
      url,
      critical,
    });
    monitors.push(shown);
    figures.set(monitor.id, figuresShown(figuresOf(found), shown));
    if (index % stepSize === stepSize - 1) await yieldTurn();
  }
  const { head, tail } = frameOf(sources, gatherRequest, monitors);
  const planned = plannedMaintenance(sources.store.sql, config, reader.nowAt);
  // Schedules that differ in what this reader may not know of are one to the reader.
  const shown = visibleWindows(planned, reader.isVisible);
  const names = new Map([...known].map(([id, { name }]) => [id, name]));
  const maintained = new Set(monitors.filter(({ state }) => state === 'maintenance').map(({ id }) => id));
  const maintenance = { planned, isMaintained: (id: string) => maintained.has(id) };
  const past = newsAmong(pastIncidents(sources, gatherRequest), maintenance);
  // All is read. What is made of it takes as long again, where many are down.
  await yieldTurn();
  return {
    summary: {
      ...head,
      incidents: newsAmong(head.incidents, maintenance),
      maintenances: maintenanceViews(withoutRepeats(shown, reader.nowAt), reader),
      ...(blindSinceAt === null ? {} : { blindSince: rfc3339(blindSinceAt) }),
      monitors: withCauses(monitors, [...known.values()]),
      ...tail,
      past,
    },
    figures,
    names,
  };
}

/** The last `days` of them; they themselves where there are no more. */
function latestOf(bars: MonitorFound['bars'], days: number): MonitorFound['bars'] {
  return bars.length <= days ? bars : bars.slice(-days);
}

const pastMs = 7 * 86_400_000;

/** No page lists more of them. */
const maxPast = 20;

/** Those of operators, too, that are about one of these monitors or about everything. */
function pastIncidents(
  { store }: Pick<GatherSources, 'store'>,
  { visible, known, reader }: GatherRequest,
): readonly IncidentView[] {
  const naming = { ...reader, isVisible: (id: string) => known.has(id) };
  const monitors = visible.map(({ id }) => id);
  const page = readIncidents(
    { store, reader: naming },
    { limit: maxPast, isOpen: false, before: null, monitors },
  );
  return page.incidents.filter(
    ({ ended_at: endedAt }) => endedAt !== null && Date.parse(endedAt) > reader.nowAt - pastMs,
  );
}

/** Uptime in hundredths of a percent. */
function figuresOver(historyDays: number): (found: Pick<MonitorFound, 'day' | 'rolling'>) => PageFigures {
  const spans = [7, 30, 90, historyDays];
  return ({ day, rolling }) => {
    const [week, month, quarter, shown] = rolling(spans).map((secs) => uptimeShare(secs, 10_000));
    return {
      day: day === null ? null : uptimeShare(day.secs, 10_000),
      week: week ?? null,
      month: month ?? null,
      quarter: quarter ?? null,
      shown: shown ?? null,
    };
  };
}
