/** One day of a monitor: a status and a few figures, as bars show it. */
import { dayText } from '../core/instant.ts';
import type { Stretch } from '../core/maintained.ts';
import type { StatusSecs } from '../core/slo.ts';
import type { Status } from '../core/status.ts';

const dayMs = 86_400_000;

/** Credited seconds of a day that began at `at` (epoch ms): a UTC day, unless `date` names one of another time zone. */
export interface DayFacts {
  readonly at: number;
  readonly date?: string;
  readonly secs: StatusSecs;
}

/** From `startedAt` to before `endedAt`, epoch ms; null: it lasts. */
interface OpenSpan {
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** What the record says of a monitor: its confirmed outages, and the maintenance it was under. */
export interface DayRecord {
  readonly outages: readonly OpenSpan[];
  readonly maintenance: readonly OpenSpan[];
}

/** The marks of one day. Minutes are cut, but no downtime is less than one. Maintenance of under ten minutes marks none. */
export interface DayMarks {
  readonly down_minutes: number;
  /** The outages of the day, and those among them that no day before had. */
  readonly incidents: number;
  readonly begun: number;
  readonly maintenance: boolean;
}

export interface DayView {
  readonly date: string;
  readonly state: Status;
  readonly uptime_permille: number | null;
}

/** A day as a page shows it. */
export type PageDay = DayView & DayMarks;

export const noMarks: DayMarks = { down_minutes: 0, incidents: 0, begun: 0, maintenance: false };

/** Degradation or maintenance that lasted: so many seconds of a day. */
const lastingSecs = 600;

/**
 * A day is down when an outage was confirmed, outside of maintenance, or when nothing but failures is known of it and they
 * lasted; degraded when that lasted. Other failures that were not confirmed colour no day. The uptime counts every second, per mille, cut and never rounded up; null:
 * nothing is known.
 */
export function dayView({ at, secs, date = dayText(at) }: DayFacts, marks: DayMarks = noMarks): PageDay {
  const shown = hasOnlyFailed(secs, marks) ? { ...marks, down_minutes: Math.floor(secs.down / 60) } : marks;
  const state = stateOf(secs, shown);
  return {
    date,
    state,
    uptime_permille: state === 'unknown' ? null : uptimePermille(secs),
    ...shown,
  };
}

/** As of a daily job whose run failed: the uptime counts the day as down, and so few failures were no outage. */
function hasOnlyFailed({ up, degraded, down }: StatusSecs, { down_minutes }: DayMarks): boolean {
  return down_minutes === 0 && up + degraded === 0 && down >= lastingSecs;
}

function uptimePermille({ up, degraded, down }: StatusSecs): number | null {
  const known = up + degraded + down;
  return known === 0 ? null : Math.floor(((known - down) * 1000) / known);
}

function stateOf({ up, degraded }: StatusSecs, { down_minutes }: DayMarks): Status {
  if (down_minutes > 0) return 'down';
  if (up + degraded === 0) return 'unknown';
  return degraded >= lastingSecs ? 'degraded' : 'up';
}

interface MarksView {
  readonly fromAt: number;
  readonly nowAt: number;
  /** The days of another time zone than UTC, from the first one on; absent: those of UTC. */
  readonly days?: readonly Stretch[] | undefined;
}

/** The marks of the days from `fromAt` on that have any, by the start of the day. Open spans last until `nowAt`; what begins later marks none. */
export function marksOf(
  { outages, maintenance }: DayRecord,
  { nowAt, ...view }: MarksView,
): ReadonlyMap<number, DayMarks> {
  const fromAt = view.days?.[0]?.fromAt ?? view.fromAt;
  const days = new Map<number, DraftDay>();
  const each = (
    spans: readonly OpenSpan[],
    add: (day: DraftDay, span: DayRange, whole: OpenSpan) => void,
  ) => {
    for (const whole of spans) {
      const { startedAt, endedAt } = whole;
      if (startedAt > nowAt) continue;
      const end = Math.min(endedAt ?? nowAt, nowAt);
      for (const { fromAt: at, toAt } of daysBetween(
        { fromAt: Math.max(startedAt, fromAt), toAt: end },
        view.days,
      )) {
        const day = days.get(at) ?? { down: [], incidents: 0, begun: 0, maintenance: [] };
        days.set(at, day);
        add(day, { from: Math.max(startedAt, at), to: Math.min(end, toAt) }, whole);
      }
    }
  };
  each(maintenance, (day, span) => day.maintenance.push(span));
  const counted = new Set<OpenSpan>();
  each(outages, (day, span, whole) => {
    const parts = without(span, day.maintenance);
    if (parts.length > 0) {
      day.incidents += 1;
      if (!counted.has(whole)) day.begun += 1;
      counted.add(whole);
    }
    day.down.push(...parts);
  });
  return new Map(
    [...days].map(([at, { down, incidents, begun, maintenance: windows }]) => {
      const ms = unionMs(down);
      const down_minutes = ms === 0 ? 0 : Math.max(1, Math.floor(ms / 60_000));
      return [at, { down_minutes, incidents, begun, maintenance: unionMs(windows) >= lastingSecs * 1000 }];
    }),
  );
}

interface DraftDay {
  readonly down: DayRange[];
  incidents: number;
  begun: number;
  readonly maintenance: DayRange[];
}

export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** The days that a span touches: those of `days`, which follow each other, or those of UTC. */
function* daysBetween({ fromAt, toAt }: Stretch, days: readonly Stretch[] | undefined): Generator<Stretch> {
  if (days !== undefined) {
    yield* days.filter((day) => day.fromAt < toAt && day.toAt > fromAt);
    return;
  }
  for (let at = Math.floor(fromAt / dayMs) * dayMs; at < toAt; at += dayMs)
    yield { fromAt: at, toAt: at + dayMs };
}

/** What of a span lies in none of the others. */
export function without(span: DayRange, others: readonly DayRange[]): readonly DayRange[] {
  let parts: readonly DayRange[] = [span];
  for (const { from, to } of others) {
    parts = parts.flatMap((part) =>
      [
        { from: part.from, to: Math.min(part.to, from) },
        { from: Math.max(part.from, to), to: part.to },
      ].filter((rest) => rest.to > rest.from),
    );
  }
  return parts;
}

/** How long at least one of the spans lasted. */
function unionMs(spans: readonly DayRange[]): number {
  let sum = 0;
  let countedTo = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, countedTo));
    countedTo = Math.max(countedTo, to);
  }
  return sum;
}
