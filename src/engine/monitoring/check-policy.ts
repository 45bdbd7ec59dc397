/** Derives from a monitor's settings how it is confirmed, and how long a sample is valid. */
import type { Monitor, PushMonitor } from '../config/config.ts';
import type { CheckPolicy } from '../core/sample.ts';

/** What was counted longer ago than this is no part of an outage today, unless the monitor is slower than that. */
const forgetMs = 900_000;

/** How a monitor's samples are confirmed. */
export function policyOf(monitor: Monitor): CheckPolicy {
  return {
    failThreshold: monitor.fail_threshold,
    recoverThreshold: monitor.recover_threshold,
    degradedOverMs: monitor.degraded_over_ms,
    forgetAfterMs: Math.max(forgetMs, 3000 * holdSecsOf(monitor)),
  };
}

/** For how many seconds a sample counts: until the next one has to be there, at the latest. */
export function holdSecsOf(monitor: Monitor): number {
  if (monitor.kind === 'push') return monitor.interval_secs + monitor.grace_secs;
  return monitor.interval_secs + longestCheckSecs(monitor);
}

/** How long a check takes at most, retries included. */
export function longestCheckSecs(monitor: Monitor): number {
  return (monitor.timeout_secs + 1) * (monitor.probe_retries + 1);
}

/** How often it is put on record that a push monitor is still silent. */
export function silenceSecsOf({ interval_secs, schedule }: PushMonitor): number {
  return schedule === null ? Math.min(3600, Math.max(30, interval_secs)) : 600;
}
