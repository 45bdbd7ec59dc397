import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toJson } from '../../../src/commands/terminal/json.ts';
import { anyCharacter, checkProperty } from '../../support/property.ts';

test('characters that act on a terminal are escaped', () => {
  assert.equal(
    toJson('a\u007f\u009b\u2028\u202e\u2066\u200b\ufeff'),
    '"a\\u007f\\u009b\\u2028\\u202e\\u2066\\u200b\\ufeff"',
  );
  assert.equal(toJson('\u{e0041}'), '"\\udb40\\udc41"');
});

test('the value stays what it was', () => {
  checkProperty(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const json = toJson({ text });
      assert.deepEqual(JSON.parse(json), { text });
      assert.doesNotMatch(json, /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u);
    }),
    1000,
  );
});

test('an indent sets every value on a line of its own', () => {
  assert.equal(toJson({ a: [1] }, 2), '{\n  "a": [\n    1\n  ]\n}');
});
