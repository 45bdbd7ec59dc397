/** Quiet hours: a daily span in the local time of a time zone. */

const hours = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;
const dayMinutes = 1440;
const minuteMs = 60_000;

interface QuietSpan {
  /** Minutes of the day; `from` after `to`: over midnight. */
  readonly from: number;
  readonly to: number;
}

/** `22:00-07:00`; null: it is none, or no time at all. */
export function quietSpanOf(text: string): QuietSpan | null {
  const [, fromHour, fromMinute, toHour, toMinute] = hours.exec(text.replace(/\s/g, '')) ?? [];
  const span = {
    from: Number(fromHour) * 60 + Number(fromMinute),
    to: Number(toHour) * 60 + Number(toMinute),
  };
  return Number.isNaN(span.from + span.to) || span.from === span.to ? null : span;
}

/** When the quiet hours end that `at` lies in (epoch ms); null: it lies in none. */
export function quietUntil(text: string, timeZone: string, at: number): number | null {
  const span = quietSpanOf(text);
  if (span === null) return null;
  const length = minutesBetween(span.from, span.to);
  const sinceFromAt = (instant: number) => minutesBetween(span.from, minutesOf(instant, timeZone));
  const sinceFrom = sinceFromAt(at);
  if (sinceFrom >= length) return null;
  const wholeMinute = Math.floor(at / minuteMs) * minuteMs;
  const untilAt = wholeMinute + (length - sinceFrom) * minuteMs;
  // Where the clock was set meanwhile, it says something else by then; what is over already ends at once.
  const off = ((minutesOf(untilAt, timeZone) - span.to + 1.5 * dayMinutes) % dayMinutes) - dayMinutes / 2;
  let endAt = Math.max(wholeMinute + minuteMs, untilAt - off * minuteMs);
  // The end is in the hour that is left out: they are over when the clock is set.
  while (endAt < untilAt && sinceFromAt(endAt) < length) endAt += minuteMs;
  return endAt;
}

function minutesBetween(from: number, to: number): number {
  return (to - from + dayMinutes) % dayMinutes;
}

/** Since midnight there. */
function minutesOf(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const [hour = 0, minute = 0] = format.format(at).split(':').map(Number);
  return hour * 60 + minute;
}
