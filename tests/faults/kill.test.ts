import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { printedSeed, randomOf } from '../support/random.ts';
import { openWorkshop, type Workshop } from '../support/store-processes.ts';
import { killOver } from './kill.ts';

/** `npm run soak -- store` kills it 500 times. */
const kills = 8;

describe('S1: kill -9', () => {
  const seed = printedSeed();
  const random = randomOf(seed);
  const workshops: Workshop[] = [];

  before(async () => {
    workshops.push(await openWorkshop(), await openWorkshop());
  });
  after(() => {
    for (const workshop of workshops) workshop.remove();
  });

  it(`at ${kills} random moments loses nothing that was acknowledged`, async () => {
    const [workshop] = workshops;
    assert.ok(workshop);
    const { cycles, promised, checkpoints, wrong } = await killOver(workshop, { cycles: kills, random });
    console.log(
      `  ${cycles} kills, ${promised} acknowledged, ${checkpoints} checkpoints: ${wrong.length} lost`,
    );
    assert.deepEqual(wrong, [], `seed ${seed}`);
    assert.ok(promised > 0);
  });

  it('would be caught losing what was acknowledged too early', async () => {
    const workshop = workshops[1];
    assert.ok(workshop);
    const { wrong } = await killOver(workshop, { cycles: 2, random, isEarly: true });
    assert.ok(wrong.length > 0);
  });
});
