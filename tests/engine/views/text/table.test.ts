import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { sectionLines, type TextColumn, tableLines } from '../../../../src/engine/views/text/table.ts';
import { checkProperty } from '../../../support/property.ts';
import { outputOf } from '../../../support/sheet.ts';

const plain = outputOf({ columns: null, isColoured: false });
const cells = (...texts: readonly string[]) => texts.map((text) => ({ text }));

describe('a table', () => {
  it('aligns texts to the left, numbers to the right, and ends no line with spaces', () => {
    const columns = [{ heading: 'ID', isNumber: true }, { heading: 'NAME' }, { heading: 'X' }];
    const rows = [cells('7', 'a', ''), cells('1234', 'longer', 'y')];
    assert.deepEqual(tableLines({ columns, rows }, plain), ['  ID  NAME    X', '   7  a', '1234  longer  y']);
  });

  it('leaves out a column that has nothing to say, and the heading when it is not wanted', () => {
    const columns = [{ heading: 'A' }, { heading: 'B' }, { heading: 'C' }];
    const rows = [cells('a', '', 'c'), cells('aa', '', 'c')];
    assert.deepEqual(tableLines({ columns, rows }, plain), ['A   C', 'a   c', 'aa  c']);
    assert.deepEqual(tableLines({ columns, rows }, plain, { hasHeading: false }), ['a   c', 'aa  c']);
  });

  it('cuts the widest column that may be cut first, and below its least only when nothing else can give way', () => {
    const columns = [{ heading: 'A' }, { heading: 'B', least: 4 }, { heading: 'C', least: 4 }];
    const rows = [cells('never', 'bbbbbbbb', 'cccccccccccc')];
    const at = (width: number) =>
      tableLines({ columns, rows }, outputOf({ columns: width, isColoured: false }))[1];
    assert.equal(at(29), 'never  bbbbbbbb  cccccccccccc');
    assert.equal(at(25), 'never  bbbbbbbb  ccccccc…');
    assert.equal(at(17), 'never  bbb…  ccc…');
    assert.equal(at(5), 'never  …  …');
  });

  it('leaves out what is optional before it cuts', () => {
    const columns = [
      { heading: 'NAME', least: 4 },
      { heading: 'VALUE', isNumber: true },
      { heading: 'MORE', spare: 1 },
      { heading: 'MOST', spare: 2 },
    ];
    const rows = [cells('abcdefgh', '100', 'more', 'most')];
    const at = (width: number) =>
      tableLines({ columns, rows }, outputOf({ columns: width, isColoured: false }))[1];
    assert.equal(at(27), 'abcdefgh    100  more  most');
    assert.equal(at(22), 'abcdefgh    100  more');
    assert.equal(at(19), 'abcde…    100  more');
    assert.equal(at(12), 'abcd…    100');
  });

  it('wraps its last column at word ends, below itself', () => {
    const columns = [{ heading: 'A' }, { heading: 'B', least: 8, isWrapped: true }];
    const rows = [cells('a', 'one two three fourteen')];
    assert.deepEqual(tableLines({ columns, rows }, outputOf({ columns: 12, isColoured: false })).slice(1), [
      'a  one two',
      '   three',
      '   fourteen',
    ]);
    assert.deepEqual(tableLines({ columns, rows }, plain).slice(1), ['a  one two three fourteen']);
  });

  it('lines sections up with each other, each under its own heading', () => {
    const columns = [{ heading: '' }, { heading: 'Value', isNumber: true }];
    const sections = [
      { heading: 'One', rows: [cells('監視', '1')] },
      { heading: 'Two', rows: [cells('a longer name', '100')] },
    ];
    assert.deepEqual(sectionLines(columns, sections, plain), [
      ['One            Value', '監視               1'],
      ['Two            Value', 'a longer name    100'],
    ]);
  });

  it('measures in cells and paints after padding', () => {
    const columns = [{ heading: 'A' }, { heading: 'B' }];
    const rows = [
      [{ text: '監視', paint: (text: string) => `<${text}>` }, { text: 'b' }],
      cells('abcd', 'b'),
    ];
    assert.deepEqual(tableLines({ columns, rows }, plain).slice(1), ['<監視>  b', 'abcd  b']);
  });

  it('is never wider than the terminal while something can be cut', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('監視監視監視', '🙂🙂🙂', 'a b c d e f'),
    );
    const textColumns: readonly TextColumn[] = ['A', 'B', 'C'].map((heading) => ({ heading, least: 2 }));
    checkProperty(
      fc.property(
        fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 12, max: 120 }),
        (rows, width) => {
          const printable = rows.map((row) =>
            cells(...row.map((one) => one.replace(/[^\p{L}\p{N} 🙂]/gu, '.'))),
          );
          const lines = tableLines(
            { columns: textColumns, rows: printable },
            outputOf({ columns: width, isColoured: false }),
          );
          for (const line of lines)
            assert.ok(stringWidth(line) <= width, `${width}: ${JSON.stringify(line)}`);
        },
      ),
      200,
    );
  });
});
