/** Measures the lag of the event loop. */
import { type Clock, untilBeat } from '../../engine/core/clock.ts';

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

/** Each beat wakes a process that sleeps, unless something else does at the same time. */
const beatMs = 1000;
const spanMs = 60_000;

/** Every reader gets the same figures, however often and by how many they are read. */
export function createLagMeter(clock: Pick<Clock, 'sleep' | 'monotonic'>): LagMeter {
  const stopping = new AbortController();
  let lagsMs: number[] = [];
  let lastMinute: LoopLag | null = null;
  const measure = async () => {
    for (let spanEndMs = clock.monotonic() + spanMs; ; ) {
      const nowMs = clock.monotonic();
      const waitMs = untilBeat(nowMs, beatMs);
      await clock.sleep(waitMs, stopping.signal);
      const lateMs = clock.monotonic() - nowMs - waitMs;
      lagsMs.push(Math.max(0, lateMs));
      if (clock.monotonic() < spanEndMs) continue;
      spanEndMs = clock.monotonic() + spanMs;
      lastMinute = figuresOf(lagsMs);
      lagsMs = [];
    }
  };
  measure().catch(() => undefined);
  return {
    read: () => lastMinute ?? figuresOf(lagsMs),
    stop: () => {
      stopping.abort();
    },
  };
}

function figuresOf(lagsMs: readonly number[]): LoopLag {
  const sorted = lagsMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
