import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseParts } from '../../../src/engine/config/parse-parts.ts';
import { parseToml } from '../../../src/engine/config/parse.ts';
import { atOnce } from '../../../src/engine/core/yielding.ts';

const monitor = (index: number, more = '') => `[[monitors]]\nid = "m${index}"\n# ${'-'.repeat(500)}\n${more}`;
const monitors = (from: number, to: number, more = '') =>
  Array.from({ length: to - from }, (_, index) => monitor(from + index, more)).join('');

/** Long texts, each of which parts must not change. */
const texts: Readonly<Record<string, string>> = {
  'monitors alone': monitors(0, 300),
  'monitors behind tables': `[page]\ntitle = "x"\n${monitors(0, 300)}`,
  'tables behind monitors': `${monitors(0, 300)}[page]\ntitle = "x"\n`,
  'tables of monitors': monitors(0, 300, '[monitors.headers]\nA = "b"\n[[monitors.steps]]\nurl = "c"\n'),
  'lists between monitors': `[[maintenance]]\ntitle = "first"\n${monitors(0, 150)}[[maintenance]]\ntitle = "second"\n${monitors(150, 300)}[[maintenance]]\ntitle = "third"\n`,
  'lists that begin between monitors': `${monitors(0, 100)}[[maintenance]]\ntitle = "a"\n${monitors(100, 200)}[[maintenance]]\ntitle = "b"\n${monitors(200, 300)}`,
  'a table that goes on': `[server]\nbind = "a"\n${monitors(0, 300)}[server.group_tokens]\na = "b"\n`,
  'headings in a string': monitors(0, 300, `body = """\n${monitors(0, 3).repeat(30)}"""\n`),
  'a day in a string': monitors(0, 300, `body = """\nx = 2026-02-30\n${monitors(0, 3).repeat(30)}"""\n`),
  'Windows line ends': monitors(0, 300).replaceAll('\n', '\r\n'),
  'an indented heading': monitors(0, 300).replaceAll('[[monitors]]', '  [[ monitors ]] # one'),
  'a separator that is no line end': monitors(0, 300, '# \u2028[[monitors]]\n'),
  'a key that means something to JavaScript': `${monitors(0, 200)}[__proto__]\na = 1\n${monitors(200, 300)}`,
  'a mistake at the end': `${monitors(0, 300)}[page\n`,
  'a mistake between': `${monitors(0, 150)}id == 3\n${monitors(150, 300)}`,
  'a table given twice': `[page]\na = 1\n${monitors(0, 300)}[page]\nb = 2\n`,
  'a list of another kind': `monitors = []\n${monitors(0, 300)}`,
  'a list of another kind under another name': `peers = []\n${monitors(0, 300)}[[peers]]\nid = "a"\n`,
  'a string without an end': monitors(0, 300, 'body = """\n'),
  'a day that does not exist': `${monitors(0, 300)}[[maintenance]]\nstart = 2026-02-30\n`,
};

describe('a text in parts', () => {
  for (const [what, text] of Object.entries(texts)) {
    it(`is what it is as a whole: ${what}`, () => {
      const inParts = atOnce(parseParts(text));
      const whole = parseToml(text);
      if ('fault' in whole) assert.deepEqual(inParts, whole);
      else {
        assert.ok('table' in inParts);
        assert.equal(JSON.stringify(inParts.table), JSON.stringify(whole.table));
      }
    });
  }

  it('is several parts, that are as long as the text together', () => {
    const text = texts['lists that begin between monitors'] ?? '';
    const reading = atOnce(parseParts(text));
    assert.ok('parts' in reading);
    assert.ok(reading.parts.length > 3);
    assert.equal(reading.parts.map((part) => part.text).join(''), text);
  });

  it('is one part when it is short', () => {
    const reading = atOnce(parseParts(monitors(0, 10)));
    assert.ok('parts' in reading);
    assert.equal(reading.parts.length, 1);
  });
});
