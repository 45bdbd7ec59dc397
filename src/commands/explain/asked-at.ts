/** Reads the time that `--at` names. */
import { instant } from '../../engine/config/types/instant.ts';
import { parseDuration } from '../../engine/core/duration.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { quoted } from '../duration-argument.ts';

/** RFC 3339, or a duration before `nowAt`. Throws `usage`, also for a time that is still to come. */
export function askedAtOf(text: string, nowAt: number): number {
  const at = instantOf(text, nowAt);
  if (at === null || at < 0) {
    throw new StatusdError('usage', `${quoted(text)} is no time`, {
      hint: 'Write RFC 3339 (2026-11-21T03:00:00Z) or how long ago (90s, 2h, 1d12h).',
    });
  }
  if (at > nowAt) throw new StatusdError('usage', `${quoted(text)} is still to come`);
  return at;
}

function instantOf(text: string, nowAt: number): number | null {
  const ago = parseDuration(text);
  if (ago.kind === 'duration') return nowAt - ago.ms;
  const read = instant.read(text);
  return read.isGood ? read.value : null;
}
