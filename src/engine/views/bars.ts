/** Describes the days of a monitor. */
import { counted } from '../core/words.ts';
import { type Status, statuses } from '../core/status.ts';
import type { DayView } from './day.ts';

/** `Last 90 days: 88 up, 1 degraded, 1 down.` */
export function barsText(history: readonly DayView[]): string {
  const counts: Record<Status, number> = { up: 0, degraded: 0, down: 0, unknown: 0 };
  for (const { state } of history) counts[state] += 1;
  const parts = statuses
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state === 'unknown' ? 'without data' : state}`);
  const days = history.length;
  return `Last ${days === 1 ? 'day' : counted(days, 'day')}: ${parts.length === 0 ? 'no data' : parts.join(', ')}.`;
}
