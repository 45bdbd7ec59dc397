/** Lays text out in the cells of a terminal, where a wide character takes two of them. */
import stringWidth from 'string-width';
import { cleanLine, cleanLines } from '../../engine/core/text.ts';
import type { Steps } from '../steps.ts';

/** How many cells a text takes. */
export function cellsOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text, { countAnsiEscapeCodes: true });
}

/** At most `width` cells of one clean line, cut between characters as a reader sees them. */
export function cutCells(text: string, width: number): string {
  const line = cleanLine(text);
  if (cellsOf(line) <= width) return line;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    used += cellsOf(segment);
    if (used > width - 2) break;
    kept += segment;
  }
  return `${kept.trimEnd()}..`.slice(0, Math.max(0, width));
}

/** The words of `text` in lines of at most `width` cells; a word that is longer is cut. Its line breaks are kept. */
export function wrapCells(text: string, width: number): string[] {
  return cleanLines(text).flatMap((line) => {
    const lines: string[] = [];
    let current = '';
    for (const word of line.split(' ').filter((part) => part !== '')) {
      const joined = current === '' ? word : `${current} ${word}`;
      if (current !== '' && cellsOf(joined) > width) {
        lines.push(current);
        current = word;
      } else current = joined;
    }
    return [...lines, current].map((one) => cutCells(one, width));
  });
}

/** `text` after a label: the label once, the lines below it indented alike. */
export function labelled(label: string, text: string, width: number): string[] {
  const indent = cellsOf(label) + 2;
  const lines = wrapCells(text, Math.max(10, width - indent));
  return lines.map((line, index) =>
    cutCells(`${index === 0 ? label.padEnd(indent) : ' '.repeat(indent)}${line}`, width),
  );
}

/** The two ends of a line. */
export function spread(left: string, right: string, width: number): string {
  const room = Math.max(0, width - cellsOf(right) - 2);
  const start = cutCells(left, room);
  return cutCells(
    `${start}${' '.repeat(Math.max(2, width - cellsOf(start) - cellsOf(right)))}${right}`,
    width,
  );
}

export interface PlainColumn<Row> {
  readonly heading: string;
  readonly align: 'left' | 'right';
  readonly text: (row: Row) => string;
  /** What is left out first when there is no room: the highest number. 0 is never left out. */
  readonly spare: number;
}

/** Rows that stand together; `heading` is that of the first column above them. */
export interface TextSection<Row> {
  readonly heading: string;
  readonly rows: readonly Row[];
}

interface Measured<Row> {
  readonly column: PlainColumn<Row>;
  /** Where its text is among those of a row. */
  readonly index: number;
  readonly cells: number;
}

/** The texts of a section, one a column. */
interface Written {
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const gap = 2;
const narrowest = 12;

/** As many rows are written, or laid out, in one step. */
const stepSize = 10;

/**
 * Tables with the same columns below each other, a list of lines each. The first column takes what room is left: its
 * texts are cut, and spare columns left out, to fit.
 */
export function* tableSteps<Row>(
  plainColumns: readonly PlainColumn<Row>[],
  sections: readonly TextSection<Row>[],
  width: number,
): Steps<string[][]> {
  const widths = plainColumns.map(() => 0);
  const take = (texts: readonly string[]) => {
    for (const [index, text] of texts.entries()) widths[index] = Math.max(widths[index] ?? 0, cellsOf(text));
    return texts;
  };
  const written: Written[] = [];
  for (const { heading, rows } of sections) {
    const first = plainColumns.map((plainColumn, index) =>
      cleanLine(index === 0 ? heading : plainColumn.heading),
    );
    const write = (row: Row) => take(plainColumns.map((plainColumn) => cleanLine(plainColumn.text(row))));
    written.push({ heading: take(first), rows: yield* inSteps(rows, write) });
  }
  const fitted = fit(
    plainColumns.map((plainColumn, index) => ({ column: plainColumn, index, cells: widths[index] ?? 0 })),
    width,
  );
  const tables: string[][] = [];
  for (const { heading, rows } of written) {
    tables.push(yield* inSteps([heading, ...rows], (texts) => lineOf(texts, fitted, width)));
  }
  return tables;
}

function* inSteps<From, To>(all: readonly From[], make: (one: From) => To): Steps<To[]> {
  const made: To[] = [];
  for (const [index, one] of all.entries()) {
    made.push(make(one));
    if (index % stepSize === stepSize - 1) yield;
  }
  return made;
}

function lineOf<Row>(texts: readonly string[], fitted: readonly Measured<Row>[], width: number): string {
  const parts = fitted.map(({ column, index, cells }) => {
    const text = cutCells(texts[index] ?? '', cells);
    const space = ' '.repeat(Math.max(0, cells - cellsOf(text)));
    return column.align === 'left' ? text + space : space + text;
  });
  return cutCells(parts.join(' '.repeat(gap)).trimEnd(), width);
}

function fit<Row>(columns: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  const [first] = columns;
  if (first === undefined) return [];
  const need = (list: readonly Measured<Row>[]) =>
    list.slice(1).reduce((sum, { cells }) => sum + cells + gap, 0);
  const least = Math.min(first.cells, narrowest);
  let kept = columns;
  while (need(kept) + least > width) {
    const sparest = Math.max(...kept.map(({ column }) => column.spare));
    if (sparest === 0) break;
    kept = kept.filter(({ column }) => column.spare < sparest);
  }
  const cells = Math.max(least, Math.min(first.cells, width - need(kept)));
  return [{ ...first, cells }, ...kept.slice(1)];
}

/** Lines as a document. */
export function documentOf(lines: readonly string[]): string {
  return `${lines.join('\n').trimEnd()}\n`;
}
