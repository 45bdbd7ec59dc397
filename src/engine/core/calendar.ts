/** Days and months of a time zone as spans of instants (epoch ms). Apart from instant.ts, which writes instants in UTC. */
import { dayText, monthSpan, yearMonthText } from './instant.ts';
import type { Stretch } from './maintained.ts';
import { instantOfLocal, zoneOffsetMs } from './time-zone.ts';

const dayMs = 86_400_000;

export interface CalendarDay extends Stretch {
  /** `2026-11-21`. */
  readonly date: string;
}

let known: { readonly key: string; readonly days: readonly CalendarDay[] } | null = null;

/** The last `count` days of a zone, today last; the same list while today is the same. A day may have 23 or 25 hours. */
export function lastDays(nowAt: number, count: number, zone: string): readonly CalendarDay[] {
  const today = Math.floor((nowAt + zoneOffsetMs(nowAt, zone)) / dayMs);
  const key = `${zone} ${today} ${count}`;
  if (known?.key === key) return known.days;
  const beginOf = (day: number) => instantOfLocal(day * dayMs, zone);
  const days = Array.from({ length: count }, (_, index) => {
    const day = today - count + 1 + index;
    return { fromAt: beginOf(day), toAt: beginOf(day + 1), date: dayText(day * dayMs) };
  });
  known = { key, days };
  return days;
}

/** A month of a zone, `toAt` not in it; null: not a month like `2026-11`. */
export function monthWithin(month: string, zone: string): Stretch | null {
  const span = monthSpan(month);
  if (span === null || zone === 'UTC') return span;
  return { fromAt: instantOfLocal(span.fromAt, zone), toAt: instantOfLocal(span.toAt, zone) };
}

/** The month of a zone that an instant lies in: `2026-11`. */
export function monthAt(at: number, zone: string): string {
  return yearMonthText(at + zoneOffsetMs(at, zone));
}
