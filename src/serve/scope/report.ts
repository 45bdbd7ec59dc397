/** Reads the figures of a monthly report. */
import { sumDays } from '../../db/read/day-sums.ts';
import { readWatched } from '../../db/read/watched.ts';
import { daySecs, hourSecs } from '../../db/samples/slots.ts';
import { incidents } from '../../db/tables/incidents.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Monitor } from '../../engine/config/config.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { type Report, type ReportFacts, type ReportMonitor, reportParts } from '../../engine/views/report.ts';
import { type ClosedMonth, type ClosedMonitor, closedMonths } from '../../db/tables/closed-months.ts';
import { watchedSpan, watchedWithin } from '../../engine/monitoring/month-closer.ts';
import { atOnce, type Steps } from '../../engine/core/yielding.ts';
import { maintainedWithin, type Stretch } from '../../engine/core/maintained.ts';
import { countedSecs, withoutSecs } from '../../engine/monitoring/counted-time.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { type GatherRequest, type GatherSources, noSecs, sumSecs } from './gather.ts';
import { monthAt, monthWithin } from '../../engine/core/calendar.ts';

export interface MonthReport {
  /** Without figures for a month before the record. */
  readonly report: Report;
  /** The month in which the record of these monitors begins; null: nothing is on record yet. */
  readonly recordMonth: string | null;
  /** The months of the record before and after it; null: there is none. */
  readonly previous: string | null;
  readonly following: string | null;
  /** When the month was closed: its figures were stored then. Null: they are computed now. */
  readonly closed: ClosedMonth | null;
}

/** A monitor that the configuration has no more, as it was shown before. */
export type RemovedMonitor = Pick<ClosedMonitor, 'id' | 'group' | 'isPrivate'>;

interface ReportReading extends GatherRequest {
  /** Whether the reader may know of a monitor that the configuration has no more. */
  readonly mayShowRemoved: (monitor: RemovedMonitor) => boolean;
}

interface AskedMonth extends Pick<ReportFacts, 'month' | 'isRounded'> {
  /** Computes the figures anew, also where they are stored. */
  readonly isRecomputed?: boolean;
}

type MonthReportSources = Pick<GatherSources, 'store' | 'figures'>;

/** Of the monitors of `asked`; null: no month, or one that has not begun. */
export function readReport(
  sources: MonthReportSources,
  gatherRequest: ReportReading,
  asked: AskedMonth,
): MonthReport | null {
  return atOnce(reportSteps(sources, gatherRequest, asked));
}

/** The same in steps short enough for the probes not to notice. */
export function* reportSteps(
  sources: MonthReportSources,
  gatherRequest: ReportReading,
  { month, isRounded = false, isRecomputed = false }: AskedMonth,
): Steps<MonthReport | null> {
  const { visible, reader } = gatherRequest;
  const { nowAt } = reader;
  const { sql } = sources.store;
  const { timezone } = gatherRequest.config.page;
  const recordMonth = recordMonthOf(sources, visible, { nowAt, zone: timezone });
  const first = recordMonth ?? monthAt(nowAt, timezone);
  const isOnRecord = month >= first;
  const stored = isRecomputed ? null : closedFacts(sql, gatherRequest, { month, isOnRecord });
  const closed = stored === null ? null : closedMonths.find(sql, month);
  const zone = closed?.zone ?? timezone;
  const span = monthWithin(month, zone);
  if (span === null || span.fromAt > nowAt) return null;
  yield;
  const facts = stored ?? (yield* factsOf(sources, gatherRequest, { ...span, isOnRecord }));
  const report = yield* reportParts({
    month,
    zone,
    nowAt: closed?.closedAt ?? nowAt,
    isRounded,
    ...facts,
  });
  yield;
  if (report === null) return null;
  const previous = monthAt(span.fromAt - 1, zone);
  const following = span.toAt > nowAt ? null : monthAt(span.toAt, zone);
  return {
    report,
    recordMonth,
    previous: previous < first ? null : previous,
    following: isOnRecord ? following : first,
    closed,
  };
}

type MonthFacts = Pick<ReportFacts, 'monitors' | 'incidents'>;

/**
 * The facts of a closed month, as far as the reader may know them; null: it is not closed, or the reader may know none. That
 * a month before the record of the reader's monitors is closed would tell that a private monitor was watched in it.
 */
function closedFacts(
  sql: SqlReader,
  { config, visible, mayShowRemoved }: ReportReading,
  { month, isOnRecord }: { readonly month: string; readonly isOnRecord: boolean },
): MonthFacts | null {
  if (closedMonths.find(sql, month) === null) return null;
  const ids = new Set(visible.map(({ id }) => id));
  const configured = new Set(config.monitors.map(({ id }) => id));
  const shown = closedMonths
    .monitors(sql, month)
    .filter((monitor) => (configured.has(monitor.id) ? ids.has(monitor.id) : mayShowRemoved(monitor)));
  if (!shown.some(({ id }) => isOnRecord || !configured.has(id))) return null;
  return {
    monitors: shown,
    incidents: shown.flatMap(({ id, outages }) => outages.map((outage) => ({ monitor: id, ...outage }))),
  };
}

/** The facts of a month as they are known now. */
function* factsOf(
  sources: MonthReportSources,
  gatherRequest: ReportReading,
  { isOnRecord, ...span }: Stretch & { readonly isOnRecord: boolean },
): Steps<MonthFacts> {
  const { config, visible, reader, mayShowRemoved } = gatherRequest;
  const { nowAt } = reader;
  const { sql } = sources.store;
  const secs = new Map(isOnRecord ? yield* secsWithin(sources, gatherRequest, { ...span, nowAt }) : none);
  const toAt = Math.min(span.toAt, nowAt);
  const removed = watchedWithin(sql, config, { ...span, toAt }).filter(
    (monitor) => monitor.removedAt !== null && mayShowRemoved(monitor),
  );
  for (const monitor of removed) {
    const { id } = monitor;
    secs.set(id, countedSecs(sql, config, { monitor: id, ...watchedSpan(monitor, span), nowAt }));
    yield;
  }
  const shown = [
    ...visible.map(({ id, name, group, slo_uptime }) => {
      return { id, name, group, sloUptimePercent: slo_uptime, removedAt: null };
    }),
    ...removed,
  ];
  const ids = new Set(shown.map(({ id }) => id));
  const outages = isOnRecord ? incidents.spansWithin(sql, span) : [];
  yield;
  const windows = plannedMaintenance(sql, config, nowAt);
  const monitors: ReportMonitor[] = [];
  for (const [index, monitor] of shown.entries()) {
    const maintained = maintainedWithin(windows, monitor.id, { fromAt: span.fromAt, toAt });
    monitors.push({ ...monitor, secs: secs.get(monitor.id) ?? noSecs, maintained });
    if (index % stepSize === stepSize - 1) yield;
  }
  return { monitors, incidents: outages.filter(({ monitor }) => ids.has(monitor)) };
}

const none: ReadonlyMap<string, StatusSecs> = new Map();

/**
 * The month in which the history of the first of the monitors begins; null: there is none. Days of another program were
 * imported without samples, by rewriting the past.
 */
function recordMonthOf(
  { store }: Pick<GatherSources, 'store'>,
  visible: readonly Monitor[],
  { nowAt, zone }: { readonly nowAt: number; readonly zone: string },
): string | null {
  const ids = new Set(visible.map(({ id }) => id));
  const begun = readWatched(store.sql).flatMap(({ id, oldestHour, samples, rewrites }) =>
    ids.has(id) && samples + rewrites > 0 ? [oldestHour * hourSecs * 1000] : [],
  );
  return begun.length === 0
    ? null
    : monthAt(
        begun.reduce((first, at) => Math.min(first, at), nowAt),
        zone,
      );
}

/** How many monitors are read in one step. */
const stepSize = 5;

/** How many days of all monitors are summed up in one step. */
const stepMs = 4 * daySecs * 1000;

interface Within {
  readonly fromAt: number;
  readonly toAt: number;
  readonly nowAt: number;
}

/**
 * Days that the bars cover are in memory; those before them have been packed for long. Days of another time zone than UTC
 * are read monitor by monitor.
 */
function* secsWithin(
  { store, figures }: MonthReportSources,
  { config, visible }: Pick<GatherRequest, 'config' | 'visible'>,
  { fromAt, toAt, nowAt }: Within,
): Steps<ReadonlyMap<string, StatusSecs>> {
  const sums = new Map<string, StatusSecs>();
  const figuresNow = figures.at(nowAt);
  const add = (id: string, secs: StatusSecs) => sums.set(id, sumSecs([sums.get(id) ?? noSecs, secs]));
  let coveredAt = toAt;
  for (const [index, { id }] of visible.entries()) {
    const bars = figuresNow.bars(id);
    coveredAt = bars[0]?.at ?? coveredAt;
    const own = bars.filter(({ at }) => at >= fromAt && at < toAt);
    add(id, sumSecs(own.map(({ secs }) => secs)));
    if (index % stepSize === stepSize - 1) yield;
  }
  const olderToAt = Math.min(toAt, coveredAt);
  if (config.page.timezone !== 'UTC') {
    for (const { id } of olderToAt > fromAt ? visible : []) {
      add(id, countedSecs(store.sql, config, { monitor: id, fromAt, toAt: olderToAt, nowAt }));
      yield;
    }
    return sums;
  }
  for (let at = fromAt; at < olderToAt; at += stepMs) {
    const older = sumDays(store.sql, { fromAt: at, toAt: Math.min(at + stepMs, olderToAt) });
    for (const { id } of visible) add(id, older.get(id) ?? noSecs);
    yield;
  }
  for (const [index, { id }] of visible.entries()) {
    const { ms, secs } = figuresNow.within(id, { fromAt, toAt: olderToAt });
    if (ms > 0) sums.set(id, withoutSecs(sums.get(id) ?? noSecs, secs));
    if (index % stepSize === stepSize - 1) yield;
  }
  return sums;
}
