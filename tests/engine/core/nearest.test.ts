import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../../../src/engine/core/nearest.ts';

const known = ['interval_secs', 'timeout_secs', 'target', 'tags', 'id', 'public', 'public_error_detail'];

describe('the nearest known word', () => {
  const cases: readonly (readonly [word: string, found: string | null])[] = [
    ['target', 'target'],
    ['traget', 'target'],
    ['tagret', 'target'],
    ['intervl_secs', 'interval_secs'],
    ['interval_sec', 'interval_secs'],
    ['intervalsecs', 'interval_secs'],
    ['interval', 'interval_secs'],
    ['timeout', 'timeout_secs'],
    ['Target', 'target'],
    ['publi', 'public'],
    ['ie', 'id'],
    ['xy', null],
    ['colour', null],
    ['', null],
    ['i', 'id'],
    ['t'.repeat(100_000), null],
  ];
  for (const [word, found] of cases) {
    it(`to ${word.slice(0, 20) || 'nothing'} is ${String(found)}`, () => {
      assert.equal(nearest(word, known), found);
    });
  }

  it('of two that are equally near is the first', () => {
    assert.equal(nearest('cat', ['bat', 'hat']), 'bat');
    assert.equal(nearest('cat', ['hat', 'bat']), 'hat');
  });

  it('is null among none', () => {
    assert.equal(nearest('a', []), null);
  });
});
