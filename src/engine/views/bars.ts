/** Folds the days of a monitor into few enough pieces to draw, and into words. */
import { counted } from '../core/words.ts';
import { type Status, statuses } from '../core/status.ts';
import type { DayView } from './day.ts';

/** Days of the same state one after the other: `length` of them from the day `from` on. */
export interface BarRun {
  readonly state: Status;
  readonly from: number;
  readonly length: number;
}

export interface Bars {
  readonly days: number;
  readonly runs: readonly BarRun[];
  readonly counts: Readonly<Record<Status, number>>;
  /** Days that were degraded or down, the latest first. */
  readonly troubled: readonly DayView[];
}

/** The days are those of the summary, oldest first. */
export function barsOf(history: readonly DayView[]): Bars {
  const counts: Record<Status, number> = { up: 0, degraded: 0, down: 0, unknown: 0 };
  const runs: { state: Status; from: number; length: number }[] = [];
  history.forEach(({ state }, from) => {
    counts[state] += 1;
    const last = runs.at(-1);
    if (last?.state === state) last.length += 1;
    else runs.push({ state, from, length: 1 });
  });
  const troubled = history.filter(({ state }) => state === 'degraded' || state === 'down').toReversed();
  return { days: history.length, runs, counts, troubled };
}

/** `Last 90 days: 88 up, 1 degraded, 1 down.` */
export function barsText({ days, counts }: Bars): string {
  const parts = statuses
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state === 'unknown' ? 'without data' : state}`);
  return `Last ${days === 1 ? 'day' : counted(days, 'day')}: ${parts.length === 0 ? 'no data' : parts.join(', ')}.`;
}
