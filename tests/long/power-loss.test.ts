import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { watchDatabases } from '../support/open-databases.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { recordLife, recordSeal, tryCrash, type Recording } from '../faults/power-loss.ts';

/** `npm run soak -- store` tries 100,000. */
const states = 1500;

describe('S2: loss of power', () => {
  const lives: Recording[] = [];
  let sealed: Recording;
  const seed = printedSeed();
  const random = randomOf(seed);

  before(async () => {
    for (let index = 0; index < 24; index += 1) lives.push(await recordLife(seed + index));
    sealed = await recordSeal(seed);
    lives.push(sealed);
  });

  it(`leaves every acknowledged write in ${states} states of the disk`, async () => {
    const leftOpen = await watchDatabases();
    for (let index = 0; index < states; index += 1) {
      const wrong = await tryCrash(random.pick(lives), { random });
      assert.equal(wrong, null, `seed ${seed}`);
    }
    assert.equal(leftOpen(), 0, `seed ${seed}`);
    console.log(`  ${states} states: 0 unreadable, 0 acknowledged lost`);
  });

  const syncs = [
    'records',
    'header of a log',
    'name of a log',
    'seal of a log',
    'contents of the snapshot',
    'name of the snapshot',
    'what was there when it was opened',
  ];

  it('knows every sync that the store asks for', () => {
    const asked = new Set(lives.flatMap(({ labels }) => [...labels]));
    assert.deepEqual([...asked].sort(), [...syncs].sort());
  });

  for (const without of syncs) {
    it(`loses something without the sync of: ${without}`, async () => {
      const most = 4000;
      let tries = 0;
      let wrong: string | null = null;
      for (; wrong === null && tries < most; tries += 1)
        wrong = await tryCrash(random.pick(lives), { random, without });
      console.log(`  without it: wrong at try ${tries}`);
      assert.notEqual(wrong, null, `seed ${seed}`);
    });
  }
});
