/** Checks of a monitor as a test wants them to end. */
import { type CheckResult, noTimings, type ProbeResult } from '../../src/engine/core/probe.ts';

const healthy: ProbeResult = {
  outcome: 'healthy',
  reason: null,
  latencyMs: 12,
  timings: noTimings,
  answer: null,
  assertions: [],
  certificate: null,
  address: null,
};

export const healthyCheck: CheckResult = { startedAt: 0, attempts: 1, result: healthy };

export function failedCheck(message: string): CheckResult {
  const result: ProbeResult = {
    ...healthy,
    outcome: 'failed',
    latencyMs: null,
    reason: { category: 'connection', message },
  };
  return { ...healthyCheck, result };
}
