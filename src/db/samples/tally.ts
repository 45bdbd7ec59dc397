/**
 * What a run of samples adds up to, hour by hour.
 *
 * Downtime is accounted by time and not by number of samples, because intervals change, heartbeats come when they
 * like and a second sample in the same second must not count twice. Each sample covers the time from its own second until
 * the next sample of its monitor, at most for its `holdSecs`; those seconds are credited to its status, in the hour
 * (UTC) they fall in. Seconds that no sample covers are in no column: "no data". `unknown` seconds are known to be
 * unknown, and equally in neither side of uptime. The last sample of a monitor is credited up to now by the one who
 * reads (see read/tail.ts), so while the clock is right a rollup holds no second that has not passed.
 *
 * Latencies are those that `latencyOf` says.
 */
import type { Status } from '../../engine/core/status.ts';
import { bucketOf } from './histogram.ts';
import { latencyOf, type StoredSample } from './sample.ts';
import { hourOf, hourSecs } from './slots.ts';

export type ByStatus = Record<Status, number>;

/** Sums over some span of time. Mutable: it is built by adding. */
export interface Tally {
  /** Seconds credited to each status. */
  readonly secs: ByStatus;
  /** Samples of each status. */
  readonly counts: ByStatus;
  readonly latency: LatencyTally;
}

interface LatencyTally {
  count: number;
  sumMs: number;
  minMs: number | null;
  maxMs: number | null;
  readonly histogram: Map<number, number>;
}

export function emptyTally(): Tally {
  return {
    secs: { up: 0, degraded: 0, down: 0, unknown: 0 },
    counts: { up: 0, degraded: 0, down: 0, unknown: 0 },
    latency: { count: 0, sumMs: 0, minMs: null, maxMs: null, histogram: new Map() },
  };
}

/** All but the histogram, in the order in which the tables have their columns; no least or greatest latency is null. */
export function numbersOf({ secs, counts, latency }: Tally): (number | null)[] {
  return [
    secs.up,
    secs.degraded,
    secs.down,
    secs.unknown,
    counts.up,
    counts.degraded,
    counts.down,
    counts.unknown,
    latency.count,
    latency.sumMs,
    latency.minMs,
    latency.maxMs,
  ];
}

/** The same, all of them numbers: no least or greatest latency is -1. */
export function packableOf(tally: Tally): readonly number[] {
  return numbersOf(tally).map((value) => value ?? -1);
}

/** The tally that packableOf made numbers of, without its histogram. */
export function tallyOfPacked(numbers: readonly number[]): Tally {
  const tally = emptyTally();
  const [up = 0, degraded = 0, down = 0, unknown = 0, ...rest] = numbers;
  const [ups = 0, degradeds = 0, downs = 0, unknowns = 0, count = 0, sumMs = 0, minMs = -1, maxMs = -1] =
    rest;
  Object.assign(tally.secs, { up, degraded, down, unknown });
  Object.assign(tally.counts, { up: ups, degraded: degradeds, down: downs, unknown: unknowns });
  const measured = { count, sumMs, minMs: minMs < 0 ? null : minMs, maxMs: maxMs < 0 ? null : maxMs };
  return { ...tally, latency: { ...measured, histogram: tally.latency.histogram } };
}

/** Adds `other` to `tally`. */
export function addTally(tally: Tally, other: Tally): void {
  for (const status of ['up', 'degraded', 'down', 'unknown'] as const) {
    tally.secs[status] += other.secs[status];
    tally.counts[status] += other.counts[status];
  }
  const latency = tally.latency;
  latency.count += other.latency.count;
  latency.sumMs += other.latency.sumMs;
  latency.minMs = lowest(latency.minMs, other.latency.minMs);
  latency.maxMs = highest(latency.maxMs, other.latency.maxMs);
  for (const [bucket, count] of other.latency.histogram) addToHistogram(latency.histogram, bucket, count);
}

export function addToHistogram(histogram: Map<number, number>, bucket: number, count: number): void {
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
}

/** Counts a sample, without its seconds. Answers the bucket its latency falls into, which is not counted; null: it has none. */
export function countSample(tally: Tally, sample: StoredSample): number | null {
  tally.counts[sample.status] += 1;
  const latencyMs = latencyOf(sample);
  if (latencyMs === null) return null;
  const { latency } = tally;
  latency.count += 1;
  latency.sumMs += latencyMs;
  latency.minMs = lowest(latency.minMs, latencyMs);
  latency.maxMs = highest(latency.maxMs, latencyMs);
  return bucketOf(latencyMs);
}

/** Visits the hours from a sample to the next one of its monitor, each with the seconds that the first one counts for in it. */
export function creditUntil(
  { at, holdSecs }: StoredSample,
  next: StoredSample,
  visit: (hour: number, secs: number) => void,
): void {
  spread(at / 1000, Math.min(next.at / 1000, at / 1000 + holdSecs), visit);
}

/** Tallies by hour since the epoch. */
export class HourlyTallies {
  readonly hours = new Map<number, Tally>();

  /** Counts samples, without their seconds. */
  count(samples: readonly StoredSample[]): void {
    for (const sample of samples) {
      const tally = this.#of(hourOf(sample.at / 1000));
      const bucket = countSample(tally, sample);
      if (bucket !== null) addToHistogram(tally.latency.histogram, bucket, 1);
    }
  }

  /**
   * Credits the seconds between the samples of a run (ascending), each to the sample before them. The last sample
   * of the run gets none. `sign` -1 takes back what was credited before.
   */
  credit(run: readonly StoredSample[], sign: 1 | -1): void {
    for (let index = 1; index < run.length; index++) {
      const sample = run[index - 1];
      const next = run[index];
      if (sample === undefined || next === undefined) continue;
      creditUntil(sample, next, (hour, secs) => {
        this.#of(hour).secs[sample.status] += sign * secs;
      });
    }
  }

  #of(hour: number): Tally {
    let tally = this.hours.get(hour);
    if (tally === undefined) {
      tally = emptyTally();
      this.hours.set(hour, tally);
    }
    return tally;
  }
}

/** Cuts the span from `fromSecs` to `toSecs` (epoch seconds) at the hours. */
function spread(fromSecs: number, toSecs: number, visit: (hour: number, secs: number) => void): void {
  for (let at = fromSecs; at < toSecs; ) {
    const hour = hourOf(at);
    const end = Math.min(toSecs, (hour + 1) * hourSecs);
    visit(hour, end - at);
    at = end;
  }
}

function lowest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function highest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
