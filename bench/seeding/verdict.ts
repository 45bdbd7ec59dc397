/** Prints what was measured beside its limit. */

export interface Measurement {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  readonly atMost: number;
}

/** Prints one line a measurement and answers whether all of them are within their limits. */
export function judgeAll(measurements: readonly Measurement[]): boolean {
  const verdicts = measurements.map(({ what, measured, unit, atMost }) => {
    const isMet = measured <= atMost;
    console.log(
      `${what}: ${shown(measured)} ${unit}, limit ${shown(atMost)} ${unit}: ${isMet ? 'ok' : 'FAIL'}`,
    );
    return isMet;
  });
  return verdicts.every(Boolean);
}

/** The median and the greatest of the times that `rounds` runs took, in milliseconds. */
export function timed(rounds: number, work: (round: number) => unknown): { median: number; max: number } {
  const times = Array.from({ length: rounds }, (_, round) => {
    const startedAt = performance.now();
    work(round);
    return performance.now() - startedAt;
  });
  return { median: medianOf(times), max: Math.max(...times) };
}

export function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
