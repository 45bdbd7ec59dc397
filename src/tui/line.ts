/** Lines of a screen as toned pieces of text, laid out in cells. */

import { type Cells, cutCells, padEnd, padStart } from '../engine/views/text/cells.ts';

/** What a piece of text means; the theme says how that looks. */
export type Tone = 'plain' | 'dim' | 'strong' | 'accent' | 'good' | 'warn' | 'bad';

export interface LineSpan {
  /** Clean: no control code, no line break. */
  readonly text: string;
  readonly tone: Tone;
}

export interface ScreenLine {
  readonly spans: readonly LineSpan[];
  /** The line the cursor stands on. */
  readonly isSelected?: boolean;
}

export function span(text: string, tone: Tone = 'plain'): LineSpan {
  return { text, tone };
}

export const emptyLine: ScreenLine = { spans: [] };

/** A line of spans and texts; a text alone is plain. */
export function line(...parts: readonly (LineSpan | string)[]): ScreenLine {
  return { spans: parts.map((part) => (typeof part === 'string' ? span(part) : part)) };
}

export function widthOf({ spans }: Pick<ScreenLine, 'spans'>, { measure }: Cells): number {
  return spans.reduce((sum, { text }) => sum + measure(text), 0);
}

/** At most `width` cells of a line. */
export function cutLine(whole: ScreenLine, width: number, cells: Cells): ScreenLine {
  let room = width;
  const spans: LineSpan[] = [];
  for (const { text, tone } of whole.spans) {
    if (room <= 0) break;
    const taken = cutCells(text, room, cells);
    spans.push({ text: taken, tone });
    room = taken === text ? room - cells.measure(text) : 0;
  }
  return { ...whole, spans };
}

/** `left` and `right` at the two ends of `width` cells; the left one gives way. */
export function spread(
  left: ScreenLine,
  right: ScreenLine,
  at: { readonly width: number; readonly cells: Cells },
): ScreenLine {
  const { width, cells } = at;
  const end = cutLine(right, width, cells);
  const room = Math.max(0, width - widthOf(end, cells));
  const start = cutLine(left, Math.max(0, room - 1), cells);
  const gap = span(' '.repeat(Math.max(0, room - widthOf(start, cells))));
  return { spans: [...start.spans, gap, ...end.spans] };
}

/** Exactly `width` cells: cut, or padded at the end. */
export function padded(text: string, width: number, cells: Cells): string {
  return padEnd(cutCells(text, width, cells), width, cells);
}

/** Exactly `width` cells: cut, or padded at the start. */
export function paddedStart(text: string, width: number, cells: Cells): string {
  return padStart(cutCells(text, width, cells), width, cells);
}
