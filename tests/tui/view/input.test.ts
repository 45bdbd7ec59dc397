import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Key } from 'ink';
import { createStrokeReader } from '../../../src/tui/view/input.ts';

const noKey = {} as Key;
const keyOf = (parts: Partial<Key>) => ({ ...noKey, ...parts });

describe('what comes from a keyboard', () => {
  it('is key after key, also in one piece', () => {
    const strokesOf = createStrokeReader();
    assert.deepEqual(strokesOf('1x\u007fh\tw\u0015\r?', noKey), [
      ['1', '1'],
      ['x', 'x'],
      ['backspace', ''],
      ['h', 'h'],
      ['tab', ''],
      ['w', 'w'],
      ['ctrl-u', ''],
      ['enter', ''],
      ['?', '?'],
    ]);
    assert.deepEqual(strokesOf('é👩‍👩‍👧', noKey), [
      ['é', 'é'],
      ['👩‍👩‍👧', '👩‍👩‍👧'],
    ]);
    assert.deepEqual(strokesOf('', keyOf({ upArrow: true })), [['up', '']]);
    assert.deepEqual(strokesOf('c', keyOf({ ctrl: true })), [['ctrl-c', '']]);
  });

  it('is text where it is pasted, whatever its characters do as keys', () => {
    const strokesOf = createStrokeReader();
    assert.deepEqual(strokesOf('[200~', noKey), []);
    assert.deepEqual(strokesOf('q\r\nmail\u0003\tb', noKey), [['paste', 'q mail b']]);
    assert.deepEqual(strokesOf('', keyOf({ return: true })), [['paste', ' ']]);
    assert.deepEqual(strokesOf('', keyOf({ upArrow: true })), []);
    assert.deepEqual(strokesOf('', keyOf({ escape: true })), []);
    assert.deepEqual(strokesOf('l', keyOf({ ctrl: true })), []);
    assert.deepEqual(strokesOf('[201~', noKey), []);
    assert.deepEqual(strokesOf('q', noKey), [['q', 'q']]);
  });

  it('is interrupted by Ctrl-C also in a paste that never ends', () => {
    const strokesOf = createStrokeReader();
    strokesOf('[200~', noKey);
    assert.deepEqual(strokesOf('c', keyOf({ ctrl: true })), [['ctrl-c', '']]);
    assert.deepEqual(strokesOf('q', noKey), [['q', 'q']]);
  });
});
