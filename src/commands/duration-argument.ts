/** Reads the durations and ends that a command line names, or says what is wrong with them. */
import { durationFaults, durationHint, durationText, parseDuration } from '../engine/core/duration.ts';
import { parseUntil, untilFaults, untilHint } from '../engine/core/instant.ts';
import { StatusdError } from '../engine/core/errors.ts';
import { cleanLine, cutText } from '../engine/core/text.ts';

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

/** The instant of an end. Throws `usage`. */
export function untilArgument(text: string, nowAt: number): number {
  const parsed = parseUntil(text, nowAt);
  if (parsed.kind === 'until') return parsed.at;
  throw new StatusdError('usage', `the end ${quoted(text)} ${untilFaults[parsed.fault]}`, {
    hint: untilHint,
  });
}

/** What was typed, fit for a message. */
export function quoted(text: string): string {
  return `'${cutText(cleanLine(text), 80)}'`;
}
