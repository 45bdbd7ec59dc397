/**
 * Counts checks as they are recorded, since the process began. Prometheus expects counters to begin anew with a
 * process; the rollups of the store are no source for them, because they shrink when they are pruned.
 */
import type { Store } from '../../db/store/store.ts';
import { type Status, statuses } from '../../engine/core/status.ts';
import { bucketSecs, type ProbeCounts } from '../../engine/views/metrics/families.ts';

export interface ProbeTally {
  readonly of: (monitor: string) => ProbeCounts;
  readonly stop: () => void;
}

interface Counting {
  readonly results: Record<Status, number>;
  readonly buckets: number[];
  answered: number;
  sumMs: number;
}

function nothing(): Counting {
  return {
    results: { up: 0, degraded: 0, down: 0, unknown: 0 },
    buckets: new Array<number>(bucketSecs.length + 1).fill(0),
    answered: 0,
    sumMs: 0,
  };
}

export function createProbeTally({ onChange }: Pick<Store, 'onChange'>): ProbeTally {
  const counts = new Map<string, Counting>();
  const stop = onChange(({ operations }) => {
    for (const operation of operations) {
      // The order of its fields is kept for ever: the logs of earlier versions are read by it.
      const [name, monitor, , status, latencyMs, , isHeartbeat = false] = operation;
      if (name !== 'sample') continue;
      const result = statuses.find((each) => each === status);
      if (typeof monitor !== 'string' || result === undefined || isHeartbeat === true) continue;
      let counting = counts.get(monitor);
      if (counting === undefined) {
        counting = nothing();
        counts.set(monitor, counting);
      }
      count(counting, result, typeof latencyMs === 'number' ? latencyMs : null);
    }
  });
  return { of: (monitor) => counts.get(monitor) ?? nothing(), stop };
}

function count(counting: Counting, result: Status, latencyMs: number | null): void {
  counting.results[result] += 1;
  if (latencyMs === null) return;
  const found = bucketSecs.findIndex((bound) => latencyMs <= bound * 1000);
  const bucket = found === -1 ? bucketSecs.length : found;
  counting.buckets[bucket] = (counting.buckets[bucket] ?? 0) + 1;
  counting.answered += 1;
  counting.sumMs += latencyMs;
}
