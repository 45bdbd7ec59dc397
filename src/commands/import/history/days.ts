/** Turns the daily counts of checks of another program into the seconds that they cover. */
import type { PastDay } from '../../../db/tables/past-days.ts';

export const daySecs = 86_400;

export interface CountedDay {
  /** UTC days since the epoch. */
  readonly day: number;
  readonly up: number;
  readonly down: number;
}

/**
 * The seconds are estimated from the interval of today, and a day has no more of them than it has. A day with a failed
 * check is never wholly up.
 */
export function pastDay({ day, up, down }: CountedDay, intervalSecs: number): PastDay {
  const total = Math.min(daySecs, Math.round((up + down) * Math.max(1, intervalSecs)));
  const downSecs = down === 0 ? 0 : Math.max(1, Math.ceil((total * down) / (up + down)));
  return [day, total - downSecs, downSecs, bounded(up), bounded(down)];
}

/** More checks than a day has seconds is nonsense, but no reason to lose the day. */
function bounded(count: number): number {
  return Math.min(daySecs, Math.round(count));
}
