/** Lays rows out in aligned columns that fit the terminal. */
import { cutCells, padEnd, padStart } from './cells.ts';
import type { TerminalOutput } from './output.ts';

/** A text, and how it is coloured once it has its width. The text is clean: see cleanLine. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface TextColumn {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** The narrowest it may become when there is no room; absent: it is never cut. */
  readonly least?: number;
}

export interface TextTable {
  readonly columns: readonly TextColumn[];
  /** As many cells a row as there are columns. */
  readonly rows: readonly (readonly Cell[])[];
}

const gap = '  ';

/** The heading and the rows as lines. A column without a single text is left out; the widest that may be cut gives way first. */
export function tableLines(
  textTable: TextTable,
  output: TerminalOutput,
  { hasHeading = true } = {},
): string[] {
  const { columns, rows } = withoutEmpty(textTable);
  const widths = fittingWidths(columns, naturalWidths(columns, rows, output), output.columns);
  const lineOf = (cells: readonly Cell[]) =>
    cells
      .map((cell, index) =>
        drawn(cell, { width: widths[index] ?? 0, isNumber: columns[index]?.isNumber === true }, output),
      )
      .join(gap)
      .replace(/ +$/, '');
  const heading = columns.map((textColumn): Cell => ({ text: textColumn.heading, paint: output.paint.dim }));
  return [...(hasHeading ? [lineOf(heading)] : []), ...rows.map(lineOf)];
}

function withoutEmpty({ columns, rows }: TextTable): TextTable {
  const isKept = (_: unknown, index: number) => rows.some((row) => (row[index]?.text ?? '') !== '');
  return { columns: columns.filter(isKept), rows: rows.map((row) => row.filter(isKept)) };
}

function naturalWidths(
  textColumns: readonly TextColumn[],
  rows: TextTable['rows'],
  { cells }: TerminalOutput,
): number[] {
  return textColumns.map(({ heading }, index) =>
    Math.max(heading.length, ...rows.map((row) => cells.measure(row[index]?.text ?? ''))),
  );
}

/** Takes cell after cell from the widest column that may still give one. */
function fittingWidths(
  textColumns: readonly TextColumn[],
  natural: readonly number[],
  available: number | null,
): number[] {
  const widths = [...natural];
  if (available === null) return widths;
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - available;
  for (; excess > 0; excess -= 1) {
    let widest = -1;
    textColumns.forEach(({ least }, index) => {
      const width = widths[index] ?? 0;
      if (least !== undefined && width > least && width > (widths[widest] ?? 0)) widest = index;
    });
    if (widest === -1) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function drawn(
  { text, paint = asItIs }: Cell,
  { width, isNumber }: { readonly width: number; readonly isNumber: boolean },
  { cells }: TerminalOutput,
): string {
  const fitted = cutCells(text, width, cells);
  return paint(isNumber ? padStart(fitted, width, cells) : padEnd(fitted, width, cells));
}

function asItIs(text: string): string {
  return text;
}
