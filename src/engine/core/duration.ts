/** Spans of time as people write and read them, in milliseconds. */

import { numberText } from './words.ts';

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

export interface DurationFault<Kind extends string = keyof typeof durationFaults> {
  readonly kind: 'fault';
  readonly fault: Kind;
}

export type ParsedDuration = { readonly kind: 'duration'; readonly ms: number } | DurationFault;

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

/** The whole seconds of a span, cut and not rounded; never below 0. */
export function wholeSecs(ms: number): number {
  return Math.max(0, Math.floor(Math.round(ms) / 1000));
}

/** From one instant to another as texts show both, cut to the second: who subtracts what is printed gets the same. */
export function shownSpanMs(fromAt: number, toAt: number): number {
  return Math.max(0, Math.floor(toAt / 1000) - Math.floor(fromAt / 1000)) * 1000;
}

/** The whole seconds of `shownSpanMs`, for a line of the log and its fields. */
export function shownSpanSecs(fromAt: number, toAt: number): number {
  return shownSpanMs(fromAt, toAt) / 1000;
}

/** A span in its two largest units: `59s`, `4m 10s`, `1h 30m`, `2d`. It is cut: less than a second is `0s`. */
export function durationText(ms: number): string {
  const secs = wholeSecs(ms);
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

/**
 * How long something took, to three digits: `<1 ms`, `42 ms`, `1.25 s`, `12.3 s`; from a minute on as a duration. `none`
 * stands for what was not measured.
 */
export function latencyText(ms: number | null, none = '–'): string {
  if (ms === null) return none;
  if (ms < 1) return '<1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9995) return `${(ms / 1000).toFixed(2)} s`;
  return ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : durationText(Math.max(ms, 60_000));
}

/** The time of work, from a tenth of a second on in tenths, so that it does not flicker: `14 ms`, `0.4 s`, `12.3 s`, `1m 5s`. */
export function elapsedText(ms: number): string {
  return ms < 100 || ms >= 59_950 ? latencyText(ms) : `${(ms / 1000).toFixed(1)} s`;
}

/** A limit for a sentence, exact: `10 s`, `1.5 s`, `0.05 s`. */
export function secondsText(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))} s`;
}

/** A latency beside the limit it is held against, exact to the millisecond: `2,345 ms`. */
export function millisecondsText(ms: number): string {
  return `${numberText(Math.round(ms))} ms`;
}
