/** Reads the report of a month from the record: the same figures as the page shows to an authenticated viewer. */
import type { SqlReader } from '../../db/store/sql.ts';
import { readWatched } from '../../db/read/watched.ts';
import { hourSecs } from '../../db/samples/slots.ts';
import type { Config } from '../../engine/config/config.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { monthText } from '../../engine/views/page-wording.ts';
import { monthSpan, type Report, reportOf } from '../../engine/views/report.ts';
import { createFigures } from '../../serve/scope/figures.ts';
import { noSecs } from '../../serve/scope/gather.ts';
import { readReport } from '../../serve/scope/report.ts';
import { selectMonitors } from '../check/select.ts';
import { quoted } from '../duration-argument.ts';

export interface Wish {
  /** As typed; null: last month. */
  readonly month: string | null;
  /** Null: all. */
  readonly group: string | null;
}

interface Place {
  readonly config: Config;
  readonly store: { readonly sql: SqlReader };
  readonly nowAt: number;
}

export interface FoundReport {
  /** Without figures for a month before the record. */
  readonly report: Report;
  /** The month in which the record of these monitors begins; null: nothing is on record yet. */
  readonly recordMonth: string | null;
}

/** Throws `usage` for what is no month, `not_found` for one that has not begun and for an unknown group. */
export function monthReport({ month: typed, group }: Wish, { config, store, nowAt }: Place): FoundReport {
  const { month, span } = monthAsked(typed, nowAt);
  const groups = group === null ? [] : [group];
  const visible = selectMonitors(config.monitors, { ids: [], groups });
  const ids = new Set(visible.map(({ id }) => id));
  const found = readReport(
    { store, figures: createFigures(store, () => config) },
    {
      config,
      visible,
      known: new Map(visible.map((monitor) => [monitor.id, monitor])),
      reader: { isTrusted: true, isVisible: (id) => ids.has(id), hasDetail: () => true, nowAt },
      blindSinceAt: null,
    },
    month,
  );
  const recordMonth = firstMonthOf(store.sql, ids, nowAt);
  if (found !== null) return { report: found.report, recordMonth };
  if (span.fromAt > nowAt) throw new StatusdError('not_found', `${monthText(month)} has not begun`);
  const unseen = visible.map(({ id, name, group: of, slo_uptime: sloUptimePercent }) => {
    return { id, name, group: of, sloUptimePercent, secs: noSecs };
  });
  const report = reportOf({ month, nowAt, monitors: unseen, incidents: [] });
  if (report === null) throw new Error('a month with a span has a report');
  return { report, recordMonth };
}

/** The month of a command line, last month without one. Throws `usage`. */
export function monthAsked(typed: string | null, nowAt: number) {
  const month = typed ?? monthBefore(nowAt);
  const span = monthSpan(month);
  if (span !== null) return { month, span };
  throw new StatusdError('usage', `${quoted(month)} is no month`, {
    hint: `Write a month as year and month: ${monthOf(nowAt)}.`,
  });
}

function firstMonthOf(sql: SqlReader, ids: ReadonlySet<string>, nowAt: number): string | null {
  const begun = readWatched(sql).flatMap(({ id, oldestHour, samples }) =>
    ids.has(id) && samples > 0 ? [oldestHour * hourSecs * 1000] : [],
  );
  return begun.length === 0 ? null : monthOf(begun.reduce((least, at) => Math.min(least, at), nowAt));
}

/** `2026-11`. */
function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

function monthBefore(at: number): string {
  const now = new Date(at);
  return monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 1);
}
