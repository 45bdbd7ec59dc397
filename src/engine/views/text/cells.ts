/** Lays clean text out in the cells of a terminal, where a wide character takes two of them. */

/** How text is measured, and what stands where it was cut. */
export interface Cells {
  /** How many cells a text takes. The text holds no escape sequence. */
  readonly measure: (text: string) => number;
  readonly ellipsis: string;
}

/** ASCII takes a cell a character: no table of widths is needed. */
export function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

export function padEnd(text: string, width: number, { measure }: Cells): string {
  return text + ' '.repeat(Math.max(0, width - measure(text)));
}

export function padStart(text: string, width: number, { measure }: Cells): string {
  return ' '.repeat(Math.max(0, width - measure(text))) + text;
}

/** At most `width` cells of `text`, cut between characters as a reader sees them (grapheme clusters). */
export function cutCells(text: string, width: number, cells: Cells): string {
  const { measure, ellipsis } = cells;
  // However much follows, and that may be long, need not be measured.
  const isWider = text.length > width && isAscii(text.slice(0, width + 1));
  if (!isWider && measure(text) <= width) return text;
  const room = width - ellipsis.length;
  if (room <= 0) return ellipsis.slice(0, Math.max(0, width));
  return firstCells(text, room, cells).trimEnd() + ellipsis;
}

/** Lines of at most `width` cells, broken at spaces; a word that is wider than a line goes on in the next one. */
export function wrapCells(text: string, width: number, cells: Cells): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/ +/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (cells.measure(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = piecesOf(word, width, cells);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return [...lines, line];
}

/** A word in pieces of at most `width` cells, in one go; from a character on that is wider than that, in one piece. */
function piecesOf(word: string, width: number, { measure }: Cells): string[] {
  if (isAscii(word)) {
    const size = width < 1 ? word.length : width;
    return Array.from({ length: Math.ceil(word.length / size) }, (_, at) =>
      word.slice(at * size, (at + 1) * size),
    );
  }
  const pieces: string[] = [];
  let [start, used] = [0, 0];
  for (const { segment, index } of new Intl.Segmenter().segment(word)) {
    const taken = measure(segment);
    if (used + taken > width) {
      if (index > start) pieces.push(word.slice(start, index));
      [start, used] = [index, 0];
      if (taken > width) break;
    }
    used += taken;
  }
  return [...pieces, word.slice(start)];
}

/** As many whole characters from the start as `width` cells hold. */
function firstCells(text: string, width: number, { measure }: Cells): string {
  if (isAscii(text)) return text.slice(0, width);
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += measure(segment);
    if (used > width) break;
    kept += segment;
  }
  return kept;
}

/** Longer lines of prose are hard to read, however wide the terminal is. */
export const mostProseCells = 110;

/** Prose in lines that fit the width, each behind `margin`; as one line where there is no width. */
export function proseLines(
  text: string,
  margin: string,
  { cells, columns }: { readonly cells: Cells; readonly columns: number | null },
): string[] {
  if (columns === null) return [margin + text];
  const width = Math.min(columns, mostProseCells) - margin.length;
  return wrapCells(text, Math.max(20, width), cells).map((line) => margin + line);
}
