/** Adds up what samples say of a stretch of time shorter than the rollups know. */
import type { StatusSecs } from '../core/slo.ts';
import type { StoredSample } from '../../db/samples/sample.ts';
import type { TimeRange } from '../../db/tables/samples.ts';

/** Seconds of each status, given the samples (oldest first) that cover the stretch, those before it included. */
export function secsWithin(samples: readonly StoredSample[], { fromAt, toAt }: TimeRange): StatusSecs {
  const secs = { up: 0, degraded: 0, down: 0, unknown: 0 };
  samples.forEach((sample, index) => {
    const nextAt = samples[index + 1]?.at ?? Infinity;
    const untilAt = Math.min(nextAt, sample.at + sample.holdSecs * 1000, toAt);
    const spokenMs = untilAt - Math.max(sample.at, fromAt);
    if (spokenMs > 0) secs[sample.status] += spokenMs / 1000;
  });
  return secs;
}
