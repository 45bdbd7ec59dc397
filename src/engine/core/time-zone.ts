/** Converts between instants (epoch ms) and the local time of a time zone. */
import { clockText, dayText } from './instant.ts';

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

const dayMs = 86_400_000;

/**
 * The instant at which the clocks of a zone show a local time; `localMs` is that time as if it were UTC. A time that is
 * skipped by a daylight-saving change is the moment of the change; one that comes twice is the first.
 */
export function instantOfLocal(localMs: number, timeZone: string): number {
  const before = zoneOffsetMs(localMs - dayMs, timeZone);
  const after = zoneOffsetMs(localMs + dayMs, timeZone);
  const shown = [localMs - before, localMs - after]
    .filter((at) => at + zoneOffsetMs(at, timeZone) === localMs)
    .toSorted((a, b) => a - b);
  return shown[0] ?? changeWithin(localMs - before - dayMs, localMs - after + dayMs, timeZone);
}

/** The first instant, in whole seconds, with the offset that holds at `toAt`. */
function changeWithin(fromAt: number, toAt: number, timeZone: string): number {
  const offset = zoneOffsetMs(toAt, timeZone);
  let [low, high] = [Math.floor(fromAt / 1000), Math.ceil(toAt / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffsetMs(middle * 1000, timeZone) === offset) high = middle;
    else low = middle;
  }
  return high * 1000;
}

/** The next instant after `nowAt` at which the clocks of a zone show a time of day, in ms since midnight. */
export function nextLocalTime(ofDayMs: number, nowAt: number, timeZone: string): number {
  const localNow = nowAt + zoneOffsetMs(nowAt, timeZone);
  const midnight = Math.floor(localNow / dayMs) * dayMs;
  for (let day = 0; ; day += 1) {
    const at = instantOfLocal(midnight + day * dayMs + ofDayMs, timeZone);
    if (at > nowAt) return at;
  }
}

/** `2026-11-21 22:00:00 Europe/Berlin`. */
export function localText(at: number, timeZone: string): string {
  const local = at + zoneOffsetMs(at, timeZone);
  return `${dayText(local)} ${clockText(local)} ${timeZone}`;
}
