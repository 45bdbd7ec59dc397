/** How long each kind of row is kept, in days. */

export interface RetentionStep {
  /** Raw samples, unless the monitor has its own. */
  readonly rawDays: number;
  readonly rawDaysOf: ReadonlyMap<string, number>;
  readonly hourlyDays: number;
  /** Windows of maintenance are kept as long, and not shorter than incidents: figures of these days leave them out. */
  readonly dailyDays: number;
  /** Histograms of latencies of days that are packed by the week. */
  readonly latencyDays: number;
  /** Closed incidents, with all that was said about them, and markers of changes; open ones are kept for ever. */
  readonly incidentDays: number;
  readonly decisionDays: number;
  readonly producerAlertDays: number;
  /** Deliveries that came to an end. */
  readonly outboxDays: number;
  /** The whole history of a monitor that the config has no more: until the months that show it are closed. */
  readonly removedDays: number;
}

/** The heatmap looks at as many, today among them. */
export const latencyDays = 28;

/**
 * The retention of a config: the days of raw samples, in general and by monitor. Daily rollups are kept for a year,
 * or for `shownDays` when something shows or counts more.
 */
export function retentionOf(
  rawDays: number,
  rawDaysOf: ReadonlyMap<string, number>,
  shownDays = 0,
): RetentionStep {
  return {
    rawDays,
    rawDaysOf,
    hourlyDays: 90,
    dailyDays: Math.max(365, shownDays),
    latencyDays,
    incidentDays: 365,
    decisionDays: 365,
    producerAlertDays: 365,
    outboxDays: 30,
    removedDays: 40,
  };
}
