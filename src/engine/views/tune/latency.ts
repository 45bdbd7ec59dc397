/** Describes how fast a monitor answers, over all and on a usual day. */
import { marks, type SampleHistory } from '../../core/sample-history.ts';
import type { FailureRun } from './failure.ts';

export interface Latencies {
  /** Ascending, in ms: what was measured while it was not failing. */
  readonly sorted: Float64Array;
  /** The median over the days of what 99.5 % of a day's answers stay below; null: too few days. */
  readonly usualMs: number | null;
}

const dayMs = 86_400_000;
/** Fewer answers a day have no 99.5th percentile to speak of. */
const leastOfDay = 200;
const leastDays = 3;
const usualShare = 0.995;

export function latenciesOf(history: SampleHistory, failureRuns: readonly FailureRun[]): Latencies {
  const { values, ends } = measured(history, failureRuns);
  const tops: number[] = [];
  let from = 0;
  for (const end of ends) {
    if (end - from >= leastOfDay) tops.push(topOf(values.subarray(from, end)));
    from = end;
  }
  tops.sort((a, b) => a - b);
  return {
    sorted: ascending(values),
    usualMs: tops.length < leastDays ? null : (tops[Math.floor((tops.length - 1) / 2)] ?? null),
  };
}

/** The value that `share` of the values do not exceed (nearest rank); null when there is none. */
export function percentile(sorted: Float64Array, share: number): number | null {
  return sorted[rankOf(share, sorted.length)] ?? null;
}

function rankOf(share: number, length: number): number {
  return Math.max(0, Math.ceil(share * length) - 1);
}

/** How many values lie over a limit. */
export function countOver(sorted: Float64Array, limitMs: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) > limitMs) high = middle;
    else low = middle + 1;
  }
  return sorted.length - low;
}

/** What `usualShare` of the values, of which there is one at least, do not exceed. */
function topOf(values: Float64Array): number {
  const rank = rankOf(usualShare, values.length);
  const counts = countsOf(values);
  if (counts === null) return values.slice().sort()[rank] ?? 0;
  let top = counts.length - 1;
  for (let above = 0; top > 0; top--) {
    above += counts[top] ?? 0;
    if (above >= values.length - rank) break;
  }
  return top;
}

/** The values in ascending order, in the same memory. */
function ascending(values: Float64Array): Float64Array {
  const counts = countsOf(values);
  if (counts === null) return values.sort();
  let end = 0;
  for (let value = 0; value < counts.length; value++) {
    const start = end;
    end += counts[value] ?? 0;
    if (end > start) values.fill(value, start, end);
  }
  return values;
}

/** Whole milliseconds below this are counted instead of compared, which takes a tenth of the time. */
const countedBelow = 65_536;

/** How many there are of each value, up to the highest; null when some cannot be counted. */
function countsOf(values: Float64Array): Uint32Array | null {
  let highest = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    if (!(value < countedBelow) || value !== Math.floor(value)) return null;
    if (value > highest) highest = value;
  }
  const counts = new Uint32Array(highest + 1);
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

/** The latencies in order of time, and where each UTC day of them ends. */
function measured(
  { ats, latencies, marks: found }: SampleHistory,
  failureRuns: readonly FailureRun[],
): { readonly values: Float64Array; readonly ends: readonly number[] } {
  const values = new Float64Array(ats.length);
  const ends: number[] = [];
  let count = 0;
  let dayEndsAt = 0;
  let next = 0;
  let failureRun = failureRuns[0];
  for (let index = 0; index < ats.length; index++) {
    const at = ats[index] ?? 0;
    while (failureRun !== undefined && failureRun.endedAt <= at) failureRun = failureRuns[++next];
    if (failureRun !== undefined && failureRun.startedAt <= at) continue;
    const latencyMs = latencies[index] ?? Number.NaN;
    if (Number.isNaN(latencyMs) || found[index] !== marks.answered) continue;
    if (at >= dayEndsAt) {
      if (count > 0) ends.push(count);
      dayEndsAt = (Math.floor(at / dayMs) + 1) * dayMs;
    }
    values[count++] = latencyMs;
  }
  return { values: values.subarray(0, count), ends: [...ends, count] };
}
