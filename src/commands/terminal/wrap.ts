/** Breaks prose into lines by the cells it takes on a terminal. */
import { cutCells, type Cells } from './cells.ts';

/** Lines of at most `width` cells, broken at spaces; a word that is wider than a line is cut. */
export function wrapCells(text: string, width: number, cells: Cells): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/ +/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && cells.measure(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((one) => cutCells(one, width, cells));
}
