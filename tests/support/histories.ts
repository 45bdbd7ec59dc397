/** Random histories of one monitor, as operations and as the samples they should leave. */
import fc from 'fast-check';
import { statuses } from '../../src/engine/core/status.ts';
import type { Operation } from '../../src/db/store/operation.ts';
import { addHour, addSample, packHours } from '../../src/db/tables/samples.ts';
import { packSamples } from '../../src/db/samples/codec.ts';
import { bucketOf } from '../../src/db/samples/histogram.ts';
import type { StoredSample } from '../../src/db/samples/sample.ts';
import { hourOf, hourSecs } from '../../src/db/samples/slots.ts';
import { emptyTally, type Tally } from '../../src/db/samples/tally.ts';

export const hour0 = 490_000;

/** A step of a history: a sample, a block of them, or packing up to an hour. */
export type Step =
  | { readonly kind: 'sample'; readonly sample: StoredSample }
  | { readonly kind: 'hour'; readonly hour: number; readonly samples: readonly StoredSample[] }
  | { readonly kind: 'pack'; readonly hour: number };

function sampleAt(secs: fc.Arbitrary<number>): fc.Arbitrary<StoredSample> {
  return fc.record(
    {
      at: secs.map((each) => each * 1000),
      status: fc.constantFrom(...statuses),
      latencyMs: fc.option(fc.integer({ min: 0, max: 100_000 })),
      holdSecs: fc.constantFrom(0, 60, 120, 7200, 30 * 86_400),
      isHeartbeat: fc.boolean(),
    },
    { noNullPrototype: true },
  );
}

const anySecond = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: hour0 * hourSecs, max: (hour0 + 60) * hourSecs }) },
  { weight: 3, arbitrary: fc.integer({ min: hour0 * hourSecs, max: hour0 * hourSecs + 600 }) },
  { weight: 1, arbitrary: fc.integer({ min: (hour0 - 1000) * hourSecs, max: (hour0 + 1000) * hourSecs }) },
);

const anyHour = fc.integer({ min: hour0 - 3, max: hour0 + 70 });

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: sampleAt(anySecond).map((sample) => ({ kind: 'sample' as const, sample })) },
  { weight: 1, arbitrary: anyHour.map((hour) => ({ kind: 'pack' as const, hour })) },
  {
    weight: 1,
    arbitrary: anyHour.chain((hour) =>
      fc
        .array(sampleAt(fc.integer({ min: hour * hourSecs, max: hour * hourSecs + 3599 })), { maxLength: 5 })
        .map((samples) => ({ kind: 'hour' as const, hour, samples: inOrder(samples) })),
    ),
  },
);

export function operationOf(step: Step, monitor = 'api'): Operation {
  switch (step.kind) {
    case 'sample': {
      const { at, ...rest } = step.sample;
      return addSample({ monitor, secs: at / 1000, ...rest, category: null, message: null, heardAt: null });
    }
    case 'hour': {
      const block = Buffer.from(packSamples(step.samples, step.hour * hourSecs)).toString('base64');
      return addHour({ monitor, hour: step.hour, block });
    }
    case 'pack':
      return packHours({ monitor, hour: step.hour });
  }
}

/** The samples a history should leave: by second, those of one second in the order they came. */
export function expectedSamples(steps: readonly Step[]): StoredSample[] {
  return inOrder(
    steps.flatMap((step) =>
      step.kind === 'sample' ? [step.sample] : step.kind === 'hour' ? step.samples : [],
    ),
  );
}

/**
 * Tallies by hour, from the definition and with nothing in common with the code under test. `nowSecs` is how far
 * the last sample speaks; without it, it has not spoken yet.
 */
export function naiveHours(samples: readonly StoredSample[], nowSecs = 0): Map<number, Tally> {
  const hours = new Map<number, Tally>();
  const of = (hour: number): Tally => {
    const tally = hours.get(hour) ?? emptyTally();
    hours.set(hour, tally);
    return tally;
  };
  samples.forEach((sample, index) => {
    const secs = sample.at / 1000;
    countNaively(of(hourOf(secs)), sample);
    const next = samples[index + 1];
    const end = Math.min(next === undefined ? nowSecs : next.at / 1000, secs + sample.holdSecs);
    for (let minute = secs; minute < end; ) {
      const stop = Math.min(end, minute + 60 - (minute % 60));
      of(hourOf(minute)).secs[sample.status] += stop - minute;
      minute = stop;
    }
  });
  return hours;
}

/** The sum of the tallies for which `isWanted` holds. */
export function sumNaively(hours: ReadonlyMap<number, Tally>, isWanted: (hour: number) => boolean): Tally {
  const sum = emptyTally();
  for (const [hour, tally] of hours) {
    if (!isWanted(hour)) continue;
    for (const status of statuses) {
      sum.secs[status] += tally.secs[status];
      sum.counts[status] += tally.counts[status];
    }
    sum.latency.count += tally.latency.count;
    sum.latency.sumMs += tally.latency.sumMs;
    for (const latencyMs of [tally.latency.minMs, tally.latency.maxMs]) widen(sum, latencyMs);
    for (const [bucket, count] of tally.latency.histogram) {
      sum.latency.histogram.set(bucket, (sum.latency.histogram.get(bucket) ?? 0) + count);
    }
  }
  return sum;
}

/** The tally from a second up to before another one, likewise from the definition. */
export function naiveSpan(
  samples: readonly StoredSample[],
  {
    fromSecs,
    toSecs,
    nowSecs,
  }: { readonly fromSecs: number; readonly toSecs: number; readonly nowSecs: number },
): Tally {
  const tally = emptyTally();
  samples.forEach((sample, index) => {
    const secs = sample.at / 1000;
    if (secs >= fromSecs && secs < toSecs) countNaively(tally, sample);
    const next = samples[index + 1];
    const end = Math.min(next === undefined ? nowSecs : next.at / 1000, secs + sample.holdSecs, toSecs);
    tally.secs[sample.status] += Math.max(0, end - Math.max(secs, fromSecs));
  });
  return tally;
}

/** A tally in a form that two equal ones share. */
export function comparable(tally: Tally | null): unknown {
  const { secs, counts, latency } = tally ?? emptyTally();
  return {
    secs,
    counts,
    latency: { ...latency, histogram: [...latency.histogram].sort((a, b) => a[0] - b[0]) },
  };
}

function countNaively(tally: Tally, sample: StoredSample): void {
  tally.counts[sample.status] += 1;
  if (sample.latencyMs === null || (sample.status !== 'up' && sample.status !== 'degraded')) return;
  tally.latency.count += 1;
  tally.latency.sumMs += sample.latencyMs;
  widen(tally, sample.latencyMs);
  const bucket = bucketOf(sample.latencyMs);
  tally.latency.histogram.set(bucket, (tally.latency.histogram.get(bucket) ?? 0) + 1);
}

function widen({ latency }: Tally, latencyMs: number | null): void {
  if (latencyMs === null) return;
  latency.minMs = Math.min(latency.minMs ?? Infinity, latencyMs);
  latency.maxMs = Math.max(latency.maxMs ?? -Infinity, latencyMs);
}

function inOrder(samples: readonly StoredSample[]): StoredSample[] {
  return samples.toSorted((a, b) => a.at - b.at);
}
