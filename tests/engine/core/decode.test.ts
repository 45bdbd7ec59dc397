import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aCount,
  aFlag,
  aList,
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

  it('is refused with the name of the field and its valid form', () => {
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

  it('is refused with its valid form and the path of the field', () => {
    const fault = (value: unknown, wanted: Parameters<typeof demand>[1], name = 'it') => {
      try {
        demand(value, wanted, { name, refuse });
        return null;
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.equal(fault(1, aFlag), 'it must be true or false');
    assert.equal(fault('1', aNumber), 'it must be a number');
    assert.equal(fault([], anObject), 'it must be an object');
    assert.equal(fault({}, aList), 'it must be a list');
    assert.equal(fault({ id: 1, state: 'up', at: 1 }, aPeer, ''), 'id must be a text');
    for (const [value, wanted] of [
      [true, aFlag],
      [false, aFlag],
      [[], aList],
      [{}, anObject],
      [0, aCount],
    ] as const)
      assert.equal(fault(value, wanted), null, JSON.stringify(value));
    for (const value of [-1, 1.5, NaN, 2 ** 53, '1', null])
      assert.equal(fault(value, aCount), 'it must be a whole number from 0', String(value));
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
