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
