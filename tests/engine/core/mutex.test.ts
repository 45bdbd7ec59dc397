import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deferred } from '../../../src/engine/core/deferred.ts';
import { Mutex } from '../../../src/engine/core/mutex.ts';

describe('a mutex', () => {
  it('does work at once while nothing is under way, and counts what ended', () => {
    const mutex = new Mutex();
    const done: string[] = [];
    const at = (name: string) => () => void done.push(name);
    assert.equal(mutex.run(at('a')), undefined);
    assert.equal(mutex.run(at('b')), undefined);
    assert.deepEqual(done, ['a', 'b']);
    assert.equal(mutex.count, 2);
  });

  it('does one after the other, in the order they came', async () => {
    const mutex = new Mutex();
    const first = deferred<undefined>();
    const done: string[] = [];
    const running = mutex.run(async () => {
      await first.promise;
      done.push('first');
    });
    const second = mutex.run(() => {
      done.push('second');
      return undefined;
    });
    const third = mutex.take(() => Promise.resolve(done.push('third')));
    await Promise.resolve();
    assert.deepEqual(done, []);
    assert.equal(mutex.count, 0);
    first.resolve(undefined);
    await Promise.all([running, second]);
    assert.equal(await third, 3, 'with what the work answers');
    assert.deepEqual(done, ['first', 'second', 'third']);
    await mutex.idle();
    assert.equal(mutex.count, 3);
    assert.equal(
      mutex.run(() => undefined),
      undefined,
      'nothing is under way any more',
    );
  });

  it('never takes work up within the call', async () => {
    const mutex = new Mutex();
    let isDone = false;
    const taken = mutex.take(() => {
      isDone = true;
      return Promise.resolve();
    });
    assert.equal(isDone, false);
    await taken;
    assert.equal(isDone, true);
  });

  it('continues after work that failed, and reports that to its caller only', async () => {
    const mutex = new Mutex();
    const failing = mutex.run(() => Promise.reject(new Error('disk full')));
    const next = mutex.take(() => Promise.resolve('done'));
    await assert.rejects(Promise.resolve(failing), /disk full/);
    assert.equal(await next, 'done');
    await mutex.idle();
    assert.equal(mutex.count, 2);
  });

  it('is idle only when what was asked for meanwhile has ended too', async () => {
    const mutex = new Mutex();
    const [first, second] = [deferred<undefined>(), deferred<undefined>()];
    let isIdle = false;
    void mutex.take(() => first.promise);
    void mutex.idle().then(() => {
      isIdle = true;
    });
    void mutex.take(() => second.promise);
    first.resolve(undefined);
    await new Promise(setImmediate);
    assert.equal(isIdle, false);
    second.resolve(undefined);
    await new Promise(setImmediate);
    assert.equal(isIdle, true);
  });
});
