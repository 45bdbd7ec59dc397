/** Random numbers that a seed repeats (mulberry32). */

export interface Random {
  /** An integer from 0 to `limit` − 1. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (from) => {
      const found = from[below(from.length)];
      if (found === undefined) throw new Error('nothing to pick from');
      return found;
    },
  };
}

/** How many random cases a test tries: the first number in the tests, the second in `npm run soak -- properties`. */
export function casesOf(inTests: number, inSoak: number): number {
  return process.env['STATUSD_SOAK'] === '1' ? inSoak : inTests;
}

/** The seed of a random test, printed. `STATUSD_SEED` repeats a run. */
export function printedSeed(): number {
  const seed = Number(process.env['STATUSD_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`  seed ${seed}`);
  return seed;
}
