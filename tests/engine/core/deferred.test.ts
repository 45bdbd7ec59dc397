import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { deferred, unlessAborted } from '../../../src/engine/core/deferred.ts';

const gone = new Error('gone');
const refuse = () => {
  throw gone;
};

describe('work that may be called off', () => {
  it('settles as it does, and the signal is not listened to any longer', async () => {
    const { signal } = new AbortController();
    assert.equal(await unlessAborted(Promise.resolve(5), signal, refuse), 5);
    await assert.rejects(unlessAborted(Promise.reject(new Error('broken')), signal, refuse), /broken/);
    await new Promise(setImmediate);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('is left as soon as the signal is aborted, with an answer or an error', async () => {
    const controller = new AbortController();
    const [never, late] = [deferred<number>(), deferred<number>()];
    const answered = unlessAborted(never.promise, controller.signal, () => 7);
    const refused = unlessAborted(late.promise, controller.signal, refuse);
    controller.abort();
    assert.equal(await answered, 7);
    await assert.rejects(refused, gone);
    never.resolve(1);
    late.resolve(1);
    await new Promise(setImmediate);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  });

  it('is not waited for where the signal was aborted before', async () => {
    const { promise } = deferred<number>();
    assert.equal(await unlessAborted(promise, AbortSignal.abort(), () => 7), 7);
  });
});
