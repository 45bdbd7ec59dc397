/** Turns what a check saw into a status. */
import type { ProbeResult } from './probe.ts';

export const statuses = ['up', 'degraded', 'down', 'unknown'] as const;
export type Status = (typeof statuses)[number];

/**
 * The status of a single check on its own, before any threshold: a failed check is `down`, a healthy one
 * slower than `degradedOverMs` (exclusive; null means never) is `degraded`.
 */
export function assess(result: ProbeResult, degradedOverMs: number | null): Status {
  switch (result.outcome) {
    case 'failed':
      return 'down';
    case 'unknown':
      return 'unknown';
    case 'degraded':
      return 'degraded';
    case 'healthy':
      return degradedOverMs !== null && result.latencyMs !== null && result.latencyMs > degradedOverMs
        ? 'degraded'
        : 'up';
  }
}

/** How a monitor is for its readers: a failure that nothing confirmed yet is none, and maintenance explains the rest. */
export type ReaderState = Status | 'maintenance';

/** How everything is for readers; `overall` keeps the words of a monitor's status. */
export const overallStates = [
  'up',
  'degraded',
  'partial_outage',
  'major_outage',
  'maintenance',
  'unknown',
] as const;
export type OverallState = (typeof overallStates)[number];
