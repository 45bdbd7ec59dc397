/** Rotations: whose turn it is, in the local time of a time zone. Instants are epoch ms. */
import { zoneOffsetMs } from './time-zone.ts';

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
  return at + zoneOffsetMs(at, timezone);
}

/** The first instant at which a clock on the wall shows `wall`, or more. */
function instantOf(wall: number, timezone: string): number {
  const [before, after] = [zoneOffsetMs(wall - dayMs, timezone), zoneOffsetMs(wall + dayMs, timezone)];
  const early = wall - before;
  if (before === after || zoneOffsetMs(early, timezone) === before) return early;
  const late = wall - after;
  if (zoneOffsetMs(late, timezone) === after) return late;
  let [from, to] = [late, early];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (zoneOffsetMs(middle, timezone) === before) from = middle;
    else to = middle;
  }
  return to;
}
