import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  charactersOf,
  fit,
  hasCharacterOver,
  jsonBytesOf,
  unitsOf,
} from '../../../src/notify/wording/fit.ts';
import { plainLine, plainLines } from '../../../src/notify/wording/plain.ts';
import { safeLink, textOf } from '../../../src/notify/wording/text.ts';
import { anyCharacter, checkProperty } from '../../support/property.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.string({ unit: 'grapheme-composite', maxLength: 200 }),
);

describe('cutting', () => {
  it('keeps to the limit in whatever is counted, and cuts between characters', () => {
    const counts = [unitsOf, jsonBytesOf, (text: string) => 2 * text.length + (text.includes('a') ? 3 : 0)];
    checkProperty(
      fc.property(anyText, fc.nat(120), fc.constantFrom(...counts), (text, limit, lengthOf) => {
        const cut = fit(text, { limit, lengthOf });
        assert.ok(lengthOf(cut) <= limit || cut === '');
        if (cut === text || cut === '') return;
        assert.ok(cut.endsWith('…'));
        const kept = cut.slice(0, -1);
        assert.ok(text.startsWith(kept));
        const ends = [...new Intl.Segmenter().segment(text)].map(({ index }) => index);
        // Blanks before the ellipsis go; what is left still ends with a character.
        const rest = text.slice(kept.length);
        const end = kept.length + (rest.length - rest.trimStart().length);
        assert.ok(ends.some((at) => at >= kept.length && at <= end) || rest === '');
      }),
      2000,
    );
  });

  it('keeps as much as there is room for', () => {
    assert.equal(fit('abcdef', { limit: 6, lengthOf: unitsOf }), 'abcdef');
    assert.equal(fit('abcdef', { limit: 5, lengthOf: unitsOf }), 'abcd…');
    assert.equal(fit('ab 👩‍👩‍👧 cd', { limit: 10, lengthOf: unitsOf }), 'ab…');
    assert.equal(fit('ééé', { limit: 5, lengthOf: jsonBytesOf }), 'é…');
    assert.equal(fit('abc', { limit: 1, lengthOf: unitsOf }), '…');
    assert.equal(fit('abc', { limit: 0, lengthOf: unitsOf }), '');
  });

  it('knows the characters of simple scripts without asking for them', () => {
    checkProperty(
      fc.property(anyText, (text) => {
        const expected = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
        assert.deepEqual([...charactersOf(text)], expected);
      }),
      2000,
    );
    const every = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code));
    for (const character of every) {
      const pair = `a${character}`;
      if (/[\ud800-\udfff]/.test(pair)) continue;
      const count = [...new Intl.Segmenter().segment(pair)].length;
      assert.equal([...charactersOf(pair)].length, count, character.codePointAt(0)?.toString(16));
    }
  });
});

describe('a character that is too long', () => {
  it('is found wherever it stands', () => {
    checkProperty(
      fc.property(anyText, fc.nat(9), fc.integer({ min: 1, max: 9 }), (around, marks, most) => {
        const text = `${around}e${'\u0301'.repeat(marks)}${around}`;
        const isThere = [...charactersOf(text)].some((character) => character.length > most);
        assert.equal(hasCharacterOver(text, most), isThere);
      }),
      500,
    );
  });
});

describe('plain text', () => {
  it('is one printable line of bounded length, whatever it was', () => {
    checkProperty(
      fc.property(anyText, fc.integer({ min: 1, max: 100 }), (text, limit) => {
        const line = plainLine(text, limit);
        assert.ok(line.length <= limit);
        assert.doesNotMatch(line, /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e]/u);
      }),
      2000,
    );
  });

  it('bounds a character that never ends', () => {
    assert.ok(plainLine(`e${'\u0301'.repeat(5000)} is down`).length <= 200);
    assert.match(plainLine(`e${'\u0301'.repeat(60)} is down`), / is down$/);
  });

  it('drops empty lines and what is too much', () => {
    assert.deepEqual(plainLines('a\n\n  \nb\r\nc\u2028d', { most: 3, maxLength: 10 }), ['a', 'b', 'c']);
  });
});

describe('the layout of a text', () => {
  it('cuts the words before the link, and the link only when it leaves them no room', () => {
    const link = 'https://status.example.com/';
    assert.equal(textOf(['x'.repeat(100)], { link }, { limit: 60 }), `${'x'.repeat(31)}…\n${link}`);
    assert.equal(textOf(['x'.repeat(100)], { link }, { limit: 30 }), `${'x'.repeat(29)}…`);
  });

  it('makes of a link an address that nothing in it can end early', () => {
    assert.equal(safeLink('https://u:p@x.example/a b"<>|'), 'https://x.example/a%20b%22%3C%3E%7C');
    assert.equal(safeLink('javascript:alert(1)'), null);
    assert.equal(safeLink('//'), null);
  });
});
