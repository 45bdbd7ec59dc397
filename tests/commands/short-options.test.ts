import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortOptionsApart } from '../../src/commands/short-options.ts';

describe('options of one letter', () => {
  it('are read one by one where they are written in one word, and nothing else is', () => {
    assert.deepEqual(shortOptionsApart(['check', '-qc', 'a.toml', '-hq']), [
      'check',
      '-q',
      '-c',
      'a.toml',
      '-h',
      '-q',
    ]);
    const whole = ['-c', 'a.toml', '-v', '--quiet', '-config', '-c=a', '-', '', 'qc', '--', '-qc'];
    assert.deepEqual(shortOptionsApart(whole), whole);
  });
});
