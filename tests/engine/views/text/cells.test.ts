import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Cells,
  cutCells,
  padEnd,
  padStart,
  proseLines,
  wrapCells,
} from '../../../../src/engine/views/text/cells.ts';
import { measureFor } from '../../../../src/commands/terminal/output.ts';

async function cellsFor(...texts: string[]): Promise<Cells> {
  return { measure: await measureFor(texts), ellipsis: '…' };
}

test('wide, combining and emoji characters are measured in cells', async () => {
  const { measure } = await cellsFor('日本');
  assert.equal(measure('abc'), 3);
  assert.equal(measure('日本'), 4);
  assert.equal(measure('e\u0301'), 1);
  assert.equal(measure('🙂'), 2);
});

test('columns are padded to equal width', async () => {
  const cells = await cellsFor('日本');
  assert.equal(padEnd('日本', 6, cells), '日本  ');
  assert.equal(padStart('日本', 6, cells), '  日本');
  assert.equal(padEnd('too long', 3, cells), 'too long');
});

test('text is cut to the cells there are, never through a character', async () => {
  const cells = await cellsFor('日本語');
  assert.equal(cutCells('abcdef', 6, cells), 'abcdef');
  assert.equal(cutCells('abcdefg', 6, cells), 'abcde…');
  assert.equal(cutCells('日本語日本語', 6, cells), '日本…');
  assert.equal(cutCells('ae\u0301e\u0301e\u0301', 3, cells), 'ae\u0301…');
  assert.equal(cutCells('abc', 0, cells), '');
});

test('no cut text is wider than asked for', async () => {
  const text = 'a日🙂e\u0301 b本';
  for (const ellipsis of ['…', '...']) {
    const cells = { ...(await cellsFor(text)), ellipsis };
    for (let width = 0; width < 12; width++) assert.ok(cells.measure(cutCells(text, width, cells)) <= width);
  }
});

test('prose is broken at spaces; a word wider than a line goes on in the next one', async () => {
  const cells = await cellsFor('日本');
  assert.deepEqual(wrapCells('one two  three', 7, cells), ['one two', 'three']);
  assert.deepEqual(wrapCells('see https://example.org/a', 10, cells), [
    'see',
    'https://ex',
    'ample.org/',
    'a',
  ]);
  assert.deepEqual(wrapCells('日本語 日本', 5, cells), ['日本', '語', '日本']);
  assert.deepEqual(wrapCells('', 5, cells), ['']);
});

test('prose is behind its margin, and is one line where there is no width', async () => {
  const cells = await cellsFor('');
  const text = 'a sentence that is longer than its line';
  assert.deepEqual(proseLines(text, '  ', { cells, columns: null }), [`  ${text}`]);
  assert.deepEqual(proseLines(text, '  ', { cells, columns: 24 }), [
    '  a sentence that is',
    '  longer than its line',
  ]);
});
