/** What the terminal view is fed with: the summary as of one reading, and the whole of one monitor. */
import type { DayView } from '../engine/views/day.ts';
import type { Explanation } from '../engine/views/explain.ts';
import type { IncidentView } from '../engine/views/incident.ts';
import type { LatencyPoint } from '../engine/views/page-latency.ts';
import type { PageSummary } from '../engine/views/page.ts';

/** Averages an hour each, the oldest first; null: nothing was measured. */
type Trend = readonly (number | null)[];

export interface Model {
  readonly summary: PageSummary;
  /** When it was read, epoch ms by the clock of this machine. */
  readonly readAt: number;
  /** Where it was read from. */
  readonly source: string;
  /** The latency of the last 24 hours; null: this source draws the last days instead. */
  readonly trend: ((id: string) => Trend) | null;
}

/** Everything the source knows of one monitor. */
export interface Detail {
  readonly id: string;
  /** Of the last 24 hours, the oldest first. */
  readonly latency: readonly LatencyPoint[];
  /** The last days, today last; null: those of the summary. */
  readonly days: readonly DayView[] | null;
  /** The last ones, the newest first; null: the source does not say. */
  readonly incidents: readonly IncidentView[] | null;
  /** Null: the source has no record of decisions. */
  readonly explanation: Explanation | null;
  /** The names of the channels its messages go to; null: the source does not say. */
  readonly channels: readonly string[] | null;
}
