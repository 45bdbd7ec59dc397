/** One day of a monitor in a word and a figure. */
import { dayText } from '../core/instant.ts';
import type { StatusSecs } from '../core/slo.ts';
import type { Status } from '../core/status.ts';

/** Credited seconds of a UTC day that began at `at` (epoch ms). */
export interface DayFacts {
  readonly at: number;
  readonly secs: StatusSecs;
}

export interface DayView {
  readonly date: string;
  readonly state: Status;
  readonly uptime_permille: number | null;
}

/** A day is as bad as what made up at least this share of it: a quarter of an hour of a whole one. */
const worthPermille = 10;

export function dayView({ at, secs }: DayFacts): DayView {
  return { date: dayText(at), state: stateOf(secs), uptime_permille: uptimePermille(secs) };
}

/** Known seconds that were not down, per mille, cut and never rounded up; null: nothing is known. */
function uptimePermille({ up, degraded, down }: StatusSecs): number | null {
  const known = up + degraded + down;
  return known === 0 ? null : Math.floor(((known - down) * 1000) / known);
}

/** `unknown`: no data. Any second down is at least degraded. */
function stateOf({ up, degraded, down }: StatusSecs): Status {
  const known = up + degraded + down;
  if (known === 0) return 'unknown';
  const isWorth = (secs: number) => secs * 1000 >= known * worthPermille;
  if (isWorth(down)) return 'down';
  return down > 0 || isWorth(degraded) ? 'degraded' : 'up';
}
