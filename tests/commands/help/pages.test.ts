import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allCommands } from '../../../src/commands/all.ts';
import { commandHelp } from '../../../src/commands/help/command-help.ts';
import { describe as read } from '../../../src/commands/help/describe.ts';
import { helpWidth, type HelpStyle } from '../../../src/commands/help/layout.ts';
import { familyHelp, rootHelp } from '../../../src/commands/help/root-help.ts';
import { paintWith } from '../../../src/commands/terminal/colour.ts';

const plain = { paint: paintWith(false), width: 80 };
const manual = read(allCommands);
const texts = textsIn(plain);

function textsIn(style: HelpStyle): Map<string, string> {
  return new Map([
    ['statusd', rootHelp(manual, style)],
    ...manual.pages.map((page): [string, string] => [page.words.join(' '), commandHelp(page, manual, style)]),
    ['a family', familyHelp({ kind: 'family', words: ['x'], pages: manual.pages }, style)],
  ]);
}

describe('every command', () => {
  for (const page of manual.pages) {
    const name = page.words.join(' ');

    it(`${name} has a sentence, details and examples`, () => {
      assert.match(page.summary, /^[A-Z][^.]*\.$/);
      assert.ok(page.details.trim().length > 40);
      assert.ok(page.examples.length > 0);
    });

    it(`${name} explains every argument and option`, () => {
      for (const { text, name: argument } of page.arguments) assert.match(text, /\.$/, argument);
      for (const { text, names } of page.options) assert.match(text, /\.$/, names.join());
    });

    it(`${name} names the value of an option in back quotes`, () => {
      for (const { valueName, names } of page.options) assert.notEqual(valueName, 'VALUE', names.join());
    });
  }
});

describe('the help', () => {
  for (const [name, text] of texts) {
    it(`of ${name} is plain ASCII in 80 columns and ends with a line break`, () => {
      assert.match(text, /^[\n -~]*\n$/);
      assert.ok(!text.endsWith('\n\n'));
      const long = text.split('\n').filter((line) => line.length > 80 && !line.startsWith('    statusd'));
      assert.deepEqual(long, []);
    });
  }

  for (const columns of [40, 60, 120])
    it(`fills a terminal of ${columns} columns, up to 100, and breaks no word`, () => {
      const width = helpWidth(columns);
      const narrow = textsIn({ ...plain, width });
      for (const [name, text] of narrow) {
        const lines = text.split('\n');
        // What is to be copied stays in one line, and a word is never broken.
        const prose = lines.filter((line) => !line.startsWith('    ') && line.trim().includes(' '));
        const unbroken = prose.filter((line) => !/`[^`]*`|^ {2}-|^ {2}statusd /.test(line));
        assert.deepEqual(
          unbroken.filter((line) => line.length > width),
          [],
          name,
        );
        const wide = texts.get(name) ?? '';
        assert.equal(text.replace(/\s+/g, ''), wide.replace(/\s+/g, ''), name);
      }
      const longest = Math.max(...(narrow.get('statusd') ?? '').split('\n').map(({ length }) => length));
      assert.ok(longest > width - 12, `${longest} columns of ${width}`);
    });

  it('of statusd names every command and category', () => {
    const text = texts.get('statusd') ?? '';
    for (const { words, category } of manual.pages) {
      assert.ok(text.includes(`\n  ${words.join(' ')} `), words.join(' '));
      assert.ok(text.includes(`\n${category}\n`), category);
    }
  });

  it('of a command names each of its options and the options of all', () => {
    for (const page of manual.pages) {
      const text = texts.get(page.words.join(' ')) ?? '';
      for (const { names } of [...page.options, ...manual.globalOptions]) {
        assert.ok(text.includes(names.join(', ')), names.join());
      }
    }
  });

  it('is the same with colour, but for the colour', () => {
    const coloured = rootHelp(manual, { paint: paintWith(true), width: 80 });
    assert.match(coloured, /\u001b\[1m/);

    assert.equal(coloured.replace(/\u001b\[\d+m/g, ''), texts.get('statusd'));
  });
});
