import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blocksOf, spansOf } from '../../../src/commands/help/markup.ts';

describe('blocksOf', () => {
  it('takes off the indentation that the source code has', () => {
    assert.deepEqual(blocksOf('\n      One\n      line.\n\n      Another.\n    '), [
      { kind: 'paragraph', text: 'One line.' },
      { kind: 'paragraph', text: 'Another.' },
    ]);
  });

  it('distinguishes a list from the paragraph right before it, and joins continued items', () => {
    assert.deepEqual(blocksOf('One of:\n- first\n- second,\n  continued'), [
      { kind: 'paragraph', text: 'One of:' },
      { kind: 'list', items: ['first', 'second, continued'] },
    ]);
  });

  it('keeps a literal block as it is, blank lines inside it too', () => {
    assert.deepEqual(blocksOf('Like this:\n\n    [[monitors]]\n      id = "a"\n\n    [alerts]\n\nDone.'), [
      { kind: 'paragraph', text: 'Like this:' },
      { kind: 'literal', lines: ['[[monitors]]', '  id = "a"', '', '[alerts]'] },
      { kind: 'paragraph', text: 'Done.' },
    ]);
  });

  it('finds nothing in nothing', () => {
    assert.deepEqual(blocksOf(' \n\n '), []);
  });
});

describe('spansOf', () => {
  it('cuts code out of text', () => {
    assert.deepEqual(spansOf('run `statusd check`.'), [
      { kind: 'text', text: 'run ' },
      { kind: 'code', text: 'statusd check' },
      { kind: 'text', text: '.' },
    ]);
  });

  it('leaves a lone back quote where it is', () => {
    assert.deepEqual(spansOf('a ` b'), [{ kind: 'text', text: 'a ` b' }]);
  });
});
