/** The SLA report of a month: the SLOs and whether they were met, from seconds and incidents. */
import { atOnce, type Steps } from '../core/yielding.ts';
import { monthWithin } from '../core/calendar.ts';
import { type Stretch, stretchesMs } from '../core/maintained.ts';
import { errorBudget, type StatusSecs } from '../core/slo.ts';
import { without } from './day.ts';
import { wholeMinutesMs } from './page-wording.ts';

/** A monitor with the seconds credited to it within the month, up to now, maintenance left out. */
export interface ReportMonitor {
  readonly id: string;
  readonly name: string;
  readonly group: string | null;
  /** Null: it has no SLO. */
  readonly sloUptimePercent: number | null;
  readonly secs: StatusSecs;
  /** When it was under maintenance, which counts for nothing, epoch ms: stretches that do not overlap. */
  readonly maintained?: readonly Stretch[];
  /** Since when it is no longer watched, epoch ms; null: it still is. */
  readonly removedAt?: number | null;
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
  /** The time zone whose month it is; absent: UTC. */
  readonly zone?: string;
  readonly nowAt: number;
  readonly monitors: readonly ReportMonitor[];
  /** Those that were open at some time in the month; others are left out. */
  readonly incidents: readonly ReportIncident[];
  /** Spans that still grow are in whole minutes: for what is shown again and again. */
  readonly isRounded?: boolean;
}

/**
 * Whether the uptime reached the SLO. The budget is the downtime that the SLO allows of the month without maintenance; the
 * share used is rounded up.
 */
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
  /** Incidents that began within the month. */
  readonly incidents: number;
  /** The time within the month in which at least one of them was open. */
  readonly downtimeMs: number;
  /** The mean of the parts of incidents that lie within the month, outside of maintenance; null: there are none. */
  readonly mttrMs: number | null;
  /** The time within the month in which at least one of its monitors was under maintenance. */
  readonly maintenanceMs: number;
}

interface ReportRow extends ReportFigures {
  readonly id: string;
  readonly name: string;
  readonly slo: SloVerdict;
  /** Since when it is no longer watched, epoch ms; null: it still is. */
  readonly removedAt: number | null;
}

/** Several monitors together. Uptime and coverage are those of all their seconds. */
export interface ReportTotal extends ReportFigures {
  /** The mean downtime of those with data or incidents; 0 without any. */
  readonly meanDowntimeMs: number;
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
  /** The time zone whose month it is. */
  readonly zone: string;
  readonly fromAt: number;
  /** The end of the month, or now when it still runs. */
  readonly toAt: number;
  readonly isRunning: boolean;
  readonly groups: readonly ReportGroup[];
  readonly total: ReportTotal;
}

type Span = Stretch;

/** The report of a month; null when `month` is none. */
export function reportOf(facts: ReportFacts): Report | null {
  return atOnce(reportParts(facts));
}

/** As many incidents are counted in one step. */
const incidentsAtATime = 200;

/**
 * The same in steps, for thousands of incidents. Groups stand in the order of their first monitor, what is in none last.
 */
export function* reportParts({
  month,
  zone = 'UTC',
  nowAt,
  isRounded = false,
  ...facts
}: ReportFacts): Steps<Report | null> {
  const { monitors, incidents } = facts;
  const whole = monthWithin(month, zone);
  if (whole === null) return null;
  const isRunning = nowAt < whole.toAt;
  const growing = isRounded && isRunning ? wholeMinutesMs : asItIs;
  const span = { fromAt: whole.fromAt, toAt: Math.max(whole.fromAt, Math.min(whole.toAt, nowAt)) };
  const within = incidents.filter(
    ({ startedAt, endedAt }) => startedAt < span.toAt && (endedAt ?? Infinity) > span.fromAt,
  );
  const byMonitor = new Map<string, CountedIncident[]>(monitors.map(({ id }) => [id, []]));
  const maintainedOf = new Map(monitors.map(({ id, maintained = [] }) => [id, maintained]));
  for (const [index, incident] of within.entries()) {
    byMonitor
      .get(incident.monitor)
      ?.push(...countedOf(incident, maintainedOf.get(incident.monitor) ?? [], span));
    if (index % incidentsAtATime === incidentsAtATime - 1) yield;
  }
  /** The downtime of each monitor to the millisecond, and whether it grows. */
  const exact = new Map<string, Pick<Measured, 'downtimeMs' | 'isGrowing'>>();
  const measured = (some: readonly ReportMonitor[]): Steps<Measured> => {
    const own = some.flatMap(({ id }) => byMonitor.get(id) ?? []);
    return figuresOf(some, own, { ...span, growing });
  };
  function* totalOf(some: readonly ReportMonitor[], rows: readonly ReportRow[]): Steps<ReportTotal> {
    const watched = rows
      .filter(({ uptime, incidents: count }) => uptime !== null || count > 0)
      .flatMap(({ id }) => exact.get(id) ?? []);
    const meanMs = meanOf(watched.map(({ downtimeMs }) => downtimeMs)) ?? 0;
    return {
      ...(yield* measured(some)).figures,
      meanDowntimeMs: watched.some(({ isGrowing }) => isGrowing) ? growing(meanMs) : meanMs,
      slosMet: rows.filter(({ slo }) => slo.kind === 'met').length,
      slosMissed: rows.filter(({ slo }) => slo.kind === 'missed').length,
    };
  }
  const named = new Set(monitors.map(({ group }) => group));
  const names = [...named].toSorted((a, b) => Number(a === null) - Number(b === null));
  const groups: ReportGroup[] = [];
  for (const name of names) {
    const members = monitors.filter(({ group }) => group === name);
    const rows: ReportRow[] = [];
    for (const monitor of members) {
      const { id, name: shown, removedAt = null } = monitor;
      const { figures, ...downtime } = yield* measured([monitor]);
      exact.set(id, downtime);
      rows.push({
        id,
        name: shown,
        ...figures,
        slo: judge(monitor, measuredSecs([monitor], span)),
        removedAt,
      });
    }
    groups.push({ name, rows, total: yield* totalOf(members, rows) });
  }
  const all = groups.flatMap(({ rows }) => rows);
  return { month, zone, ...span, isRunning, groups, total: yield* totalOf(monitors, all) };
}

function asItIs(ms: number): number {
  return ms;
}

interface Measured {
  readonly figures: ReportFigures;
  readonly downtimeMs: number;
  readonly isGrowing: boolean;
}

function* figuresOf(
  monitors: readonly ReportMonitor[],
  incidents: readonly CountedIncident[],
  span: Span & { readonly growing: (ms: number) => number },
): Steps<Measured> {
  let known = 0;
  let down = 0;
  for (const { secs } of monitors) {
    known += knownSecs(secs);
    down += secs.down;
  }
  const spanSecs = measuredSecs(monitors, span);
  const maintained = monitors.flatMap((monitor) => monitor.maintained ?? []);
  const maintenanceMs = yield* unionMs(maintained, span);
  yield;
  const meanMs = meanOf(incidents.map(({ parts }) => stretchesMs(parts)));
  const downtimeMs = yield* unionMs(
    incidents.flatMap(({ parts }) => parts),
    span,
  );
  yield;
  const isGrowing = incidents.some(({ isOpen }) => isOpen);
  const figures = {
    uptime: known === 0 ? null : Math.floor(((known - down) * 10_000) / known),
    coverage: spanSecs <= 0 ? 0 : Math.min(10_000, Math.floor((known * 10_000) / spanSecs)),
    incidents: incidents.filter(({ isOfMonth }) => isOfMonth).length,
    downtimeMs: isGrowing ? span.growing(downtimeMs) : downtimeMs,
    mttrMs: isGrowing && meanMs !== null ? span.growing(meanMs) : meanMs,
    maintenanceMs: maintained.some(({ toAt }) => toAt >= span.toAt)
      ? span.growing(maintenanceMs)
      : maintenanceMs,
  };
  return { figures, downtimeMs, isGrowing };
}

/** The seconds of a span, once for each monitor, without maintenance and the time after a monitor was removed. */
function measuredSecs(monitors: readonly ReportMonitor[], span: Span): number {
  const ms = monitors.reduce((sum, { maintained = [], removedAt = null }) => {
    return sum + span.toAt - span.fromAt - stretchesMs(maintained) - unwatchedMs(removedAt, span);
  }, 0);
  return ms / 1000;
}

/** How much of a span lies after a monitor was removed. */
function unwatchedMs(removedAt: number | null, { fromAt, toAt }: Span): number {
  return removedAt === null ? 0 : Math.max(0, toAt - Math.max(removedAt, fromAt));
}

/** An incident of which something lies within the month, outside of maintenance: those parts. */
interface CountedIncident {
  readonly parts: readonly Stretch[];
  /** The incident lasts, and not under maintenance. */
  readonly isOpen: boolean;
  /** The first failure outside of maintenance was in this month: no other month counts the incident. */
  readonly isOfMonth: boolean;
}

function countedOf(
  { startedAt, endedAt }: ReportIncident,
  maintained: readonly Stretch[],
  span: Span,
): readonly CountedIncident[] {
  const all = { from: startedAt, to: endedAt ?? span.toAt };
  const parts = without(
    all,
    maintained.map(({ fromAt, toAt }) => ({ from: fromAt, to: toAt })),
  ).map(({ from, to }) => ({ fromAt: from, toAt: to }));
  const firstAt = parts[0]?.fromAt ?? startedAt;
  const within = parts.flatMap((part) => {
    const [fromAt, toAt] = [Math.max(part.fromAt, span.fromAt), Math.min(part.toAt, span.toAt)];
    return toAt > fromAt ? [{ fromAt, toAt }] : [];
  });
  if (within.length === 0) return [];
  const isOpen = endedAt === null && (within.at(-1)?.toAt ?? 0) >= span.toAt;
  return [{ parts: within, isOpen, isOfMonth: firstAt >= span.fromAt }];
}

/** How much of the span lies in at least one of the stretches. */
function* unionMs(stretches: readonly Stretch[], { fromAt, toAt }: Span): Steps<number> {
  let sum = 0;
  let countedTo = fromAt;
  const sorted = stretches.toSorted((a, b) => a.fromAt - b.fromAt);
  yield;
  for (const stretch of sorted) {
    const end = Math.min(stretch.toAt, toAt);
    sum += Math.max(0, end - Math.max(stretch.fromAt, countedTo));
    countedTo = Math.max(countedTo, end);
  }
  return sum;
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function knownSecs({ up, degraded, down }: StatusSecs): number {
  return up + degraded + down;
}

/** The uptime decides, over the time that is known; the budget is that of all the time that was to be watched. */
function judge({ sloUptimePercent, secs }: ReportMonitor, spanSecs: number): SloVerdict {
  if (sloUptimePercent === null) return { kind: 'none' };
  const known = knownSecs(secs);
  if (known === 0) return { kind: 'no_data', targetPercent: sloUptimePercent };
  const slo = { uptimePercent: sloUptimePercent, windowDays: spanSecs / 86_400 };
  const { totalMinutes, spentMinutes } = errorBudget(slo, secs);
  return {
    kind: (known - secs.down) * 100 >= exact(sloUptimePercent * known) ? 'met' : 'missed',
    targetPercent: sloUptimePercent,
    budgetMinutes: exact(totalMinutes),
    spentMinutes,
    usedPercent: Math.ceil(exact((spentMinutes * 100) / totalMinutes)),
  };
}

/** Without the last digits, which binary fractions get wrong. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}
