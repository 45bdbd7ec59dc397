/** Reads the report of a month from the database: the same figures as on the page of an authenticated viewer. */
import type { SqlReader } from '../../db/store/sql.ts';
import type { Config } from '../../engine/config/config.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { monthText } from '../../engine/views/page-wording.ts';
import { createFigures } from '../../serve/scope/figures.ts';
import type { Report } from '../../engine/views/report.ts';
import { type MonthReport, readReport } from '../../serve/scope/report.ts';
import { selectMonitors } from '../../engine/operations/select-monitors.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { monthAt, monthWithin } from '../../engine/core/calendar.ts';
import { monthSpan } from '../../engine/core/instant.ts';

export interface ReportRequest {
  /** As typed; null: last month, or the running one where the record begins in it. */
  readonly month: string | null;
  /** Null: all. */
  readonly group: string | null;
  /** Computes the figures of a closed month anew as well. */
  readonly isCompared?: boolean;
}

interface ReportSources {
  readonly config: Config;
  readonly store: { readonly sql: SqlReader };
  readonly nowAt: number;
}

export interface FoundReport extends Pick<MonthReport, 'report' | 'recordMonth' | 'closed'> {
  /** The figures of a closed month as computed now; null: the month is not closed, or nobody asked. */
  readonly recomputed: Report | null;
}

/** Throws `usage` for what is no month, `not_found` for one that has not begun and for an unknown group. */
export function monthReport(
  { month: typed, group, isCompared = false }: ReportRequest,
  { config, store, nowAt }: ReportSources,
): FoundReport {
  const zone = config.page.timezone;
  const groups = group === null ? [] : [group];
  const visible = selectMonitors(config.monitors, { ids: [], groups });
  const ids = new Set(visible.map(({ id }) => id));
  const readAs = (month: string, isRecomputed: boolean): MonthReport => {
    const found = readReport(
      { store, figures: createFigures(store, () => config) },
      {
        config,
        visible,
        known: new Map(visible.map((monitor) => [monitor.id, monitor])),
        reader: {
          isTrusted: true,
          isVisible: (id) => ids.has(id),
          hasDetail: () => true,
          isCritical: () => false,
          nowAt,
        },
        mayShowRemoved: (removed) => group === null || removed.group === group,
        blindSinceAt: null,
      },
      { month, isRecomputed },
    );
    if (found === null) throw new StatusdError('not_found', `${monthText(month)} has not begun`);
    return found;
  };
  const read = (month: string): FoundReport => {
    const found = readAs(month, false);
    const isBoth = isCompared && found.closed !== null;
    return { ...found, recomputed: isBoth ? readAs(month, true).report : null };
  };
  const asked = read(monthAsked(typed, nowAt, zone));
  const running = monthAt(nowAt, zone);
  return typed === null && asked.recordMonth === running ? read(running) : asked;
}

/** The month of a command line, last month without one. Throws `usage`. */
export function monthAsked(typed: string | null, nowAt: number, zone: string): string {
  const month = typed ?? monthBefore(nowAt, zone);
  if (monthSpan(month) !== null) return month;
  throw new StatusdError('usage', `${quoted(month)} is no month`, {
    hint: `Write a month as year and month: ${monthAt(nowAt, zone)}.`,
  });
}

function monthBefore(at: number, zone: string): string {
  const running = monthWithin(monthAt(at, zone), zone);
  return monthAt((running?.fromAt ?? at) - 1, zone);
}
