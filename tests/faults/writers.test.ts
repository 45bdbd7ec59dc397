import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { join } from 'node:path';
import { printedSeed, randomOf } from '../support/random.ts';
import { openWorkshop, run, type Workshop } from '../support/store-processes.ts';
import { missing } from './kill.ts';
import { writeTogether } from './writers.ts';

/** `npm run soak -- store` has each write 1,000 times. */
const writes = 100;

describe('S5: many processes write at once', () => {
  const seed = printedSeed();
  let workshop: Workshop;

  before(async () => {
    workshop = await openWorkshop();
  });
  after(() => {
    workshop.remove();
  });

  it(`8 × ${writes} writes beside a daemon that checkpoints and is killed: 0 lost, 0 doubled`, async () => {
    const plan = { writers: 8, writes, random: randomOf(seed) };
    const { byCommands, byDaemon, checkpoints, kills, wrong } = await writeTogether(workshop, plan);
    console.log(
      `  ${byCommands} + ${byDaemon} acknowledged, ${checkpoints} checkpoints, ${kills} kills: ${wrong.length} wrong`,
    );
    assert.deepEqual(wrong, [], `seed ${seed}`);
    assert.equal(byCommands, 8 * writes);
  });

  it('would be caught doubling or losing one', async () => {
    const file = join(workshop.folder, 'twice.db');
    for (let time = 0; time < 2; time += 1) {
      const command = run(workshop, ['writer', file, 'same', '1']);
      command.child.stdin?.end();
      await command.ended;
    }
    const wrong = await missing(file, [{ id: 3, content: 'never written' }]);
    assert.deepEqual(wrong, ['note 3 is "lost", not "never written"', 'a note is there twice']);
  });
});
