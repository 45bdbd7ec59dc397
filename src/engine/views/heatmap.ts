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

/** The grades from fast to slow: up to how many times the median. */
const levels = [0.8, 1.25, 2, 4, Infinity] as const;

/** The grades in words that need no language: `≤ 0.8×` to `> 4×`. `number` writes a number. */
export function heatmapLabels(number: (value: number) => string = String): readonly string[] {
  return levels.map((upTo, index) =>
    upTo === Infinity ? `> ${number(levels[index - 1] ?? 0)}×` : `≤ ${number(upTo)}×`,
  );
}

/** Which grade an average has; null: nothing was measured. A median of 0 ms counts as one of 1 ms. */
export function heatmapLevel(averageMs: number | null, medianMs: number | null): number | null {
  if (averageMs === null || medianMs === null) return null;
  const ratio = averageMs / Math.max(1, medianMs);
  return levels.findIndex((upTo) => ratio <= upTo);
}

/** What the picture shows, in figures; null: nothing was measured. */
export function heatmapFigures({ days, medianMs }: HeatmapFacts) {
  const measured = days.flat().filter(({ averageMs }) => averageMs !== null);
  if (medianMs === null || measured.length === 0) return null;
  const slowest = measured.reduce((a, b) => ((b.averageMs ?? 0) > (a.averageMs ?? 0) ? b : a));
  return { hours: measured.length, medianMs, slowestAt: slowest.at, slowestMs: slowest.averageMs ?? 0 };
}

/** The same as a sentence. */
export function heatmapText(heatmap: HeatmapFacts): string {
  const { days } = heatmap;
  const figures = heatmapFigures(heatmap);
  if (figures === null) return `No latency was measured in ${counted(days.length, 'day')}.`;
  const { hours, medianMs, slowestAt, slowestMs } = figures;
  const hour = new Date(slowestAt).toISOString().slice(0, 13).replace('T', ' ');
  return (
    `Latency of ${counted(days.length, 'day')} by hour: ${counted(hours, 'hour')} measured, median ${Math.round(medianMs)} ms, ` +
    `slowest hour ${hour}:00 UTC with ${Math.round(slowestMs)} ms.`
  );
}
