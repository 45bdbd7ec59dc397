import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counted, inWords, numberText } from '../../../src/engine/core/words.ts';

describe('a number in a sentence', () => {
  it('has a comma between its thousands', () => {
    const numbers = [0, 999, 2000, 123_456, 4_317_983].map(numberText);
    assert.deepEqual(numbers, ['0', '999', '2,000', '123,456', '4,317,983']);
  });

  it('agrees with what it counts', () => {
    assert.equal(counted(1, 'monitor'), '1 monitor');
    assert.equal(counted(0, 'monitor'), '0 monitors');
    assert.equal(counted(2000, 'retry', 'retries'), '2,000 retries');
  });
});

it('a list is names with an "and", and no more of them than asked for', () => {
  const names = ['api', 'web', 'db', 'mail'];
  assert.deepEqual(
    [0, 1, 2, 3].map((count) => inWords(names.slice(0, count))),
    ['', 'api', 'api and web', 'api, web and db'],
  );
  assert.equal(inWords(names, 3), 'api, web and 2 more');
});
