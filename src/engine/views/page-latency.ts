/** Folds the latency of a day into a line short enough for a page. */

export interface LatencyPoint {
  /** Epoch seconds. */
  readonly t: number;
  readonly latency_ms: number;
}

/** The average of one slice of time; `at` counts slices from the start of the day. */
interface TracePoint {
  readonly at: number;
  readonly ms: number;
}

export interface LatencyTrace {
  readonly slices: number;
  readonly peakMs: number;
  /** Points that follow each other without a gap belong to one segment. */
  readonly segments: readonly (readonly TracePoint[])[];
}

export interface TraceView {
  readonly nowAt: number;
  readonly hours: number;
  readonly slices: number;
}

/** Averages the points that lie in the last `hours` over `slices` of equal length; null: there are none. */
export function latencyTrace(points: readonly LatencyPoint[], view: TraceView): LatencyTrace | null {
  const { nowAt, hours, slices } = view;
  const sliceSecs = (hours * 3600) / slices;
  const fromSecs = nowAt / 1000 - hours * 3600;
  const sums = new Map<number, { ms: number; count: number }>();
  for (const { t, latency_ms } of points) {
    const at = Math.min(slices - 1, Math.floor((t - fromSecs) / sliceSecs));
    if (at < 0) continue;
    const sum = sums.get(at) ?? { ms: 0, count: 0 };
    sums.set(at, { ms: sum.ms + latency_ms, count: sum.count + 1 });
  }
  if (sums.size === 0) return null;
  const segments: TracePoint[][] = [];
  let peakMs = 0;
  for (let at = 0; at < slices; at++) {
    const sum = sums.get(at);
    if (sum === undefined) continue;
    const ms = sum.ms / sum.count;
    peakMs = Math.max(peakMs, ms);
    const last = segments.at(-1);
    if (last?.at(-1)?.at === at - 1) last.push({ at, ms });
    else segments.push([{ at, ms }]);
  }
  return { slices, peakMs, segments };
}
