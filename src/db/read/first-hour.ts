/**
 * The hour in which the last 24 hours begin, sample by sample, so that they begin at a minute and not at a full hour.
 * Apart from read/day.ts, which adds up whole hours.
 */
import { bucketOf } from '../samples/histogram.ts';
import { findOwner } from '../samples/owner.ts';
import { HourlyRollups } from '../samples/kept-rollups.ts';
import { latencyOf, statusByCode, statusCodes } from '../samples/sample.ts';
import { hourSecs } from '../samples/slots.ts';
import { keptWithin } from '../samples/stored.ts';
import type { ByStatus } from '../samples/tally.ts';
import type { SqlReader } from '../store/sql.ts';
import type { Sums } from './sums.ts';
import type { StoredMonitor } from './watched.ts';

/** Numbers a sample takes: second of the hour, second up to which it counts there, status, bucket of its latency or -1. */
const width = 4;

const noSamples = new Int32Array(0);

export class FirstHour {
  readonly hour: number;
  /** Seconds from the start of the hour that were credited to a sample before it. */
  readonly #carried: Readonly<ByStatus>;
  readonly #samples: Int32Array;
  /** The latest sample of the monitor where it lies before the end of this hour, epoch ms: the next one changes the hour. */
  readonly #tailAt: number | null;

  private constructor(
    hour: number,
    {
      carried,
      samples,
      tailAt,
    }: { readonly carried: ByStatus; readonly samples: Int32Array; readonly tailAt: number | null },
  ) {
    this.hour = hour;
    this.#carried = carried;
    this.#samples = samples;
    this.#tailAt = tailAt;
  }

  static read(sql: SqlReader, { id, key, tail }: StoredMonitor, hour: number): FirstHour {
    const carried = { up: 0, degraded: 0, down: 0, unknown: 0 };
    const owner = findOwner(sql, id);
    const secs = new HourlyRollups(sql, key).readSecs(hour);
    const fromSecs = hour * hourSecs;
    const tailAt = tail === null || tail.at / 1000 < fromSecs + hourSecs ? (tail?.at ?? 0) : null;
    if (owner === null || secs === null) return new FirstHour(hour, { carried, samples: noSamples, tailAt });
    Object.assign(carried, secs);
    const found = keptWithin(sql, owner, { fromSecs, toSecs: fromSecs + hourSecs });
    const samples = new Int32Array(found.length * width);
    for (const [index, sample] of found.entries()) {
      const at = sample.at / 1000 - fromSecs;
      const isTail = index === found.length - 1 && sample.at === tail?.at;
      const nextAt = (found[index + 1]?.at ?? Infinity) / 1000 - fromSecs;
      const until = isTail ? at : Math.min(nextAt, at + sample.holdSecs, hourSecs);
      const latencyMs = latencyOf(sample);
      const bucket = latencyMs === null ? -1 : bucketOf(latencyMs);
      samples.set([at, until, statusCodes[sample.status], bucket], index * width);
      carried[sample.status] -= until - at;
    }
    return new FirstHour(hour, { carried, samples, tailAt });
  }

  /** Whether nothing was added since that changes this hour. */
  holds(hour: number, { tail }: StoredMonitor): boolean {
    return hour === this.hour && (this.#tailAt === null || this.#tailAt === (tail?.at ?? 0));
  }

  /** How many samples lie before a second of the hour (0 to 3600). */
  countBefore(second: number): number {
    let count = 0;
    while (count * width < this.#samples.length && (this.#samples[count * width] ?? 0) < second) count += 1;
    return count;
  }

  /** The seconds credited before a second of the hour. */
  secsBefore(second: number): ByStatus {
    const sum = this.#carriedBefore(second);
    for (let index = 0; index < this.countBefore(second); index++) {
      const { at, until, status } = this.#sample(index);
      sum[status] += Math.min(until, second) - at;
    }
    return sum;
  }

  /** Takes the first `count` samples out of sums, without their seconds. */
  takeFrom(sums: Pick<Sums, 'counts' | 'histogram'>, count: number): void {
    for (let index = 0; index < count; index++) {
      const { status, bucket } = this.#sample(index);
      sums.counts[status] -= 1;
      if (bucket >= 0) sums.histogram[bucket] = (sums.histogram[bucket] ?? 0) - 1;
    }
  }

  /** One sample counts from the start of the hour on; imported time without samples is spread over it. */
  #carriedBefore(second: number): ByStatus {
    const isOne = Object.values(this.#carried).filter((secs) => secs > 0).length === 1;
    const part = (secs: number) =>
      secs <= 0 ? 0 : isOne ? Math.min(secs, second) : Math.floor((secs * second) / hourSecs);
    const { up, degraded, down, unknown } = this.#carried;
    return { up: part(up), degraded: part(degraded), down: part(down), unknown: part(unknown) };
  }

  #sample(index: number) {
    const [at = 0, until = 0, status = 0, bucket = -1] = this.#samples.subarray(
      index * width,
      (index + 1) * width,
    );
    return { at, until, status: statusByCode[status] ?? ('unknown' as const), bucket };
  }
}
