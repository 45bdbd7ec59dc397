import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inParallel } from '../../../src/engine/core/in-parallel.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('work in parallel', () => {
  it('answers in the order of the items, however long each takes, with a bound on how many are under way', async () => {
    let underWay = 0;
    let most = 0;
    const made = await inParallel([5, 1, 3, 0, 2], 2, async (turns) => {
      most = Math.max(most, ++underWay);
      for (let count = 0; count < turns; count += 1) await turn();
      underWay -= 1;
      return turns * 10;
    });
    assert.deepEqual(made, [50, 10, 30, 0, 20]);
    assert.equal(most, 2);
  });

  it('rejects with the first error, and has nothing to do for no items', async () => {
    const work = (item: number) => (item === 2 ? Promise.reject(new Error('two')) : Promise.resolve(item));
    await assert.rejects(inParallel([1, 2, 3], 2, work), /two/);
    assert.deepEqual(await inParallel([], 2, work), []);
  });
});
