/** Reads the figures of a monthly report. */
import { sumDays } from '../../db/read/day-sums.ts';
import { readWatched } from '../../db/read/watched.ts';
import { daySecs, hourSecs } from '../../db/samples/slots.ts';
import { incidents } from '../../db/tables/incidents.ts';
import type { Monitor } from '../../engine/config/config.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { monthSpan, type Report, type ReportFacts, reportParts } from '../../engine/views/report.ts';
import { atOnce, type Steps } from '../../engine/core/yielding.ts';
import { maintainedWithin } from '../../engine/core/maintained.ts';
import { withoutSecs } from '../../engine/monitoring/counted-time.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { type GatherRequest, type GatherSources, noSecs, sumSecs } from './gather.ts';
import { yearMonthText } from '../../engine/core/instant.ts';

export interface MonthReport {
  /** Without figures for a month before the record. */
  readonly report: Report;
  /** The month in which the record of these monitors begins; null: nothing is on record yet. */
  readonly recordMonth: string | null;
  /** The months of the record before and after it; null: there is none. */
  readonly previous: string | null;
  readonly following: string | null;
}

type MonthReportSources = Pick<GatherSources, 'store' | 'figures'>;

/** Of the monitors of `asked`; null: no month, or one that has not begun. */
export function readReport(
  sources: MonthReportSources,
  gatherRequest: GatherRequest,
  month: string,
): MonthReport | null {
  return atOnce(reportSteps(sources, gatherRequest, { month }));
}

/** The same in steps short enough for the probes not to notice. */
export function* reportSteps(
  sources: MonthReportSources,
  { config, visible, reader }: GatherRequest,
  { month, isRounded = false }: Pick<ReportFacts, 'month' | 'isRounded'>,
): Steps<MonthReport | null> {
  const { nowAt } = reader;
  const { sql } = sources.store;
  const span = monthSpan(month);
  if (span === null || span.fromAt > nowAt) return null;
  const recordMonth = recordMonthOf(sources, visible, nowAt);
  const first = recordMonth ?? yearMonthText(nowAt);
  const isOnRecord = month >= first;
  yield;
  const secs = isOnRecord ? yield* secsWithin(sources, visible, { ...span, nowAt }) : none;
  const within = isOnRecord
    ? incidents.spansWithin(sql, span).filter(({ monitor }) => reader.isVisible(monitor))
    : [];
  yield;
  const windows = plannedMaintenance(sql, config, nowAt);
  const toAt = Math.min(span.toAt, nowAt);
  const maintained = new Map<string, ReturnType<typeof maintainedWithin>>();
  for (const [index, { id }] of visible.entries()) {
    maintained.set(id, maintainedWithin(windows, id, { fromAt: span.fromAt, toAt }));
    if (index % stepSize === stepSize - 1) yield;
  }
  const report = yield* reportParts({
    month,
    nowAt,
    isRounded,
    monitors: visible.map(({ id, name, group, slo_uptime }) => ({
      id,
      name,
      group,
      sloUptimePercent: slo_uptime,
      secs: secs.get(id) ?? noSecs,
      maintained: maintained.get(id) ?? [],
    })),
    incidents: within,
  });
  yield;
  if (report === null) return null;
  const previous = yearMonthText(span.fromAt - 1);
  const following = span.toAt > nowAt ? null : yearMonthText(span.toAt);
  return {
    report,
    recordMonth,
    previous: previous < first ? null : previous,
    following: isOnRecord ? following : first,
  };
}

const none: ReadonlyMap<string, StatusSecs> = new Map();

/**
 * The month in which the history of the first of the monitors begins; null: there is none. Days of another program were
 * imported without samples, by rewriting the past.
 */
function recordMonthOf(
  { store }: Pick<GatherSources, 'store'>,
  visible: readonly Monitor[],
  nowAt: number,
): string | null {
  const ids = new Set(visible.map(({ id }) => id));
  const begun = readWatched(store.sql).flatMap(({ id, oldestHour, samples, rewrites }) =>
    ids.has(id) && samples + rewrites > 0 ? [oldestHour * hourSecs * 1000] : [],
  );
  return begun.length === 0 ? null : yearMonthText(begun.reduce((first, at) => Math.min(first, at), nowAt));
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

/** Days that the bars cover are in memory; those before them have been packed for long. */
function* secsWithin(
  { store, figures }: MonthReportSources,
  visible: readonly Monitor[],
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
