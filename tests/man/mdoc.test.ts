import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mdocArgument, mdocFlag, mdocLiteral, mdocParagraph, mdocProse } from '../../man/mdoc.ts';
import { checkProperty } from '../support/property.ts';

describe('mdocParagraph', () => {
  it('begins a line with every sentence, and breaks long ones', () => {
    assert.deepEqual(mdocParagraph('One. Two (three). 1.5 is no end.'), [
      'One.',
      'Two (three).',
      '1.5 is no end.',
    ]);
    for (const line of mdocParagraph('word '.repeat(50))) assert.ok(line.length <= 78);
  });

  it('never begins a line with what would be a macro', () => {
    assert.deepEqual(mdocParagraph(`.Sh evil`), ['\\&.Sh evil']);
    assert.deepEqual(mdocParagraph("A. 'tis"), ['A.', "\\&'tis"]);
    assert.deepEqual(mdocParagraph('`.x` y'), ['\\fB.x\\fR y']);
  });

  it('keeps what is typed as it is typed, and joins what is joined', () => {
    assert.deepEqual(mdocParagraph('run (`a --b \\n`), or "c"'), [
      'run (\\fBa\\fR \\fB\\-\\-b\\fR \\fB\\en\\fR), or \\(dqc\\(dq',
    ]);
  });

  it('sets the name of a value in another font', () => {
    assert.deepEqual(mdocParagraph('Write `FILE` as `x`.', 'FILE'), ['Write \\fIFILE\\fR as \\fBx\\fR.']);
  });

  it('spells out what is not ASCII', () => {
    assert.deepEqual(mdocParagraph('a × b'), ['a \\[u00D7] b']);
  });
});

describe('mdocProse', () => {
  it('writes paragraphs, lists and literal blocks', () => {
    assert.deepEqual(mdocProse('One:\n- a\n- b\n\n    .code\n\nTwo.'), [
      'One:',
      '.Pp',
      '.Bl -bullet -compact',
      '.It',
      'a',
      '.It',
      'b',
      '.El',
      '.Bd -literal -offset indent',
      '\\&.code',
      '.Ed',
      '.Pp',
      'Two.',
    ]);
  });
});

describe('mdocArgument', () => {
  it('is never a macro, a punctuation mark or two arguments', () => {
    assert.equal(mdocArgument('Sh'), '\\&Sh');
    assert.equal(mdocArgument('.'), '\\&.');
    assert.equal(mdocArgument('a b'), '"a b"');
    assert.equal(mdocFlag('--config'), 'Fl \\-config');
  });
});

describe('mandoc', { skip: spawnSync('mandoc', ['-Tlint', '/dev/null']).error !== undefined }, () => {
  /** What a reader sees: the text of a page, without the spaces and breaks that filling makes. */
  const rendered = (lines: readonly string[]) => {
    const page = ['.Dd November 1, 2026', '.Dt X 1', '.Os', '.Sh NAME', '.Nm x', '.Nd y', '.Sh DESCRIPTION'];
    const { stdout } = spawnSync('mandoc', ['-Tutf8', '-Owidth=500'], {
      input: `${[...page, ...lines].join('\n')}\n`,
      encoding: 'utf8',
    });
    // A bold letter is the letter, a backspace and the letter again; an italic one is underlined.

    const plain = stdout.replace(/.\u0008/gu, '');
    return /DESCRIPTION\n([\s\S]*)\n\n.*November/.exec(plain)?.[1] ?? '';
  };

  const character = fc.constantFrom(
    ...'.\'`-\\"~^$[](){}|<>&%#*_:;,!?/ abcABC09'.split(''),
    'Sh',
    '\\fB',
    '\\(dq',
    '.Pp',
  );
  const words = fc
    .array(character, { maxLength: 12 })
    .map((parts) => parts.join('').replace(/\s+/g, ' ').trim());

  it('shows literal lines as they were, whatever they hold', () => {
    checkProperty(
      fc.property(fc.array(words, { minLength: 1, maxLength: 20 }), (lines) => {
        const shown = rendered(mdocLiteral(lines))
          .split('\n')
          .map((line) => line.trim());
        assert.deepEqual(shown.filter(Boolean), lines.filter(Boolean));
      }),
      25,
    );
  });

  it('shows code in prose as it was, whatever it holds', () => {
    checkProperty(
      fc.property(
        fc.array(
          words.filter((text) => text !== '' && !text.includes('`')),
          { minLength: 1, maxLength: 20 },
        ),
        (codes) => {
          const lines = codes.flatMap((code) => [...mdocParagraph(`x\`${code}\`x`), '.Pp']);
          const shown = rendered(lines)
            .split('\n')
            .map((line) => line.trim());
          assert.deepEqual(
            shown.filter(Boolean),
            codes.map((code) => `x${code}x`),
          );
        },
      ),
      25,
    );
  });
});
