import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundedText, cleanLine, cleanLines, cutText, replaceHidden } from '../../../src/engine/core/text.ts';
import { anyCharacter, checkProperty } from '../../support/property.ts';

const escape = '\u001b';

test('printable text passes as it is', () => {
  for (const text of ['', 'plain ~ text', 'Zażółć gęślą jaźń', '日本語', '🙂', 'a\\b'])
    assert.equal(cleanLine(text), text);
});

test('escape sequences are taken out whole', () => {
  assert.equal(cleanLine(`${escape}[1;31mred${escape}[0m`), 'red');
  assert.equal(cleanLine(`a${escape}[2J${escape}[Hb`), 'ab');
  assert.equal(cleanLine(`${escape}]0;owned\u0007title`), 'title');
  assert.equal(cleanLine(`${escape}]8;;http://x/${escape}\\link${escape}]8;;${escape}\\`), 'link');
  assert.equal(cleanLine(`${escape}P1$r${escape}\\dcs`), 'dcs');
  assert.equal(cleanLine('\u009b31mred\u009d0;x\u009cy'), 'redy');
  assert.equal(cleanLine(`${escape}cfull reset`), 'full reset');
});

test('what taking a sequence out leaves behind is not a sequence', () => {
  assert.equal(cleanLine(`${escape}${escape}[0m[31mred`), '\\x1b[31mred');
  assert.equal(cleanLine(escape), '\\x1b');
  assert.equal(cleanLine(`${escape}]0;never ended`), '0;never ended');
});

test('other control characters are spelled out', () => {
  assert.equal(cleanLine('a\u0000b\u0007c\u007fd\u0080e'), 'a\\x00b\\x07c\\x7fd\\x80e');
});

test('line breaks of every kind become one space, tabs two', () => {
  assert.equal(cleanLine('a\r\nb\nc\rd\u0085e\u2028f\u2029g\vh\fi'), 'a b c d e f g h i');
  assert.equal(cleanLine('a\tb'), 'a  b');
});

test('characters that show nothing are taken out', () => {
  assert.equal(
    cleanLine('\u202egnp\u202c.\u2066exe\u2069\u200b\u200d\ufeff\u00ad\u061c\u{e0041}'),
    'gnp.exe',
  );
});

test('emoji that are several characters joined stay whole, and nothing else is joined', () => {
  const family = '👩\u200d👩\u200d👧\u200d👦';
  const england = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
  const whole = [family, '🏳️\u200d🌈', '❤️\u200d🔥', '🧑🏻\u200d❤️\u200d💋\u200d🧑🏼', '🐈\u200d⬛', england];
  for (const emoji of whole) assert.equal(cleanLine(`a ${emoji} b\u200d${emoji}`), `a ${emoji} b${emoji}`);
  for (const [joined, bare] of [
    ['pay\u200dpal', 'paypal'],
    ['👩\u200da', '👩a'],
    ['1\u200d2', '12'],
    [`${family}\u200d`, family],
    [`👩\u200d\u200d👦`, '👩👦'],
    // A chain that is no emoji is a row of them, as wide as it is counted.
    ['👩\u200d👩\u200d👩\u200d👩\u200d👩', '👩👩👩👩👩'],
    [`x\u{e0041}${england}\u{e0041}`, `x${england}`],
  ] as const)
    assert.equal(cleanLine(joined), bare);
});

test('half a surrogate pair becomes the replacement character', () => {
  assert.equal(cleanLine('a\ud83d b\ude00'), 'a\ufffd b\ufffd');
});

test('lines are cleaned one by one and blank ones at the end dropped', () => {
  assert.deepEqual(cleanLines(`one  \r\n\r\n${escape}[31mtwo${escape}[0m\tx\n\n`), ['one', '', 'two  x']);
  assert.deepEqual(cleanLines(''), []);
});

test('no text whatever leaves a control, a separator or a hidden character', () => {
  const forbidden = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
  const unit = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(escape, '\u009b', `${escape}]`, '[', '\u0007', '\\', 'm', '\u202e', '\ud800', '\n'),
  );
  checkProperty(
    fc.property(fc.array(unit), (parts) => {
      const text = parts.join('');
      assert.doesNotMatch(cleanLine(text), forbidden);
      for (const line of cleanLines(text)) assert.doesNotMatch(line, forbidden);
    }),
    2000,
  );
});

test('cleaning takes time linear in the text', () => {
  const size = 200_000;
  for (const unit of [`${escape}]`, '\u009d', `${escape}[`, `${escape}P1`, '\u009b1;', `${escape} `]) {
    const text = unit.repeat(size / unit.length);
    // Processor time: what else the machine is doing is not what is measured.
    const start = process.cpuUsage();
    cleanLine(text);
    const ms = process.cpuUsage(start).user / 1000;
    assert.ok(ms < 5000, `${JSON.stringify(unit)} took ${ms} ms`);
  }
});

test('text is cut between characters as a reader sees them', () => {
  assert.equal(cutText('short', 5), 'short');
  assert.equal(cutText('too long', 5), 'too …');
  assert.equal(cutText('ab🙂🙂', 5), 'ab🙂…');
  assert.equal(cutText('abe\u0301e\u0301', 5), 'abe\u0301…');
  assert.equal(cutText('toolong', 5, '...'), 'to...');
});

test('text for a channel is without control characters, on one line or with its line breaks', () => {
  const written = `  ${escape}[31mred\r\none\ttab\u0007bell\u2028end\n\n`;
  assert.equal(boundedText(written, 100, ' '), 'red one tabbell end');
  assert.equal(boundedText(written, 100, '\n'), 'red\none tabbell\nend');
});

test('text for a channel is cut without a sign, between characters as a reader sees them', () => {
  assert.equal(boundedText('abcdef', 4, ' '), 'abcd');
  assert.equal(boundedText('abcdef', 6, ' '), 'abcdef');
  assert.equal(boundedText('ab🙂🙂', 5, ' '), 'ab🙂');
  assert.equal(
    boundedText(`   ${'\u0000'.repeat(50)}abc`, 3, ' '),
    'abc',
    'what is taken out does not count',
  );
});

test('hidden characters can be spelled out instead', () => {
  assert.equal(
    replaceHidden('a\u202eb\u2028c\u{e0041}d', (character) => `<${character.length}>`),
    'a<1>b<1>c<2>d',
  );
});
