/** Lays a plain page out: its lines, and its tables in steps. */
import stringWidth from 'string-width';
import { cleanLine, cleanLines } from '../../engine/core/text.ts';
import { type Cells, cutCells, isAscii, padEnd, wrapCells } from '../../engine/views/text/cells.ts';
import { type Cell, type TextColumn, tableSteps } from '../../engine/views/text/table.ts';
import type { Steps } from '../../engine/core/yielding.ts';

/** How a page is measured and cut: in the ASCII that every terminal has. */
export const plainCells: Cells = {
  measure: (text) => (isAscii(text) ? text.length : stringWidth(text, { countAnsiEscapeCodes: true })),
  ellipsis: '..',
};

/** `text` after a label: the label once, the lines below it indented alike; its line breaks are kept, and no line ends in blanks. */
export function labelled(labelText: string, text: string, width: number): string[] {
  const label = cleanLine(labelText);
  const indent = plainCells.measure(label) + 2;
  const lines = cleanLines(text).flatMap((line) => wrapCells(line, Math.max(10, width - indent), plainCells));
  return lines.map((line, index) =>
    cutCells(
      `${index === 0 ? padEnd(label, indent, plainCells) : ' '.repeat(indent)}${line}`,
      width,
      plainCells,
    ).trimEnd(),
  );
}

/** The two ends of a line. */
export function spread(left: string, rightText: string, width: number): string {
  const right = cleanLine(rightText);
  const end = plainCells.measure(right);
  const start = cutCells(cleanLine(left), Math.max(0, width - end - 2), plainCells);
  return cutCells(
    `${start}${' '.repeat(Math.max(2, width - plainCells.measure(start) - end))}${right}`,
    width,
    plainCells,
  );
}

/** A column of a page, and what it shows of a row. */
export interface PlainColumn<Row> extends TextColumn {
  readonly text: (row: Row) => string;
}

/** Rows that stand together; `heading` is that of the first column above them. */
export interface PlainRows<Row> {
  readonly heading: string;
  readonly rows: readonly Row[];
}

const stepSize = 10;

/** Tables with the same columns below each other, a list of lines each; what has no room in a line is cut. */
export function* plainTables<Row>(
  columns: readonly PlainColumn<Row>[],
  sections: readonly PlainRows<Row>[],
  width: number,
): Steps<string[][]> {
  const written: { heading: string; rows: Cell[][] }[] = [];
  for (const { heading, rows } of sections) {
    const section = { heading: cleanLine(heading), rows: [] as Cell[][] };
    for (const [count, row] of rows.entries()) {
      section.rows.push(columns.map(({ text }) => ({ text: cleanLine(text(row)) })));
      if (count % stepSize === stepSize - 1) yield;
    }
    written.push(section);
  }
  const tables = yield* tableSteps(columns, written, { cells: plainCells, columns: width });
  return tables.map((lines) => lines.map((line) => cutCells(line, width, plainCells)));
}

/** Lines as a document. */
export function documentOf(lines: readonly string[]): string {
  return `${lines.join('\n').trimEnd()}\n`;
}
