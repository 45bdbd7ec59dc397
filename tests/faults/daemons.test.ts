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
    const report = await startTogether(workshop, { count: 10, rounds: 1 });
    const { serving, takeoverMs, floorMs, wrong } = report;
    console.log(
      `  serving: ${serving.join(', ')}; takeover ${takeoverMs.join(', ')} ms, a start ${floorMs.join(', ')} ms`,
    );
    assert.deepEqual(wrong, []);
    assert.deepEqual(serving, [1]);
    // What a busy machine takes to start any process is not the takeover's.
    takeoverMs.forEach((ms, round) => {
      assert.ok(ms - (floorMs[round] ?? 0) < 1500, `${ms} ms, a start ${floorMs[round] ?? 0} ms`);
    });
  });
});
