import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asciiGlyphs, glyphsFor, unicodeGlyphs } from '../../../src/commands/terminal/glyphs.ts';

test('a UTF-8 locale gets Unicode marks', () => {
  assert.equal(glyphsFor({ LANG: 'de_DE.UTF-8' }), unicodeGlyphs);
  assert.equal(glyphsFor({ LC_ALL: '', LC_CTYPE: 'C.utf8', LANG: 'C' }), unicodeGlyphs);
});

test('any other locale, the Linux console and a dumb terminal get ASCII marks', () => {
  assert.equal(glyphsFor({}), asciiGlyphs);
  assert.equal(glyphsFor({ LC_ALL: 'C', LANG: 'en_GB.UTF-8' }), asciiGlyphs);
  assert.equal(glyphsFor({ LANG: 'en_GB.UTF-8', TERM: 'linux' }), asciiGlyphs);
  assert.equal(glyphsFor({ LANG: 'en_GB.UTF-8', TERM: 'dumb' }), asciiGlyphs);
});

test('ASCII marks are ASCII', () => {
  assert.match(Object.values(asciiGlyphs).flat().join(''), /^[ -~]+$/);
});
