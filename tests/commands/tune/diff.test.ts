import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unifiedDiff } from '../../../src/commands/tune/diff.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe('a patch of the configuration', () => {
  it('is empty when nothing changes', () => {
    assert.equal(unifiedDiff('a.toml', numbered(5), { edits: [], context: 3 }), '');
  });

  it('gives each change three lines of context and counts what came before', () => {
    const edits = [
      { line: 19, removed: 1, added: ['twenty'] },
      { line: 1, removed: 0, added: ['one and a half'] },
    ];
    assert.equal(
      unifiedDiff('a.toml', [...numbered(30), ''], { edits, context: 3 }),
      [
        '--- a/a.toml',
        '+++ b/a.toml',
        '@@ -1,4 +1,5 @@',
        ' line 1',
        '+one and a half',
        ' line 2',
        ' line 3',
        ' line 4',
        '@@ -17,7 +18,7 @@',
        ' line 17',
        ' line 18',
        ' line 19',
        '-line 20',
        '+twenty',
        ' line 21',
        ' line 22',
        ' line 23',
        '',
      ].join('\n'),
    );
  });

  it('joins changes whose context meets, and keeps the order of two in one place', () => {
    const edits = [
      { line: 2, removed: 0, added: ['x'] },
      { line: 2, removed: 0, added: ['y'] },
      { line: 8, removed: 1, added: ['z'] },
    ];
    const text = unifiedDiff('a.toml', [...numbered(12), ''], { edits, context: 3 });
    assert.equal(text.match(/^@@/gm)?.length, 1);
    assert.match(text, /line 2\n\+x\n\+y\n line 3/);
    assert.match(text, /@@ -1,12 \+1,14 @@/);
  });

  it('says when the file does not end with a line break, and keeps the breaks of DOS', () => {
    const text = unifiedDiff('/etc/a.toml', ['id = "a"\r', 'x = 1'], {
      edits: [{ line: 1, removed: 0, added: ['y = 2\r'] }],
      context: 3,
    });
    assert.equal(
      text,
      '--- a/etc/a.toml\n+++ b/etc/a.toml\n@@ -1,2 +1,3 @@\n id = "a"\r\n+y = 2\r\n x = 1\n\\ No newline at end of file\n',
    );
  });
});
