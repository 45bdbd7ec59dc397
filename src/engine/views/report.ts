/** The SLA report of a month: what was promised, what was kept, from seconds and incidents. */
import { errorBudget, type StatusSecs } from '../core/slo.ts';

/** A monitor with the seconds credited to it within the month, up to now. */
export interface ReportMonitor {
  readonly id: string;
  readonly name: string;
  readonly group: string | null;
  /** Null: nothing was promised. */
  readonly sloUptimePercent: number | null;
  readonly secs: StatusSecs;
}

/** Instants are epoch ms; `endedAt` null: it is open. */
export interface ReportIncident {
  readonly monitor: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

export interface ReportFacts {
  /** `2026-11`. */
  readonly month: string;
  readonly nowAt: number;
  readonly monitors: readonly ReportMonitor[];
  /** Those that were open at some time in the month; others are left out. */
  readonly incidents: readonly ReportIncident[];
}

/** Whether a promise was kept. Minutes of the budget are those of the whole month; the share used is rounded up. */
export type SloVerdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'no_data'; readonly targetPercent: number }
  | {
      readonly kind: 'met' | 'missed';
      readonly targetPercent: number;
      readonly budgetMinutes: number;
      readonly spentMinutes: number;
      readonly usedPercent: number;
    };

/** Shares are in hundredths of a percent and cut, never rounded up. */
export interface ReportFigures {
  /** Null: no data. */
  readonly uptime: number | null;
  readonly coverage: number;
  /** Incidents that were open at some time in the month. */
  readonly incidents: number;
  /** Their length within the month. */
  readonly downtimeMs: number;
  /** The mean length, from first failure to recovery, of those that ended within the month; null: none did. */
  readonly mttrMs: number | null;
}

interface ReportRow extends ReportFigures {
  readonly id: string;
  readonly name: string;
  readonly slo: SloVerdict;
}

/** Several monitors together: seconds and lengths are added up. */
export interface ReportTotal extends ReportFigures {
  readonly slosMet: number;
  readonly slosMissed: number;
}

export interface ReportGroup {
  readonly name: string | null;
  readonly rows: readonly ReportRow[];
  readonly total: ReportTotal;
}

export interface Report {
  readonly month: string;
  readonly fromAt: number;
  /** The end of the month, or now when it still runs. */
  readonly toAt: number;
  readonly isRunning: boolean;
  readonly groups: readonly ReportGroup[];
  readonly total: ReportTotal;
}

interface Span {
  readonly fromAt: number;
  readonly toAt: number;
}

/** The month as a span, `toAt` not in it; null: not a month like `2026-11`. */
export function monthSpan(month: string): Span | null {
  const [, year, index] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined || index === undefined || Number(year) < 1970) return null;
  return {
    fromAt: Date.UTC(Number(year), Number(index) - 1, 1),
    toAt: Date.UTC(Number(year), Number(index), 1),
  };
}

/** The report of a month; null when `month` is none. Groups stand in the order of their first monitor. */
export function reportOf({ month, nowAt, monitors, incidents }: ReportFacts): Report | null {
  const whole = monthSpan(month);
  if (whole === null) return null;
  const span = { fromAt: whole.fromAt, toAt: Math.max(whole.fromAt, Math.min(whole.toAt, nowAt)) };
  const monthDays = (whole.toAt - whole.fromAt) / 86_400_000;
  const within = incidents.filter(
    ({ startedAt, endedAt }) => startedAt < span.toAt && (endedAt ?? Infinity) > span.fromAt,
  );
  const byMonitor = new Map<string, ReportIncident[]>(monitors.map(({ id }) => [id, []]));
  for (const incident of within) byMonitor.get(incident.monitor)?.push(incident);
  const figures = (some: readonly ReportMonitor[]): ReportFigures => {
    const own = some.flatMap(({ id }) => byMonitor.get(id) ?? []);
    return figuresOf(some, own, span);
  };
  const rowOf = (monitor: ReportMonitor): ReportRow => ({
    id: monitor.id,
    name: monitor.name,
    ...figures([monitor]),
    slo: judge(monitor, monthDays),
  });
  const totalOf = (some: readonly ReportMonitor[]): ReportTotal => {
    const kinds = some.map((monitor) => judge(monitor, monthDays).kind);
    return {
      ...figures(some),
      slosMet: kinds.filter((kind) => kind === 'met').length,
      slosMissed: kinds.filter((kind) => kind === 'missed').length,
    };
  };
  const names = [...new Set(monitors.map(({ group }) => group))];
  const groups = names.map((name) => {
    const members = monitors.filter(({ group }) => group === name);
    return { name, rows: members.map(rowOf), total: totalOf(members) };
  });
  return { month, ...span, isRunning: nowAt < whole.toAt, groups, total: totalOf(monitors) };
}

function figuresOf(
  monitors: readonly ReportMonitor[],
  incidents: readonly ReportIncident[],
  span: Span,
): ReportFigures {
  let known = 0;
  let down = 0;
  for (const { secs } of monitors) {
    known += secs.up + secs.degraded + secs.down;
    down += secs.down;
  }
  const spanSecs = ((span.toAt - span.fromAt) / 1000) * monitors.length;
  const lengths = incidents.flatMap(({ startedAt, endedAt }) =>
    endedAt !== null && endedAt <= span.toAt ? [endedAt - startedAt] : [],
  );
  return {
    uptime: known === 0 ? null : Math.floor(((known - down) * 10_000) / known),
    coverage: spanSecs === 0 ? 0 : Math.min(10_000, Math.floor((known * 10_000) / spanSecs)),
    incidents: incidents.length,
    downtimeMs: incidents.reduce((sum, incident) => sum + clipped(incident, span), 0),
    mttrMs: lengths.length === 0 ? null : lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
  };
}

function clipped({ startedAt, endedAt }: ReportIncident, { fromAt, toAt }: Span): number {
  return Math.max(0, Math.min(endedAt ?? toAt, toAt) - Math.max(startedAt, fromAt));
}

function judge({ sloUptimePercent, secs }: ReportMonitor, monthDays: number): SloVerdict {
  if (sloUptimePercent === null) return { kind: 'none' };
  const known = secs.up + secs.degraded + secs.down;
  if (known === 0) return { kind: 'no_data', targetPercent: sloUptimePercent };
  const slo = { uptimePercent: sloUptimePercent, windowDays: monthDays };
  const { totalMinutes, spentMinutes } = errorBudget(slo, secs);
  // Compared in seconds: 100 * (known - down) / known would round where the promise has many digits.
  const allowedSecs = (totalMinutes / (monthDays * 1440)) * known;
  return {
    kind: secs.down <= allowedSecs ? 'met' : 'missed',
    targetPercent: sloUptimePercent,
    budgetMinutes: totalMinutes,
    spentMinutes,
    usedPercent: Math.ceil(Number(((spentMinutes * 100) / totalMinutes).toPrecision(12))),
  };
}
