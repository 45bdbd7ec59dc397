/** Lays rows out in aligned columns that fit a width: the one table of the terminal and of the plain pages. */
import { type Cells, cutCells, padEnd, padStart, wrapCells } from './cells.ts';

/** A text, and how it is coloured once it has its width. The text is clean: see cleanLine. */
export interface Cell {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

export interface TextColumn {
  readonly heading: string;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** What it keeps until nothing else can give way; absent: it is never cut. */
  readonly least?: number;
  /** Without room, columns with the highest number are left out first; absent: never. */
  readonly spare?: number;
  /** Of the last column: what has no room goes on in lines below, instead of being cut. */
  readonly isWrapped?: boolean;
}

/** Rows that stand together under a heading. */
export interface TextSection {
  /** Stands above the first column instead of its own heading. */
  readonly heading?: string;
  /** As many cells a row as there are columns. */
  readonly rows: readonly (readonly Cell[])[];
}

export interface TextTable {
  readonly columns: readonly TextColumn[];
  readonly rows: TextSection['rows'];
}

/** The place a table goes to. */
export interface TextRoom {
  readonly cells: Cells;
  /** How many cells a line has; null: as many as it takes. */
  readonly columns: number | null;
  readonly paint?: { readonly dim: (text: string) => string };
}

interface FittedColumn extends TextColumn {
  /** Where its cell is in a row. */
  readonly index: number;
  readonly width: number;
}

const gap = '  ';
/** How many rows are laid out in one step. */
const stepSize = 10;

/** The heading and the rows as lines, without blanks at their ends. A column without a single text is left out. */
export function tableLines(
  { columns, rows }: TextTable,
  room: TextRoom,
  { hasHeading = true }: { readonly hasHeading?: boolean } = {},
): string[] {
  const [lines = []] = sectionLines(columns, [{ rows }], room);
  return hasHeading ? lines : lines.slice(1);
}

/** Tables below each other with the same columns, a list of lines each, heading first. */
export function sectionLines(
  columns: readonly TextColumn[],
  sections: readonly TextSection[],
  room: TextRoom,
): string[][] {
  const steps = tableSteps(columns, sections, room);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same in steps, as there may be thousands of rows. */
export function* tableSteps(
  textColumns: readonly TextColumn[],
  sections: readonly TextSection[],
  room: TextRoom,
): Generator<undefined, string[][], undefined> {
  const { measure } = room.cells;
  const widths = textColumns.map(() => 0);
  for (const { rows } of sections) {
    for (const [count, row] of rows.entries()) {
      row.forEach(({ text }, index) => {
        widths[index] = Math.max(widths[index] ?? 0, measure(text));
      });
      if (count % stepSize === stepSize - 1) yield;
    }
  }
  const headings = sections.map(({ heading }) =>
    textColumns.map((column, index) => (index === 0 ? (heading ?? column.heading) : column.heading)),
  );
  const used = textColumns.flatMap((column, index): FittedColumn[] => {
    const width = Math.max(widths[index] ?? 0, ...headings.map((texts) => measure(texts[index] ?? '')));
    return widths[index] === 0 ? [] : [{ ...column, index, width }];
  });
  const columns = room.columns === null ? used : fitted(used, room.columns);
  const tables: string[][] = [];
  for (const [index, { rows }] of sections.entries()) {
    const paint = room.paint?.dim;
    const lines = rowLines(
      (headings[index] ?? []).map((text) => ({ text, paint })),
      columns,
      room,
    );
    for (const [count, row] of rows.entries()) {
      lines.push(...rowLines(row, columns, room));
      if (count % stepSize === stepSize - 1) yield;
    }
    tables.push(lines);
  }
  return tables;
}

/** Leaves optional columns out, then takes from the widest column that may still give a cell. */
function fitted(all: readonly FittedColumn[], available: number): readonly FittedColumn[] {
  let columns = all;
  while (excessOf(columns.map(leastOf), available) > 0) {
    const sparest = Math.max(0, ...columns.map(({ spare = 0 }) => spare));
    if (sparest === 0) break;
    columns = columns.filter(({ spare = 0 }) => spare < sparest);
  }
  const widths = columns.map(({ width }) => width);
  const shrink = (floorOf: (column: FittedColumn) => number) => {
    for (let excess = excessOf(widths, available); excess > 0; excess -= 1) {
      let widest = -1;
      columns.forEach((column, index) => {
        const width = widths[index] ?? 0;
        if (width > floorOf(column) && width > (widths[widest] ?? 0)) widest = index;
      });
      if (widest === -1) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  };
  shrink(leastOf);
  shrink(({ least, width }) => (least === undefined ? width : 1));
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? 0 }));
}

function leastOf({ least, width }: FittedColumn): number {
  return Math.min(least ?? width, width);
}

function excessOf(widths: readonly number[], available: number): number {
  return widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - available;
}

/** One line, or more where the last column goes on below; nothing is padded behind the last text. */
function rowLines(row: readonly Cell[], columns: readonly FittedColumn[], { cells }: TextRoom): string[] {
  const shown = columns.slice(0, columns.findLastIndex(({ index }) => textOf(row, index) !== '') + 1);
  const last = shown.at(-1);
  if (last === undefined) return [''];
  const texts =
    last.isWrapped === true
      ? wrapCells(textOf(row, last.index), last.width, cells)
      : [cutCells(textOf(row, last.index), last.width, cells)];
  const paintOf = ({ index }: FittedColumn) => row[index]?.paint ?? ((text: string) => text);
  const before = shown.slice(0, -1).map((column) => {
    const text = cutCells(textOf(row, column.index), column.width, cells);
    return paintOf(column)(aligned(text, column, cells)) + gap;
  });
  const indent = shown.slice(0, -1).reduce((sum, { width }) => sum + width + gap.length, 0);
  return texts.map((text, index) => {
    const end = last.isNumber === true ? padStart(text, last.width, cells) : text;
    return (index === 0 ? before.join('') : ' '.repeat(indent)) + paintOf(last)(end);
  });
}

function textOf(row: readonly Cell[], index: number): string {
  return row[index]?.text ?? '';
}

function aligned(text: string, { width, isNumber }: FittedColumn, cells: Cells): string {
  return isNumber === true ? padStart(text, width, cells) : padEnd(text, width, cells);
}
