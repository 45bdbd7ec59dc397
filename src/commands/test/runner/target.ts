/** A target that answers as its series says. */
import type { Monitor } from '../../../engine/config/config.ts';
import { noTimings, type ProbeResult } from '../../../engine/core/probe.ts';
import type { HeartbeatStatus } from '../../../engine/monitoring/heartbeats/silence.ts';
import type { SeriesWord } from '../format/series.ts';

const usualMs = 20;

/** The faults of this host in which nothing came back from the network. */
const silences: ReadonlySet<string> = new Set(['resolver', 'network']);

/** What a probe of `monitor` is answered. */
export function answerOf({ name, latencyMs, ownFault }: SeriesWord, monitor: Monitor): ProbeResult {
  const healthy: ProbeResult = {
    outcome: 'healthy',
    reason: null,
    latencyMs: latencyMs ?? usualMs,
    timings: { ...noTimings, connectMs: 1 },
    answer: null,
    assertions: [],
    certificate: null,
    address: null,
  };
  switch (name) {
    case 'up':
      return healthy;
    case 'slow':
      return { ...healthy, latencyMs: slowMs(latencyMs, monitor) };
    case 'degraded':
      return {
        ...healthy,
        outcome: 'degraded',
        reason: { category: 'plugin', message: 'it answered with a warning' },
      };
    case 'down':
      return {
        ...healthy,
        outcome: 'failed',
        latencyMs: null,
        reason: { category: 'status', message: 'it did not answer as expected' },
      };
    case 'timeout':
      return {
        ...healthy,
        outcome: 'failed',
        latencyMs: null,
        timings: noTimings,
        isSilence: true,
        reason: { category: 'timeout', message: 'it could not be reached' },
      };
    case 'unknown':
    case '-':
      return {
        ...healthy,
        outcome: 'unknown',
        latencyMs: null,
        timings: noTimings,
        ...(ownFault !== undefined && silences.has(ownFault) && { isSilence: true }),
        reason: {
          category: 'own_fault',
          message: 'it could not be checked',
          ...(ownFault !== undefined && { ownFault }),
        },
      };
  }
}

export interface SentHeartbeat {
  readonly status: HeartbeatStatus;
  readonly pingMs: number | null;
}

/** The heartbeat that a sender sends; null: none. */
export function heartbeatOf({ name, latencyMs }: SeriesWord, monitor: Monitor): SentHeartbeat | null {
  switch (name) {
    case 'up':
      return { status: 'up', pingMs: latencyMs };
    case 'slow':
      return { status: 'up', pingMs: slowMs(latencyMs, monitor) };
    case 'degraded':
      return { status: 'degraded', pingMs: null };
    case 'down':
      return { status: 'down', pingMs: null };
    case 'timeout':
    case 'unknown':
    case '-':
      return null;
  }
}

function slowMs(latencyMs: number | null, { degraded_over_ms }: Monitor): number {
  return latencyMs ?? (degraded_over_ms ?? usualMs) + 1;
}
