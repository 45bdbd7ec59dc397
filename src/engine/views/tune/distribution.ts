/** Counts failures by how many checks they took, and answers by how long they took, for drawing. */
import type { FailureRun } from './failure.ts';
import { countOver } from './latency.ts';

/** Failures of `from` to `to` checks; null: and more. */
export interface RunBucket {
  readonly from: number;
  readonly to: number | null;
  readonly count: number;
  /** Those among them that were real outages. */
  readonly outages: number;
}

/** Answers that took more than `overMs` and at most `toMs`. */
export interface LatencyBucket {
  readonly overMs: number;
  readonly toMs: number;
  readonly count: number;
}

const runEnds = [1, 2, 3, 4, 5, 10, 20, 50, null] as const;
/** Six steps to each power of ten: even to the eye on a scale of ratios. */
const steps = [1, 1.5, 2, 3, 5, 7] as const;
const powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;
const edges = powers.flatMap((power) => steps.map((step) => step * power));

/** Up to the last one that is not empty; none when nothing failed. */
export function runBuckets(failureRuns: readonly FailureRun[]): RunBucket[] {
  const all = runEnds.map((to, index): RunBucket => {
    const from = (runEnds[index - 1] ?? 0) + 1;
    const within = failureRuns.filter(({ checks }) => checks >= from && (to === null || checks <= to));
    return { from, to, count: within.length, outages: within.filter(({ isOutage }) => isOutage).length };
  });
  return all.slice(0, all.findLastIndex(({ count }) => count > 0) + 1);
}

/** `sorted`: ascending. From the first bucket that is not empty to the last. */
export function latencyBuckets(sorted: Float64Array): LatencyBucket[] {
  const all = edges.map((toMs, index): LatencyBucket => {
    const overMs = edges[index - 1] ?? -1;
    return {
      overMs: Math.max(0, overMs),
      toMs,
      count: countOver(sorted, overMs) - countOver(sorted, toMs),
    };
  });
  const isFull = ({ count }: LatencyBucket) => count > 0;
  const first = all.findIndex(isFull);
  return first === -1 ? [] : all.slice(first, all.findLastIndex(isFull) + 1);
}
