import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonPathFault } from '../../../src/engine/config/json-path-fault.ts';
import { compileJsonQuery } from '../../../src/engine/probes/http/json-query.ts';
import {
  equals,
  literal,
  pathText,
  quotePattern,
  readPath,
  whenAll,
} from '../../../src/commands/import/json-path.ts';
import { checkProperty } from '../../support/property.ts';

const found = async (query: string, document: unknown) => {
  assert.equal(await jsonPathFault(query), null, query);
  const reading = (await compileJsonQuery(query))(JSON.stringify(document));
  return reading.kind === 'unreadable' ? null : reading.values;
};

describe('readPath', () => {
  it('reads the paths of JSONata', () => {
    assert.deepEqual(readPath('a.b[0].c'), ['a', 'b', 0, 'c']);
    assert.deepEqual(readPath('$.`first name`[-1]'), ['first name', -1]);
    assert.deepEqual(readPath('$'), []);
  });

  it('takes nothing for a path that is more than one', () => {
    const queries = [
      '$sum(a)',
      'a[b=1]',
      'a-b',
      'a + 1',
      '$x',
      'a.*',
      'true',
      '"text"',
      'a["b"]',
      '(a).b',
      'a..b',
      'a.',
    ];
    for (const query of queries) assert.equal(readPath(query), null, query);
  });

  it('makes queries that find what the path leads to', async () => {
    const document = { a: { 'first name': ['x', { c: 7 }] } };
    const steps = readPath('a.`first name`[1].c') ?? [];
    assert.deepEqual(await found(pathText(steps), document), [7]);
  });

  it('never makes a query that does not compile', async () => {
    const queries: string[] = [];
    checkProperty(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat(1000)), { maxLength: 5 }),
        (steps) => {
          queries.push(pathText(steps));
        },
      ),
      100,
    );
    for (const query of queries) assert.equal(await jsonPathFault(query), null, query);
  });
});

describe('equals', () => {
  it('takes a text for the number or boolean that is written like it', async () => {
    const query = (text: string) => whenAll([equals('$.a', text)]);
    for (const [text, value] of [
      ['5', 5],
      ['5', '5'],
      ['true', true],
      ['it\'s \\ "so"\n', 'it\'s \\ "so"\n'],
    ] as const) {
      assert.equal((await found(query(text), { a: value }))?.length, 1, text);
      assert.equal((await found(query(text), { a: 'other' }))?.length, 0, text);
    }
  });
});

describe('quotePattern', () => {
  it('makes a pattern that matches the text itself', async () => {
    for (const text of ['a.b*c', '(x)|[y]{2}', '1/2-3', 'C:\\dir$^+?']) {
      const query = whenAll([`match($.a, ${literal(quotePattern(text))})`]);
      assert.equal((await found(query, { a: text }))?.length, 1, text);
      assert.equal((await found(query, { a: `${text}x` }))?.length, 0, text);
    }
  });
});
