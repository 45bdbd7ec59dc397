import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wrapProse } from '../../../src/commands/help/layout.ts';

describe('wrapProse', () => {
  it('fills lines up to the width and no further', () => {
    assert.deepEqual(wrapProse('aa bb cc dd', { width: 7, indent: 2 }), ['  aa bb', '  cc dd']);
  });

  it('puts a bullet before the first line only', () => {
    assert.deepEqual(wrapProse('aa bb', { width: 6, indent: 4, bullet: '- ' }), ['  - aa', '    bb']);
  });

  it('does not break code that fits a line', () => {
    assert.deepEqual(wrapProse('run `a b c` now', { width: 9, indent: 0 }), ['run', '`a b c`', 'now']);
  });

  it('lets a long word overflow rather than break it', () => {
    assert.deepEqual(wrapProse('a abcdefgh b', { width: 4, indent: 0 }), ['a', 'abcdefgh', 'b']);
  });
});
