/** Derives from a few measured answers when a target is slow, and the timeout. */

/** What the settings of a monitor should be; null leaves the default. */
export interface Advice {
  readonly degradedOverMs: number | null;
  readonly timeoutSecs: number | null;
}

/** Answers faster than this are all fast; a threshold below would find noise. */
const leastDegradedMs = 250;
const defaultTimeoutSecs = 10;
const maxTimeoutSecs = 60;

/**
 * `degraded_over_ms` is three times the slowest answer, at least 250, rounded up to steps of 50 (from 1,000
 * on: 500), so that it never lies within what was just seen. `timeout_secs` stays at its default unless four
 * times the slowest answer is longer. Latencies are in milliseconds.
 */
export function advise(latenciesMs: readonly number[]): Advice {
  if (latenciesMs.length === 0) return { degradedOverMs: null, timeoutSecs: null };
  const slowest = Math.max(...latenciesMs);
  const step = slowest * 3 < 1000 ? 50 : 500;
  const timeoutSecs = Math.min(maxTimeoutSecs, Math.ceil((slowest * 4) / 1000));
  return {
    degradedOverMs: Math.max(leastDegradedMs, Math.ceil((slowest * 3) / step) * step),
    timeoutSecs: timeoutSecs > defaultTimeoutSecs ? timeoutSecs : null,
  };
}
