/** Rotations: whose turn it is, in the local time of a time zone. Instants are epoch ms. */

export interface Turns {
  readonly members: readonly string[];
  /** The length of a turn in ms: whole days and hours stay so where the clock is set. */
  readonly every: number;
  /** When the first member begins; before that it is counted backwards. */
  readonly from: number;
  readonly timezone: string;
}

export interface Turn {
  /** Which member: an index. */
  readonly index: number;
  readonly sinceAt: number;
  /** When the next turn begins. */
  readonly untilAt: number;
}

/**
 * The turn that an instant lies in. A hand-over at a time that a change of the clock leaves out comes with the change;
 * at one that it repeats, it comes once, the first time.
 */
export function turnAt({ members, every, from, timezone }: Turns, at: number): Turn {
  const firstOnWall = onWall(from, timezone);
  const startOf = (number: number) => instantOf(firstOnWall + number * every, timezone);
  let number = Math.floor((onWall(at, timezone) - firstOnWall) / every);
  while (startOf(number) > at) number -= 1;
  while (startOf(number + 1) <= at) number += 1;
  const index = ((number % members.length) + members.length) % members.length;
  return { index, sinceAt: startOf(number), untilAt: startOf(number + 1) };
}

const dayMs = 86_400_000;

/** What a clock on the wall shows, as if it were UTC. */
function onWall(at: number, timezone: string): number {
  return at + offsetMs(at, timezone);
}

/** The first instant at which a clock on the wall shows `wall`, or more. */
function instantOf(wall: number, timezone: string): number {
  const [before, after] = [offsetMs(wall - dayMs, timezone), offsetMs(wall + dayMs, timezone)];
  const early = wall - before;
  if (before === after || offsetMs(early, timezone) === before) return early;
  const late = wall - after;
  if (offsetMs(late, timezone) === after) return late;
  let [from, to] = [late, early];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (offsetMs(middle, timezone) === before) from = middle;
    else to = middle;
  }
  return to;
}

/** Making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(at: number, timeZone: string): number {
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
