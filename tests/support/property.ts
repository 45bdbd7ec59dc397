/** Random tests that print the seed they ran with. `STATUSD_SEED` repeats a run. */
import fc from 'fast-check';

/** Checks a property on `runs` random cases; a failure names its seed and the smallest counterexample. */
export function checkProperty<T>(property: fc.IPropertyWithHooks<T>, runs: number): void {
  fc.assert(property, { seed: seedOf(), numRuns: runs, includeErrorInReport: true });
}

export async function checkAsyncProperty<T>(
  property: fc.IAsyncPropertyWithHooks<T>,
  runs: number,
): Promise<void> {
  await fc.assert(property, { seed: seedOf(), numRuns: runs, includeErrorInReport: true });
}

function seedOf(): number {
  const seed = Number(process.env['STATUSD_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`  seed ${seed}`);
  return seed;
}
