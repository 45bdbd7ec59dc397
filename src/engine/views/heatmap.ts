/** Grades the hours of a heatmap by how they compare with the monitor's median. */
import { counted } from '../core/words.ts';

export interface HeatmapHour {
  /** The start of the hour, epoch ms. */
  readonly at: number;
  /** Null: nothing was measured. */
  readonly averageMs: number | null;
}

export interface HeatmapFacts {
  /** One row a UTC day, the oldest first; 24 hours each. */
  readonly days: readonly (readonly HeatmapHour[])[];
  readonly medianMs: number | null;
}

/** The grades from fast to slow: up to how many times the median, and in words. The last one has no end. */
export const heatmapLevels: readonly { readonly upTo: number; readonly label: string }[] = [
  { upTo: 0.8, label: 'to 0.8×' },
  { upTo: 1.25, label: 'to 1.25×' },
  { upTo: 2, label: 'to 2×' },
  { upTo: 4, label: 'to 4×' },
  { upTo: Infinity, label: 'over 4×' },
];

/** Which grade an average has; null: nothing was measured. A median of 0 ms counts as one of 1 ms. */
export function heatmapLevel(averageMs: number | null, medianMs: number | null): number | null {
  if (averageMs === null || medianMs === null) return null;
  const ratio = averageMs / Math.max(1, medianMs);
  return heatmapLevels.findIndex(({ upTo }) => ratio <= upTo);
}

/** A sentence that says what the picture shows: how much was measured, the median, the slowest hour. */
export function heatmapText({ days, medianMs }: HeatmapFacts): string {
  const measured = days.flat().filter(({ averageMs }) => averageMs !== null);
  if (medianMs === null || measured.length === 0)
    return `No latency was measured in ${counted(days.length, 'day')}.`;
  const slowest = measured.reduce((a, b) => ((b.averageMs ?? 0) > (a.averageMs ?? 0) ? b : a));
  const hour = new Date(slowest.at).toISOString().slice(0, 13).replace('T', ' ');
  return (
    `Latency of ${counted(days.length, 'day')} by hour: ${measured.length} hours measured, median ${Math.round(medianMs)} ms, ` +
    `slowest hour ${hour}:00 UTC with ${Math.round(slowest.averageMs ?? 0)} ms.`
  );
}
