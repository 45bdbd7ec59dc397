/** The offsets of time zones from UTC. Instants are epoch ms. */

/** Making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of an IANA time zone are ahead of UTC at `at`. Throws RangeError for an unknown zone. */
export function zoneOffsetMs(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const [year = 0, month = 1, ...rest] = (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).map(
    (type) => parts.get(type),
  );
  const shown = Date.UTC(year, month - 1, ...rest.map((part) => part ?? 0));
  return shown - Math.floor(at / 1000) * 1000;
}
