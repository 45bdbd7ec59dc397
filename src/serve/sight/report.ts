/** Reads what the report of a month is made of. */
import { sumDays } from '../../db/read/day-sums.ts';
import { readWatched } from '../../db/read/watched.ts';
import { hourSecs } from '../../db/samples/slots.ts';
import { incidents } from '../../db/topics/incidents.ts';
import type { Monitor } from '../../engine/config/config.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { monthSpan, type Report, reportOf } from '../../engine/views/report.ts';
import { type Asked, type GatherSources, noSecs, sumSecs } from './gather.ts';

export interface MonthReport {
  readonly report: Report;
  /** The months before and after it that there is a report for; null: there is none. */
  readonly previous: string | null;
  readonly following: string | null;
}

/** Of the monitors of `asked`; null: no month, or one that nothing is known of. */
export function readReport(
  sources: Pick<GatherSources, 'store' | 'figures'>,
  { visible, reader }: Asked,
  month: string,
): MonthReport | null {
  const { nowAt } = reader;
  const { sql } = sources.store;
  const span = monthSpan(month);
  const first = firstMonth(sources, visible, nowAt);
  if (span === null || month < first || span.fromAt > nowAt) return null;
  const secs = secsWithin(sources, span, nowAt);
  const report = reportOf({
    month,
    nowAt,
    monitors: visible.map(({ id, name, group, slo_uptime }) => ({
      id,
      name,
      group,
      sloUptimePercent: slo_uptime,
      secs: secs(id),
    })),
    incidents: incidents.listWithin(sql, span).filter(({ monitor }) => reader.isVisible(monitor)),
  });
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

/** Days that the bars cover are in memory; those before them have been packed for long. */
function secsWithin(
  { store, figures }: Pick<GatherSources, 'store' | 'figures'>,
  { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
  nowAt: number,
): (id: string) => StatusSecs {
  const bars = figures.bars(nowAt);
  const [any = []] = bars.values();
  const coveredAt = any[0]?.at ?? toAt;
  const older = fromAt < coveredAt ? sumDays(store.sql, { fromAt, toAt: Math.min(toAt, coveredAt) }) : null;
  return (id) => {
    const own = (bars.get(id) ?? []).filter(({ at }) => at >= fromAt && at < toAt).map(({ secs }) => secs);
    return sumSecs([older?.get(id) ?? noSecs, ...own]);
  };
}
