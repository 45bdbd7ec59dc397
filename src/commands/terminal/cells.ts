/** Lays text out in terminal cells. */

/** How many cells a text takes on a terminal. The text holds no escape sequence. */
export type Measure = (text: string) => number;

const ascii: Measure = (text) => text.length;

/**
 * A measure for these texts and anything in ASCII. The width tables are loaded only when a text needs
 * them: reading them takes longer than the whole rendering of an ASCII table.
 */
export async function measureFor(texts: Iterable<string>): Promise<Measure> {
  for (const text of texts) {
    if (isAscii(text)) continue;
    const { default: stringWidth } = await import('string-width');
    return (one) => (isAscii(one) ? one.length : stringWidth(one, { countAnsiEscapeCodes: true }));
  }
  return ascii;
}

/** The lines of text a column is made of, with the means to make them equally wide. */
export interface Cells {
  readonly measure: Measure;
  /** What stands where text was cut off. */
  readonly ellipsis: string;
}

export function padEnd(text: string, width: number, { measure }: Cells): string {
  return text + ' '.repeat(Math.max(0, width - measure(text)));
}

export function padStart(text: string, width: number, { measure }: Cells): string {
  return ' '.repeat(Math.max(0, width - measure(text))) + text;
}

/** At most `width` cells of `text`, cut between characters as a reader sees them (grapheme clusters). */
export function cutCells(text: string, width: number, { measure, ellipsis }: Cells): string {
  if (measure(text) <= width) return text;
  const room = width - ellipsis.length;
  if (room <= 0) return ellipsis.slice(0, Math.max(0, width));
  if (isAscii(text)) return text.slice(0, room).trimEnd() + ellipsis;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += measure(segment);
    if (used > room) break;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
