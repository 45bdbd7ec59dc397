import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openWorkshop, type Workshop } from '../support/store-processes.ts';
import { startTogether } from './daemons.ts';

describe('S6: daemons on one database', () => {
  let workshop: Workshop;

  before(async () => {
    workshop = await openWorkshop();
  });
  after(() => {
    workshop.remove();
  });

  it('of 10 started at once exactly one serves; after kill -9 the next takes over within 2 s', async () => {
    const { serving, takeoverMs, wrong } = await startTogether(workshop, { count: 10, rounds: 1 });
    console.log(`  serving: ${serving.join(', ')}; takeover ${takeoverMs.join(', ')} ms`);
    assert.deepEqual(wrong, []);
    assert.deepEqual(serving, [1]);
    for (const ms of takeoverMs) assert.ok(ms < 2000, `${ms} ms`);
  });
});
