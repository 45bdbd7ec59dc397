import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Semaphore, hangsAfterMs, type Permit } from '../../../src/engine/monitoring/semaphore.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** A semaphore, and the names of those that are inside in the order they came in. */
function semaphoreOf(prompt: number, slow: number) {
  const clock = new VirtualClock();
  const semaphore = new Semaphore({ prompt, slow }, clock);
  const inside = new Map<string, Permit>();
  const pass = (name: string, isSlow = false) => {
    semaphore.pass(isSlow, (permit) => inside.set(name, permit));
  };
  const leave = (name: string) => {
    const permit = inside.get(name);
    assert.ok(permit);
    inside.delete(name);
    semaphore.leave(permit);
  };
  return { clock, semaphore, pass, leave, names: () => [...inside.keys()] };
}

describe('the semaphore', () => {
  it('lets so many in, then one for each that leaves, in the order they came', () => {
    const { pass, leave, names, semaphore } = semaphoreOf(2, 1);
    for (const name of ['a', 'b', 'c', 'd']) pass(name);
    assert.deepEqual(names(), ['a', 'b']);
    leave('b');
    assert.deepEqual(names(), ['a', 'c']);
    leave('a');
    assert.deepEqual(names(), ['c', 'd']);
    assert.equal(semaphore.inside, 2);
  });

  it('keeps those that hung the last time out of the places of others, and lets each in at its turn', () => {
    const { pass, leave, names } = semaphoreOf(3, 2);
    for (const name of ['s1', 's2', 's3', 's4']) pass(name, true);
    pass('a');
    assert.deepEqual(names(), ['s1', 's2', 'a']);
    leave('a');
    assert.deepEqual(names(), ['s1', 's2'], 'a free place of the others is not theirs');
    leave('s1');
    leave('s2');
    assert.deepEqual(names(), ['s3', 's4']);
  });

  it('moves one that turns out to hang when its place is needed, the oldest first', () => {
    const { clock, pass, leave, names, semaphore } = semaphoreOf(2, 1);
    pass('a');
    clock.stall(1);
    pass('b');
    clock.stall(hangsAfterMs - 2);
    pass('c');
    assert.deepEqual(names(), ['a', 'b'], 'nothing hangs yet');
    clock.stall(1);
    semaphore.admit();
    assert.deepEqual(names(), ['a', 'b', 'c']);
    clock.stall(hangsAfterMs);
    pass('d');
    assert.deepEqual(names(), ['a', 'b', 'c'], 'no more than there is room for');
    leave('a');
    assert.deepEqual(names(), ['b', 'c', 'd']);
    assert.equal(semaphore.inside, 3);
  });

  it('says how long a prompt one has been waiting, whatever waits among those that hang', () => {
    const { clock, pass, semaphore } = semaphoreOf(1, 1);
    for (const name of ['s1', 's2']) pass(name, true);
    pass('a');
    clock.stall(50);
    assert.equal(semaphore.longestWaitMs(), 0);
    pass('b');
    clock.stall(70);
    assert.equal(semaphore.longestWaitMs(), 70);
  });
});
