/** Describes how fast a monitor answers, over all and on a usual day. */
import { marks, type History } from '../../core/replay/history.ts';
import type { Failure } from './failure.ts';

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

export function latenciesOf(history: History, failures: readonly Failure[]): Latencies {
  const { values, ends } = measured(history, failures);
  const tops: number[] = [];
  let from = 0;
  for (const end of ends) {
    if (end - from >= leastOfDay) tops.push(percentile(ascending(values.slice(from, end)), usualShare) ?? 0);
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
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
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

/** Whole milliseconds below this are counted instead of compared, which takes a tenth of the time. */
const countedBelow = 65_536;

/** The values in ascending order. */
function ascending(values: Float64Array): Float64Array {
  let top = 0;
  for (const value of values) {
    if (!(value < countedBelow) || !Number.isInteger(value)) return values.sort();
    if (value > top) top = value;
  }
  const counts = new Uint32Array(top + 1);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  let index = 0;
  counts.forEach((count, value) => {
    values.fill(value, index, index + count);
    index += count;
  });
  return values;
}

/** The latencies in order of time, and where each UTC day of them ends. */
function measured(
  { ats, latencies, marks: found }: History,
  failures: readonly Failure[],
): { readonly values: Float64Array; readonly ends: readonly number[] } {
  const values = new Float64Array(ats.length);
  const ends: number[] = [];
  let count = 0;
  let day = 0;
  let nextFailure = 0;
  for (let index = 0; index < ats.length; index++) {
    const at = ats[index] ?? 0;
    const latencyMs = latencies[index] ?? Number.NaN;
    while ((failures[nextFailure]?.endedAt ?? Infinity) <= at) nextFailure++;
    const isFailing = (failures[nextFailure]?.startedAt ?? Infinity) <= at;
    if (Number.isNaN(latencyMs) || isFailing || found[index] !== marks.answered) continue;
    const today = Math.floor(at / dayMs);
    if (today !== day && count > 0) ends.push(count);
    day = today;
    values[count++] = latencyMs;
  }
  return { values: values.slice(0, count), ends: [...ends, count] };
}
