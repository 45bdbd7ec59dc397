/** Lays rows out in aligned columns that fit the terminal. */
import { cutCells, padEnd, padStart } from './cells.ts';
import type { Sheet } from './sheet.ts';

/** A text, and how it is coloured once it has its width. The text is clean: see cleanLine. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface Column {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** The narrowest it may become when there is no room; absent: it is never cut. */
  readonly least?: number;
}

export interface Table {
  readonly columns: readonly Column[];
  /** As many cells a row as there are columns. */
  readonly rows: readonly (readonly Cell[])[];
}

const gap = '  ';

/** The heading and the rows as lines. A column without a single text is left out; the widest that may be cut gives way first. */
export function tableLines(table: Table, sheet: Sheet, { hasHeading = true } = {}): string[] {
  const { columns, rows } = withoutEmpty(table);
  const widths = fittingWidths(columns, naturalWidths(columns, rows, sheet), sheet.columns);
  const lineOf = (cells: readonly Cell[]) =>
    cells
      .map((cell, index) =>
        drawn(cell, { width: widths[index] ?? 0, isNumber: columns[index]?.isNumber === true }, sheet),
      )
      .join(gap)
      .replace(/ +$/, '');
  const heading = columns.map((column): Cell => ({ text: column.heading, paint: sheet.paint.dim }));
  return [...(hasHeading ? [lineOf(heading)] : []), ...rows.map(lineOf)];
}

function withoutEmpty({ columns, rows }: Table): Table {
  const isKept = (_: unknown, index: number) => rows.some((row) => (row[index]?.text ?? '') !== '');
  return { columns: columns.filter(isKept), rows: rows.map((row) => row.filter(isKept)) };
}

function naturalWidths(columns: readonly Column[], rows: Table['rows'], { cells }: Sheet): number[] {
  return columns.map(({ heading }, index) =>
    Math.max(heading.length, ...rows.map((row) => cells.measure(row[index]?.text ?? ''))),
  );
}

/** Takes cell after cell from the widest column that may still give one. */
function fittingWidths(
  columns: readonly Column[],
  natural: readonly number[],
  available: number | null,
): number[] {
  const widths = [...natural];
  if (available === null) return widths;
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - available;
  for (; excess > 0; excess -= 1) {
    let widest = -1;
    columns.forEach(({ least }, index) => {
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
  { cells }: Sheet,
): string {
  const fitted = cutCells(text, width, cells);
  return paint(isNumber ? padStart(fitted, width, cells) : padEnd(fitted, width, cells));
}

function asItIs(text: string): string {
  return text;
}
