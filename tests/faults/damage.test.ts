import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { watchDatabases } from '../support/open-databases.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { makeWorlds, tryDamage, type World } from './damage.ts';

/** `npm run soak -- store` tries 10,000. */
const damages = 300;

describe('S4: damaged files', () => {
  const seed = printedSeed();
  const random = randomOf(seed);
  let worlds: World[] = [];

  before(async () => {
    worlds = await makeWorlds();
  });

  it(`give no crash and no silent wrong answer in ${damages} cases`, async () => {
    const leftOpen = await watchDatabases();
    const tally = new Map<string, number>();
    for (let index = 0; index < damages; index += 1) {
      const outcome = await tryDamage(random.pick(worlds), { random });
      assert.notEqual(outcome.is, 'wrong', `seed ${seed}: ${'why' in outcome ? outcome.why : ''}`);
      tally.set(outcome.is, (tally.get(outcome.is) ?? 0) + 1);
    }
    console.log(
      `  ${damages} damages: ${[...tally].map(([is, count]) => `${count} ${is}`).join(', ')}; 0 wrong`,
    );
    assert.ok((tally.get('warned') ?? 0) > 0);
    assert.equal(leftOpen(), 0, `seed ${seed}`);
  });

  it('would be caught when checksums were made to fit', async () => {
    let wrong = 0;
    for (let index = 0; index < 20; index += 1) {
      const outcome = await tryDamage(random.pick(worlds), { random, isForged: true });
      if (outcome.is === 'wrong') wrong += 1;
    }
    assert.ok(wrong > 0);
  });
});
