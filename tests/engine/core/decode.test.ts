import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aCount,
  aNumber,
  aText,
  anObject,
  demand,
  document,
  fieldsOf,
  oneOf,
  orAbsent,
  orNull,
  parseJson,
  readAs,
  readList,
} from '../../../src/engine/core/decode.ts';

const aPeer = document({
  id: aText,
  state: oneOf(['up', 'down']),
  at: orNull(aCount),
  note: orAbsent(aText),
});
const refuse = (fault: string) => new Error(fault);

describe('a value from outside', () => {
  it('is read when it has the shape, whatever else it has', () => {
    const value = { id: 'a', state: 'up', at: null, later: [1] };
    assert.equal(readAs(value, aPeer), value);
  });

  it('is not read when a field is missing or of another kind', () => {
    for (const value of [null, 'a', [], {}, { id: 'a', state: 'off', at: 1 }, { id: 1, state: 'up', at: 1 }])
      assert.equal(readAs(value, aPeer), null, JSON.stringify(value));
  });

  it('is refused by the name of the field and what it must be', () => {
    const peer = { id: 'a', state: 'up', at: -1 };
    assert.throws(() => demand(peer, aPeer, { name: 'peer', refuse }), {
      message: 'peer.at must be a whole number from 0',
    });
    assert.throws(() => demand(7, orNull(aText), { name: 'title', refuse }), {
      message: 'title must be a text',
    });
    assert.throws(() => demand('x', oneOf(['up', 'down']), { name: 'state', refuse }), {
      message: 'state must be one of up, down',
    });
  });

  it('is never written out where it is refused, however large or circular it is', () => {
    const circle: unknown[] = [];
    circle.push(circle, 1n);
    for (const wanted of [aText, aNumber, anObject]) assert.equal(wanted(circle), false);
    assert.throws(() => demand(circle, aText, { name: 'body', refuse }), { message: 'body must be a text' });
  });

  it('is read as far as it can be where that is enough', () => {
    assert.deepEqual(readList(['a', 1, null, 'b'], aText), ['a', 'b']);
    assert.deepEqual(readList({ 0: 'a' }, aText), []);
    for (const value of [null, undefined, [1], 'a']) assert.deepEqual(fieldsOf(value), {});
    assert.deepEqual(
      [NaN, Infinity, '1', 1.5].map((value) => readAs(value, aNumber)),
      [null, null, null, 1.5],
    );
  });

  it('is undefined where a text is no JSON', () => {
    assert.deepEqual(parseJson('{"a":1}'), { a: 1 });
    assert.equal(parseJson('{'), undefined);
    assert.equal(parseJson('null'), null);
  });
});
