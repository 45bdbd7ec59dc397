/** Reads what the report of a month is made of. */
import { sumDays } from '../../db/read/day-sums.ts';
import { readWatched } from '../../db/read/watched.ts';
import { daySecs, hourSecs } from '../../db/samples/slots.ts';
import { incidents } from '../../db/tables/incidents.ts';
import type { Monitor } from '../../engine/config/config.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { monthSpan, type Report, reportOf } from '../../engine/views/report.ts';
import { atOnce, type Steps } from '../steps.ts';
import { type GatherRequest, type GatherSources, noSecs, sumSecs } from './gather.ts';

export interface MonthReport {
  readonly report: Report;
  /** The months before and after it that there is a report for; null: there is none. */
  readonly previous: string | null;
  readonly following: string | null;
}

type Sources = Pick<GatherSources, 'store' | 'figures'>;

/** Of the monitors of `asked`; null: no month, or one that nothing is known of. */
export function readReport(
  sources: Sources,
  gatherRequest: GatherRequest,
  month: string,
): MonthReport | null {
  return atOnce(reportSteps(sources, gatherRequest, month));
}

/** The same in steps short enough for the probes not to notice. */
export function* reportSteps(
  sources: Sources,
  { visible, reader }: GatherRequest,
  month: string,
): Steps<MonthReport | null> {
  const { nowAt } = reader;
  const { sql } = sources.store;
  const span = monthSpan(month);
  const first = firstMonth(sources, visible, nowAt);
  if (span === null || month < first || span.fromAt > nowAt) return null;
  yield;
  const secs = yield* secsWithin(sources, visible, { ...span, nowAt });
  const within = incidents.spansWithin(sql, span).filter(({ monitor }) => reader.isVisible(monitor));
  yield;
  const report = reportOf({
    month,
    nowAt,
    monitors: visible.map(({ id, name, group, slo_uptime }) => ({
      id,
      name,
      group,
      sloUptimePercent: slo_uptime,
      secs: secs.get(id) ?? noSecs,
    })),
    incidents: within,
  });
  yield;
  if (report === null) return null;
  const previous = monthOf(span.fromAt - 1);
  return {
    report,
    previous: previous < first ? null : previous,
    following: span.toAt > nowAt ? null : monthOf(span.toAt),
  };
}

/** `2026-11`. */
function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** The month in which the history of the first of the monitors begins; this one when there is none. */
function firstMonth(
  { store }: Pick<GatherSources, 'store'>,
  visible: readonly Monitor[],
  nowAt: number,
): string {
  const ids = new Set(visible.map(({ id }) => id));
  const begun = readWatched(store.sql).flatMap(({ id, oldestHour }) =>
    ids.has(id) ? [oldestHour * hourSecs * 1000] : [],
  );
  return monthOf(begun.reduce((first, at) => Math.min(first, at), nowAt));
}

/** As many monitors are read in one step. */
const stepSize = 5;

/** As many days of all monitors are summed up in one step. */
const stepMs = 4 * daySecs * 1000;

interface Within {
  readonly fromAt: number;
  readonly toAt: number;
  readonly nowAt: number;
}

/** Days that the bars cover are in memory; those before them have been packed for long. */
function* secsWithin(
  { store, figures }: Sources,
  visible: readonly Monitor[],
  { fromAt, toAt, nowAt }: Within,
): Steps<ReadonlyMap<string, StatusSecs>> {
  const sums = new Map<string, StatusSecs>();
  const add = (id: string, secs: StatusSecs) => sums.set(id, sumSecs([sums.get(id) ?? noSecs, secs]));
  let coveredAt = toAt;
  for (const [index, { id }] of visible.entries()) {
    const bars = figures.bars(id, nowAt);
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
  return sums;
}
