/** The chances a made-up history is drawn from: the same seed and name draw the same ones. */
import { createHash } from 'node:crypto';
import { randomOf } from '../../tests/support/random.ts';

export interface Chance {
  /** From 0 to below 1. */
  readonly share: () => number;
  /** True this often: `once(0.01)` is true once in a hundred times. */
  readonly once: (share: number) => boolean;
  readonly between: (low: number, high: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  /** From a normal distribution of mean 0 and deviation 1. */
  readonly normal: () => number;
  /** The time until the next of events that come every `mean` on average. */
  readonly until: (mean: number) => number;
}

export function chanceOf(seed: number, name: string): Chance {
  const random = randomOf(createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE());
  const share = () => random.below(2 ** 30) / 2 ** 30;
  return {
    share,
    once: (limit) => share() < limit,
    between: (low, high) => low + share() * (high - low),
    pick: random.pick,
    normal: () => Math.sqrt(-2 * Math.log(1 - share())) * Math.cos(2 * Math.PI * share()),
    until: (mean) => -Math.log(1 - share()) * mean,
  };
}
