import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wordsOf } from '../../src/commands/words.ts';

describe('wordsOf', () => {
  it('leaves options and their values out', () => {
    assert.deepEqual(wordsOf(['-c', 'file', 'check', '--json', 'api'], ['-c', '--config']), ['check', 'api']);
  });

  it('takes --option=value for one option', () => {
    assert.deepEqual(wordsOf(['--config=file', 'check'], ['--config']), ['check']);
  });

  it('takes a lone hyphen, and everything after two, for words', () => {
    assert.deepEqual(wordsOf(['-', '--', '-c', '--'], ['-c']), ['-', '-c', '--']);
  });
});
