/** The data of the terminal view: the summary of one reading, and the details of one monitor. */
import type { DayView } from '../engine/views/day.ts';
import type { Explanation } from '../engine/views/explain.ts';
import type { IncidentView } from '../engine/views/incident.ts';
import type { LatencyPoint } from '../engine/views/page-latency.ts';
import type { PageSummary } from '../engine/views/page.ts';

export interface Model {
  readonly summary: PageSummary;
  /** When it was read, epoch ms by the clock of this machine. */
  readonly readAt: number;
  /** Where it was read from. */
  readonly source: string;
}

/** Everything the source knows of one monitor. */
export interface Detail {
  readonly id: string;
  /** How far `latency` goes back. */
  readonly hours: number;
  /** The oldest first. */
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

/** Whether a daemon writes what is read: one that is seen to run, none, or unknown from here. */
export type DaemonState = 'ok' | 'gone' | 'unknown';
