/** Pads or cuts text of several tones to an exact width. */
import stringWidth from 'string-width';
import { type Cells, cutCells } from '../engine/views/text/cells.ts';
import { type StyledText, span } from './theme.ts';

// The ellipsis of the theme takes its place in the frame.
export const screenCells: Cells = { measure: cellsOf, ellipsis: '…' };

/** ASCII and what the screen draws with: a cell a character, which need not be looked up. */
const oneCellEach = /^[ -~✓✗▁-█·–…❯└─│↑↓→▸▾»]*$/;

/** How many cells a text takes. */
export function cellsOf(text: string): number {
  return oneCellEach.test(text) ? text.length : stringWidth(text);
}

export function cellsOfAll(spans: readonly StyledText[]): number {
  return spans.reduce((sum, { text }) => sum + cellsOf(text), 0);
}

/** At most `width` cells; what is cut ends with an ellipsis. */
export function cutSpans(spans: readonly StyledText[], width: number): readonly StyledText[] {
  if (cellsOfAll(spans) <= width) return spans;
  let left = width;
  for (const [index, { text, tone }] of spans.entries()) {
    const taken = cellsOf(text);
    if (taken < left) {
      left -= taken;
      continue;
    }
    const rest = spans.slice(index).map((one) => one.text);
    return [...spans.slice(0, index), span(cutCells(rest.join(''), left, screenCells), tone)];
  }
  return spans;
}

/** Exactly `width` cells; a figure stands at their right. */
export function fitted(spans: readonly StyledText[], width: number, isFigure = false): StyledText[] {
  const cut = cutSpans(spans, width);
  const room = span(' '.repeat(Math.max(0, width - cellsOfAll(cut))));
  return isFigure ? [room, ...cut] : [...cut, room];
}
