import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAfter, untilBeat } from '../../../src/engine/core/clock.ts';

describe('beats', () => {
  it('are at the same instants for all who wait for them', () => {
    assert.equal(untilBeat(0, 500), 500);
    assert.equal(untilBeat(1234.25, 500), 266);
    assert.equal(untilBeat(1500.5, 500), 500);
    assert.equal(untilBeat(2001, 1000), 999);
  });

  it('are not waited for twice by who was woken a little early', () => {
    assert.equal(untilBeat(1499.2, 500), 500);
    assert.equal(untilBeat(1495, 500), 5);
  });
});

describe('a timer of a clock that can only sleep', () => {
  it('runs what it was asked to, unless it is called off', async () => {
    const wakers: (() => void)[] = [];
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        assert.equal(ms, 700);
        wakers.push(resolve);
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    const ran: string[] = [];
    callAfter({ sleep }, 700, () => ran.push('kept'));
    const callOff = callAfter({ sleep }, 700, () => ran.push('called off'));
    assert.deepEqual(ran, []);
    callOff();
    wakers.forEach((wake) => {
      wake();
    });
    await new Promise(setImmediate);
    assert.deepEqual(ran, ['kept']);
  });

  it('is that of the clock where it has one', () => {
    const calls: number[] = [];
    const after = (ms: number, run: () => void) => {
      calls.push(ms);
      run();
      return () => calls.push(-ms);
    };
    const sleep = () => Promise.reject(new Error('not asked'));
    callAfter({ after, sleep }, 30, () => calls.push(0))();
    assert.deepEqual(calls, [30, 0, -30]);
  });
});
