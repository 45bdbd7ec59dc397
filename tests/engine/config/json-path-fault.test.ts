import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonPathFault } from '../../../src/engine/config/json-path-fault.ts';

describe('a JSONPath query', () => {
  const good = [
    '$',
    '$.status',
    "$['a b'][0]",
    '$..name',
    '$.list[?@.n > 1].name',
    '$[?match(@.name, "a.*")]',
    '$[?search(@.name, "(foo|bar)")]',
    '$[?length(@.a) == 1]',
  ];
  for (const query of good) {
    it(`is taken: ${query}`, async () => {
      assert.equal(await jsonPathFault(query), null);
    });
  }

  for (const query of [
    'status',
    '$.',
    '$[?',
    '',
    '$.a b',
    '$[?length(@)]',
    '$[?nosuch(@.a)]',
    '$[?match(@.a)]',
  ]) {
    it(`is refused when it is none: ${query}`, async () => {
      assert.equal((await jsonPathFault(query))?.message, 'must be a JSONPath query (RFC 9535)');
    });
  }

  it('is refused when its pattern comes out of the document', async () => {
    const message = 'must have the patterns of match() and search() as literal text';
    assert.equal((await jsonPathFault('$[?match(@.name, $.pattern)]'))?.message, message);
    assert.equal((await jsonPathFault('$[?search(@.name, @.pattern)]'))?.message, message);
  });

  it('is refused when its pattern is none, or too costly', async () => {
    assert.equal(
      (await jsonPathFault('$[?match(@.name, "(")]'))?.message,
      'has a pattern that is not a regular expression in RE2 syntax',
    );
    assert.equal(
      (await jsonPathFault('$[?search(@.name, "(?:a?){200}b")]'))?.message,
      'has a pattern that is too costly a regular expression',
    );
  });
});
