/** Finds the instant of a local time in a time zone. */
import { zoneOffsetMs } from '../../engine/core/time-zone.ts';

/**
 * The RFC 3339 text, in UTC, of `YYYY-MM-DD HH:MM[:SS]` on a clock in an IANA time zone; null when the text is no
 * time or the zone is unknown. An hour that the clock skips or shows twice is one of the two around it.
 */
export function localInstant(written: string, zone: string): string | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?$/.exec(written.trim());
  if (match === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part as string | undefined) || 0);
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  if (!new Date(asUtc).toISOString().startsWith(written.trim().slice(0, 10))) return null;
  const first = offsetMs(asUtc, zone);
  if (first === null) return null;
  const settled = offsetMs(asUtc - first, zone) ?? first;
  return new Date(asUtc - settled).toISOString().replace('.000Z', 'Z');
}

/** Null when there is no such zone. */
function offsetMs(at: number, zone: string): number | null {
  try {
    return zoneOffsetMs(at, zone);
  } catch {
    return null;
  }
}
