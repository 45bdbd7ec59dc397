import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { tableLines, type TextColumn } from '../../../src/commands/terminal/table.ts';
import { checkProperty } from '../../support/property.ts';
import { outputOf } from '../../support/sheet.ts';

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

  it('cuts the widest column that may be cut first, down to its least', () => {
    const columns = [{ heading: 'A' }, { heading: 'B', least: 4 }, { heading: 'C', least: 4 }];
    const rows = [cells('never', 'bbbbbbbb', 'cccccccccccc')];
    const at = (width: number) =>
      tableLines({ columns, rows }, outputOf({ columns: width, isColoured: false }))[1];
    assert.equal(at(29), 'never  bbbbbbbb  cccccccccccc');
    assert.equal(at(25), 'never  bbbbbbbb  ccccccc…');
    assert.equal(at(17), 'never  bbb…  ccc…');
    assert.equal(at(5), 'never  bbb…  ccc…');
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
