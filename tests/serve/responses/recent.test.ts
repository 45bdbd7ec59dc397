import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRecent } from '../../../src/serve/responses/recent.ts';

describe('the latest forms', () => {
  it('are made once, and forgotten when others of the same thing were asked for since', () => {
    const made: string[] = [];
    const recent = createRecent<string>(2);
    const find = (id: string, wanted: string) =>
      recent.find(
        id,
        (form) => form === wanted,
        () => {
          made.push(`${id}${wanted}`);
          return wanted;
        },
      );
    for (const wanted of ['x', 'y', 'x', 'y', 'x']) assert.equal(find('a', wanted), wanted);
    assert.deepEqual(made, ['ax', 'ay']);
    find('b', 'x');
    find('a', 'z');
    find('a', 'x');
    assert.deepEqual(made, ['ax', 'ay', 'bx', 'az']);
    find('a', 'y');
    assert.deepEqual(made.at(-1), 'ay');
  });
});
