/** Measures how long the event loop keeps others waiting. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../engine/core/clock.ts';

/** Of a span of time. */
interface LoopLag {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface LagMeter {
  /** Of the last whole minute; within the first one, since the start. */
  readonly read: () => LoopLag;
  readonly stop: () => void;
}

/** Each beat wakes a process that sleeps. */
const resolutionMs = 500;
const spanMs = 60_000;

/** Every reader gets the same figures, however often and by how many they are read. */
export function createLagMeter(clock: Pick<Clock, 'sleep'>): LagMeter {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  const stopping = new AbortController();
  let lastMinute: LoopLag | null = null;
  // Node measures from one beat to the next, so the pause between two of them is in every figure.
  const lagMs = (nanos: number) => Math.max(0, nanos / 1e6 - resolutionMs);
  const measured = (): LoopLag =>
    histogram.count === 0
      ? { p50Ms: 0, p99Ms: 0, maxMs: 0 }
      : {
          p50Ms: lagMs(histogram.percentile(50)),
          p99Ms: lagMs(histogram.percentile(99)),
          maxMs: lagMs(histogram.max),
        };
  const turn = async () => {
    for (;;) {
      await clock.sleep(spanMs, stopping.signal);
      lastMinute = measured();
      histogram.reset();
    }
  };
  turn().catch(() => undefined);
  return {
    read: () => lastMinute ?? measured(),
    stop: () => {
      stopping.abort();
      histogram.disable();
    },
  };
}
