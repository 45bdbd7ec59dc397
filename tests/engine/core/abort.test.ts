import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { onAbort } from '../../../src/engine/core/abort.ts';

describe('waiting with a signal again and again', () => {
  it('calls everyone who still waits once, when the signal is aborted', () => {
    const stopping = new AbortController();
    const called: string[] = [];
    onAbort(stopping.signal, () => called.push('first'));
    onAbort(stopping.signal, () => called.push('called off'))();
    onAbort(stopping.signal, () => called.push('last'));
    assert.deepEqual(called, []);
    stopping.abort();
    stopping.abort();
    assert.deepEqual(called, ['first', 'last']);
  });

  it('leaves one listener at a signal, however often it is waited with', () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 20; count += 1) onAbort(signal, () => undefined)();
    assert.equal(getEventListeners(signal, 'abort').length, 1);
  });

  it('does not call one that is called off by another while they are called', () => {
    const stopping = new AbortController();
    const called: string[] = [];
    let callOff = (): void => undefined;
    onAbort(stopping.signal, () => {
      called.push('first');
      callOff();
    });
    callOff = onAbort(stopping.signal, () => called.push('second'));
    stopping.abort();
    assert.deepEqual(called, ['first']);
  });
});
