import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { warmUp } from '../../src/serve/warm.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reading ahead', () => {
  it('goes step by step until nothing is left', async () => {
    const clock = new VirtualClock();
    let steps = 0;
    let lasts = 0;
    const last = () => Promise.resolve((lasts += 1));
    warmUp(clock, { step: () => (steps += 1) === 3, last });
    for (const expected of [1, 2, 3, 3]) {
      assert.equal(steps, expected);
      assert.equal(lasts, expected === 3 ? 1 : 0);
      clock.advance(10);
      await turn();
    }
  });

  it('ends when it is stopped, and when a step fails', async () => {
    const clock = new VirtualClock();
    let steps = 0;
    const last = () => Promise.reject(new Error('too far'));
    const step = () => {
      steps += 1;
      return false;
    };
    const stop = warmUp(clock, { step, last });
    stop();
    clock.advance(10);
    await turn();
    assert.equal(steps, 1);
    const broken = () => {
      steps += 1;
      throw new Error('broken');
    };
    warmUp(clock, { step: broken, last });
    clock.advance(10);
    await turn();
    assert.equal(steps, 2);
  });
});
