/** Finds the instant of a local time in a time zone. */

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

/** How far ahead of UTC the clocks of a zone are at an instant; null when there is no such zone. */
function offsetMs(at: number, zone: string): number | null {
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(at);
    const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
    const shown = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return shown - Math.floor(at / 1000) * 1000;
  } catch {
    return null;
  }
}
