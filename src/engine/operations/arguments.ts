/** Reads the durations and ends that an operator names, or says what is wrong with them. */
import { durationFaults, durationHint, durationText, parseDuration } from '../core/duration.ts';
import { instant } from '../config/types/instant.ts';
import { timeZone } from '../config/types/page-part.ts';
import { StatusdError } from '../core/errors.ts';
import { parseUntil, untilFaults, untilHint } from '../core/instant.ts';
import { instantOfLocal, nextLocalTime } from '../core/time-zone.ts';
import { nearest } from '../core/nearest.ts';
import { cleanLine, cutText } from '../core/text.ts';

interface Limit {
  readonly maxMs: number;
  /** What to use instead of something longer. */
  readonly instead: string;
}

/** The milliseconds of a duration. Throws `usage`. */
export function durationArgument(text: string, { maxMs, instead }: Limit): number {
  const parsed = parseDuration(text, maxMs);
  if (parsed.kind === 'duration') return parsed.ms;
  const isTooLong = parsed.fault === 'too_long';
  const limit = isTooLong ? `: ${durationText(maxMs)} is the most` : '';
  throw new StatusdError('usage', `the duration ${quoted(text)} ${durationFaults[parsed.fault]}${limit}`, {
    hint: isTooLong ? instead : durationHint,
  });
}

/**
 * The instant of something that happened: RFC 3339, or a duration before `nowAt`. Throws `usage`, also for a time that is
 * more than `aheadMs` still to come.
 */
export function pastArgument(text: string, nowAt: number, aheadMs = 0): number {
  const ago = parseDuration(text);
  const read = instant.read(text);
  const at = ago.kind === 'duration' ? nowAt - ago.ms : read.isGood ? read.value : -1;
  if (at < 0) {
    throw new StatusdError('usage', `${quoted(text)} is no time`, {
      hint: 'Write RFC 3339 (2026-11-21T03:00:00Z) or how long ago (90s, 2h, 1d12h).',
    });
  }
  if (at > nowAt + aheadMs) throw new StatusdError('usage', `${quoted(text)} is still to come`);
  return at;
}

/** The instant of an end. Throws `usage`. */
export function untilArgument(text: string, nowAt: number): number {
  const parsed = parseUntil(text, nowAt);
  if (parsed.kind === 'until') return parsed.at;
  throw new StatusdError('usage', `the end ${quoted(text)} ${untilFaults[parsed.fault]}`, {
    hint: untilHint,
  });
}

/** The one of these words that was typed. Throws `usage`, with the nearest of them. */
export function wordArgument<const T extends string>(typed: string, what: string, words: readonly T[]): T {
  const found = words.find((word) => word === typed);
  if (found !== undefined) return found;
  const guess = nearest(typed, words);
  throw new StatusdError('usage', `there is no ${what} ${quoted(typed)}`, {
    hint: guess === null ? `It is one of: ${words.join(', ')}.` : `Did you mean ${guess}?`,
  });
}

/** Throws `usage` for a text of spaces and characters that show nothing. */
export function refuseEmpty(text: string, what: string, hint: string): void {
  if (cleanLine(text).trim() === '') throw new StatusdError('usage', `the ${what} is empty`, { hint });
}

/**
 * The instant of something planned: RFC 3339, a local date and time, a duration from `nowAt` on, or a time of day, its next
 * occurrence. Throws `usage`, also for a time that is over.
 */
export function futureArgument(text: string, nowAt: number, timezone = 'UTC'): number {
  const at = instantArgument(text, nowAt, timezone);
  if (at < nowAt - 60_000) throw new StatusdError('usage', `${quoted(text)} is over`);
  return at;
}

/** The same, over or not. What says no offset and no `UTC` is the time of `timezone`. */
export function instantArgument(text: string, nowAt: number, timezone = 'UTC'): number {
  const [, hour, minute] = /^([01]?[0-9]|2[0-3]):([0-5][0-9])$/.exec(text) ?? [];
  if (hour !== undefined)
    return nextLocalTime((Number(hour) * 60 + Number(minute)) * 60_000, nowAt, timezone);
  const parsed = parseUntil(text, nowAt);
  if (parsed.kind === 'until') return parsed.at;
  const read = instant.read(text);
  if (read.isGood) return read.value;
  // A local date and time is an instant of UTC that the clocks of the zone show.
  const local = instant.read(`${text}Z`);
  if (local.isGood) return instantOfLocal(local.value, timezone);
  throw new StatusdError('usage', `${quoted(text)} is no time`, {
    hint: `Write RFC 3339 (2026-11-21T03:00:00Z), a time of ${timezone} (22:00, 2026-11-21 22:00), or in how long (2h).`,
  });
}

/** A time zone as the IANA database names it. Throws `usage`. */
export function zoneArgument(text: string): string {
  const read = timeZone.read(text);
  if (read.isGood) return read.value;
  throw new StatusdError('usage', `there is no time zone ${quoted(text)}`, {
    hint: 'Write the name of one, for example Europe/Berlin or UTC.',
  });
}

/** What was typed, fit for a message. */
export function quoted(text: string): string {
  return `'${cutText(cleanLine(text), 80)}'`;
}

/** Reads the number of a stored thing off the command line. */

/** The number in `3` or `#3`; null when the text is none. */
export function rowNumber(text: string): number | null {
  const digits = /^#?([1-9][0-9]{0,14})$/.exec(text.trim())?.[1];
  return digits === undefined ? null : Number(digits);
}
