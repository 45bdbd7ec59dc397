/** Spans of time and clock times as people write and read them. Spans are milliseconds, instants epoch ms, all UTC. */

const dayMs = 86_400_000;

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs };

/** A hundred years: beyond it a span is a slip of the keyboard, and an instant soon one that no calendar has. */
export const maxDurationMs = 36_500 * dayMs;

/** What is wrong with a text that should be a duration, each to be put after the text itself. */
export const durationFaults = {
  empty: 'is empty',
  malformed: 'is not a duration',
  unitless: 'has no unit',
  zero: 'is no time at all',
  too_long: 'is too long',
} as const;

/** How a duration is written, for a hint. */
export const durationHint = 'Write numbers with a unit (s, m, h or d), joined: 90s, 10m, 1h30m, 2d.';

interface Fault<Kind extends string> {
  readonly kind: 'fault';
  readonly fault: Kind;
}

export type ParsedDuration =
  | { readonly kind: 'duration'; readonly ms: number }
  | Fault<keyof typeof durationFaults>;

/** Reads `90s`, `10m` or `1h30m`: one or more whole numbers with their unit, joined, above zero and at most `maxMs`. */
export function parseDuration(text: string, maxMs = maxDurationMs): ParsedDuration {
  if (text === '') return { kind: 'fault', fault: 'empty' };
  if (/^[0-9]+$/.test(text)) return { kind: 'fault', fault: 'unitless' };
  if (!/^(?:[0-9]+[smhd])+$/.test(text)) {
    return { kind: 'fault', fault: /^(?:[0-9]+[smhd])+[0-9]+$/.test(text) ? 'unitless' : 'malformed' };
  }
  let ms = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/([0-9]+)([smhd])/g)) {
    ms += Number(count) * (unitMs[unit] ?? 0);
  }
  if (ms === 0) return { kind: 'fault', fault: 'zero' };
  return ms > maxMs ? { kind: 'fault', fault: 'too_long' } : { kind: 'duration', ms };
}

/** The same for an end: what is wrong with a text that should be a duration or a clock time. */
export const untilFaults = { ...durationFaults, no_such_time: 'is no time of a day' } as const;

/** How an end is written, for a hint. */
export const untilHint = 'Write how long (4h, 1h30m) or a time of the day in UTC (18:00, "18:00 UTC").';

export type ParsedUntil = { readonly kind: 'until'; readonly at: number } | Fault<keyof typeof untilFaults>;

/** Reads a duration from `nowAt` on, or `HH:MM` or `HH:MM UTC`: the next time a clock in UTC shows that, after `nowAt`. */
export function parseUntil(text: string, nowAt: number): ParsedUntil {
  const clock = /^([0-9]{1,2}):([0-9]{2})(?: *UTC)?$/i.exec(text);
  if (clock !== null) return nextClockTime(Number(clock[1]), Number(clock[2]), nowAt);
  const parsed = parseDuration(text);
  return parsed.kind === 'fault' ? parsed : { kind: 'until', at: nowAt + parsed.ms };
}

function nextClockTime(hour: number, minute: number, nowAt: number): ParsedUntil {
  if (hour > 23 || minute > 59) return { kind: 'fault', fault: 'no_such_time' };
  const dayMs = 86_400_000;
  const midnightAt = Math.floor(nowAt / dayMs) * dayMs;
  const at = midnightAt + hour * 3_600_000 + minute * 60_000;
  return { kind: 'until', at: at > nowAt ? at : at + dayMs };
}

/**
 * A span in its two largest units: `45s`, `4m 10s`, `1h 30m`, `2d 3h`. It is rounded to the second, then cut, never
 * rounded up to a unit it has not reached. Less than a second is `0s`; a negative span is one of zero.
 */
export function durationText(ms: number): string {
  const secs = Math.max(0, Math.round(ms / 1000));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(secs / 86_400), 'd'],
    [Math.floor(secs / 3600) % 24, 'h'],
    [Math.floor(secs / 60) % 60, 'm'],
    [secs % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}

/** `2026-11-21 14:05:30 UTC`. */
export function instantText(at: number): string {
  return `${dayText(at)} ${clockText(at)} UTC`;
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
  if (!(shifted >= 719_468 && shifted < 3_652_060)) return isoText(at).slice(0, 10);
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

/** `14:05:30`. */
export function clockText(at: number): string {
  return isoText(at).slice(11, 19);
}

/** The instant in RFC 3339 with `Z`; whole seconds show no fraction. */
export function rfc3339(at: number): string {
  return isoText(at).replace('.000Z', 'Z');
}

function isoText(at: number): string {
  return new Date(Math.trunc(at)).toISOString();
}
