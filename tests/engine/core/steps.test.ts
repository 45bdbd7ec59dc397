import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce, type Steps, withPauses } from '../../../src/engine/core/yielding.ts';

function* counting(steps: number): Steps<number> {
  for (let step = 0; step < steps; step += 1) yield;
  return steps;
}

describe('work in steps', () => {
  it('makes the same at once and with pauses, of which there is one between two steps', async () => {
    for (const steps of [0, 1, 5]) {
      let pauses = 0;
      const yieldTurn = () => {
        pauses += 1;
        return Promise.resolve();
      };
      assert.equal(atOnce(counting(steps)), steps);
      assert.equal(await withPauses(counting(steps), yieldTurn), steps);
      assert.equal(pauses, steps);
    }
  });
});
