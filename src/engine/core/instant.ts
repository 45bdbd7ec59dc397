/** Instants as people write and read them: epoch milliseconds, always in UTC. */
import { type DurationFault, durationFaults, parseDuration } from './duration.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** What is wrong with a text that should be a duration or a clock time, each to be put after the text itself. */
export const untilFaults = { ...durationFaults, no_such_time: 'is no time of a day' } as const;

/** How an end is written, for a hint. */
export const untilHint = 'Write how long (4h, 1h30m) or a time of the day in UTC (18:00, "18:00 UTC").';

export type ParsedUntil =
  | { readonly kind: 'until'; readonly at: number }
  | DurationFault<keyof typeof untilFaults>;

/** Reads a duration from `nowAt` on, or `HH:MM` or `HH:MM UTC`: the next time a clock in UTC shows that, after `nowAt`. */
export function parseUntil(text: string, nowAt: number): ParsedUntil {
  const clock = /^([0-9]{1,2}):([0-9]{2})(?: *UTC)?$/i.exec(text);
  if (clock !== null) return nextClockTime(Number(clock[1]), Number(clock[2]), nowAt);
  const parsed = parseDuration(text);
  return parsed.kind === 'fault' ? parsed : { kind: 'until', at: nowAt + parsed.ms };
}

function nextClockTime(hour: number, minute: number, nowAt: number): ParsedUntil {
  if (hour > 23 || minute > 59) return { kind: 'fault', fault: 'no_such_time' };
  const midnightAt = Math.floor(nowAt / dayMs) * dayMs;
  const at = midnightAt + hour * 3_600_000 + minute * 60_000;
  return { kind: 'until', at: at > nowAt ? at : at + dayMs };
}

/** `2026-11-21 14:05:30 UTC`. */
export function instantText(at: number): string {
  return `${dayText(at)} ${clockText(at)} UTC`;
}

/** `14:05:30 UTC` on the day of `nearAt`, else with its date. */
export function nearInstantText(at: number, nearAt: number): string {
  return dayText(at) === dayText(nearAt) ? `${clockText(at)} UTC` : instantText(at);
}

/** `2026-11-21 14:05`, for columns whose heading says UTC. */
export function minuteText(at: number): string {
  return `${dayText(at)} ${clockText(at).slice(0, 5)}`;
}

/**
 * `2026-11-21`. By arithmetic, because a page of a thousand monitors names ninety thousand days: the months are those of
 * years that begin in March, so that the leap day comes last (H. Hinnant, "chrono-compatible low-level date algorithms").
 */
export function dayText(at: number): string {
  const shifted = Math.floor(at / dayMs) + 719_468;
  if (!(shifted >= 719_468 && shifted < 3_652_060)) return timestampText(at).slice(0, 10);
  const era = Math.floor(shifted / 146_097);
  const day = shifted - era * 146_097;
  const leaps = Math.floor(day / 1460) - Math.floor(day / 36_524) + Math.floor(day / 146_096);
  const year = Math.floor((day - leaps) / 365);
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const march = Math.floor((5 * dayOfYear + 2) / 153);
  const month = march < 10 ? march + 3 : march - 9;
  const dayOfMonth = dayOfYear - Math.floor((153 * march + 2) / 5) + 1;
  const calendarYear = year + era * 400 + (month <= 2 ? 1 : 0);
  return `${calendarYear}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
}

function twoDigits(count: number): string {
  return count < 10 ? `0${count}` : String(count);
}

/** `2026-11`. */
export function yearMonthText(at: number): string {
  return timestampText(at).slice(0, 7);
}

/** A month of UTC as a span in epoch ms, `toAt` not in it; null: not a month like `2026-11`. */
export function monthSpan(month: string): { readonly fromAt: number; readonly toAt: number } | null {
  const [, year, index] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined || index === undefined || Number(year) < 1970) return null;
  return {
    fromAt: Date.UTC(Number(year), Number(index) - 1, 1),
    toAt: Date.UTC(Number(year), Number(index), 1),
  };
}

/** When the last `days` times 24 hours began, epoch ms: to the minute, whatever the time of day. */
export function rollingFrom(nowAt: number, days: number): number {
  return Math.floor((nowAt - days * dayMs) / minuteMs) * minuteMs;
}

/** `14:05:30`. */
export function clockText(at: number): string {
  return timestampText(at).slice(11, 19);
}

/** The instant in RFC 3339 with `Z`; whole seconds show no fraction. */
export function rfc3339(at: number): string {
  return timestampText(at).replace('.000Z', 'Z');
}

/** `2026-11-21T14:05:30.000Z`: RFC 3339 with milliseconds, always as long. */
export function timestampText(at: number): string {
  return new Date(Math.trunc(at)).toISOString();
}
