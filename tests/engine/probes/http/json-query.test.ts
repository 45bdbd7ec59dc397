import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PatternError } from '../../../../src/engine/config/pattern.ts';
import { compileJsonQuery } from '../../../../src/engine/probes/http/json-query.ts';

async function find(query: string, document: unknown): Promise<unknown> {
  const ask = await compileJsonQuery(query);
  const queryResult = ask(typeof document === 'string' ? document : JSON.stringify(document));
  return queryResult.kind === 'values' ? queryResult.values : queryResult.why;
}

describe('a JSONPath query', () => {
  const store = {
    books: [
      { title: 'One', price: 8.95, tags: ['a'] },
      { title: 'Two', price: 22.99, isbn: '0-395' },
    ],
    bicycle: { color: 'red', price: 399 },
  };

  it('finds what RFC 9535 says it finds', async () => {
    assert.deepEqual(await find('$.books[*].title', store), ['One', 'Two']);
    assert.deepEqual(await find('$..price', store), [8.95, 22.99, 399]);
    assert.deepEqual(await find('$.books[?@.price < 10].title', store), ['One']);
    assert.deepEqual(await find('$.books[-1:]', store), [store.books[1]]);
    assert.deepEqual(await find('$.books[?@.isbn]', store), [store.books[1]]);
    assert.deepEqual(await find('$.books[?count(@.tags) == 1].title', store), ['One']);
    assert.deepEqual(await find('$.books[?length(@.title) == 3 && value(@..isbn) == "0-395"].title', store), [
      'Two',
    ]);
    assert.deepEqual(await find('$.books[?@ == $.books[0]].title', store), ['One']);
    assert.deepEqual(await find('$.none', store), []);
    assert.deepEqual(await find('$', '5'), [5]);
    assert.deepEqual(await find("$['__proto__']", '{"__proto__":1}'), [1]);
    assert.deepEqual(await find('$.constructor', {}), []);
  });

  it('matches whole texts with match() and parts of them with search()', async () => {
    const names = ['ab', 'aab', 'xaby', 5];
    assert.deepEqual(await find("$[?match(@, 'a+b')]", names), ['ab', 'aab']);
    assert.deepEqual(await find("$[?search(@, 'a+b')]", names), ['ab', 'aab', 'xaby']);
    assert.deepEqual(await find("$[?match(@, 'ab|xaby')]", names), ['ab', 'xaby']);
    assert.deepEqual(await find("$[?match(@, '')]", ['', 'a']), ['']);
  });

  it('takes patterns in linear time, and none from the body', async () => {
    const evil = `${'a'.repeat(10_000)}!`;
    const startedAt = performance.now();
    assert.deepEqual(await find("$[?match(@, '(a|aa)+')]", [evil]), []);
    assert.ok(performance.now() - startedAt < 1000, 'JavaScript would not come back from this');
    await assert.rejects(compileJsonQuery("$[?match(@.a, '(?=x)')]"), PatternError);
    await assert.rejects(compileJsonQuery('$[?match(@.a, @.b)]'), PatternError);
    await assert.rejects(compileJsonQuery('$[?search(@.a, $.b)]'), PatternError);
  });

  it('gives up on a body that would keep it too long', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    assert.equal(await find('$..a', deep), 'is nested more than 64 levels deep');
    const wide = new Array(50_000).fill([0]);
    assert.equal(await find('$..[?@..*]', wide), 'is too large for this query');
    assert.equal(
      await find("$[?search(@, 'x')]", new Array(2000).fill('y'.repeat(50))),
      'has more text than match() and search() may look at',
    );
    assert.equal(
      await find('$[?count($[*]) > 1]', new Array(150_000).fill(0)),
      'is too large for this query',
    );
  });

  it('has its full deadline for every body', async () => {
    const ask = await compileJsonQuery("$[?search(@, 'x')]");
    const body = JSON.stringify(new Array(1000).fill('y'.repeat(50)));
    for (let count = 0; count < 5; count += 1) assert.equal(ask(body).kind, 'values');
  });

  it('says when a body is no JSON', async () => {
    for (const body of ['', 'nul', '{', '{"a":1}x', "{'a':1}", 'NaN'])
      assert.equal(await find('$', body), 'is not JSON');
  });
});
