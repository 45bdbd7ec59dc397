import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { commentLines, commentText, tomlString } from '../../../src/commands/document/toml.ts';
import { expandTable } from '../../../src/engine/config/expand.ts';
import { atOnce } from '../../../src/engine/core/yielding.ts';
import { parseToml } from '../../../src/engine/config/parse.ts';
import { anyCharacter, checkProperty } from '../../support/property.ts';

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"', '\\', '\n', '${HOME}', '$$', '"""', '\u001b[2J', '\u202e', '\u2028', '#', '\r\n[[x]]'),
);

describe('tomlString', () => {
  it('comes back as it was from the loader, variables and all', () => {
    checkProperty(
      fc.property(fc.array(hostile, { maxLength: 6 }), (parts) => {
        const text = parts.join('').replace(/\p{Cs}/gu, '');
        const parsed = parseToml(`key = ${tomlString(text)}`);
        assert.ok('table' in parsed);
        assert.equal(atOnce(expandTable(parsed.table, { HOME: 'x' })).table['key'], text);
      }),
      500,
    );
  });

  it('shows nothing that acts on a terminal', () => {
    assert.equal(tomlString('\u001b[2J\u202e\u007f'), '"\\U0000001B[2J\\U0000202E\\U0000007F"');
  });
});

describe('commentText', () => {
  it('cannot end a comment or be longer than a few lines', () => {
    checkProperty(
      fc.property(fc.array(hostile, { maxLength: 40 }), (parts) => {
        const lines = commentLines(commentText(parts.join('')));
        for (const line of lines) assert.match(line, /^# /);
        const parsed = parseToml(lines.join('\n'));
        assert.deepEqual('table' in parsed && Object.keys(parsed.table), []);
        assert.ok(lines.join('\n').length < 400);
      }),
      500,
    );
  });

  it('is one printable line', () => {
    assert.equal(commentText('a\r\n[[evil]]\u001b[31m\u0000\u202e  b'), 'a [[evil]]\\x00 b');
  });
});

describe('commentLines', () => {
  it('breaks between words', () => {
    assert.deepEqual(commentLines('aa bb cc', 8), ['# aa bb', '# cc']);
  });
});
