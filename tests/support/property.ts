/** Random tests that print the seed they ran with. `STATUSD_SEED` repeats a run. */
import fc from 'fast-check';

const surrogates = 0xdfff - 0xd800 + 1;

/**
 * Any character, for the unit of fc.string. It draws the same ones as the unit `binary`, which makes a table of a million
 * characters first: more than a second in each process.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + surrogates), numberOf);

/** Which number makes this character, so that fast-check can draw dangerous words such as `__proto__` too. */
function numberOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('not a character');
  if (point >= 0xd800 && point <= 0xdfff) throw new Error('half a character');
  return point < 0xd800 ? point : point - surrogates;
}

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
