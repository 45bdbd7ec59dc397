/** Finds out how wide texts are on a terminal. */
import { type Cells, isAscii } from '../../engine/views/text/cells.ts';

/**
 * A measure for these texts and anything in ASCII. The width tables are loaded only when a text needs
 * them: reading them takes longer than the whole rendering of an ASCII table.
 */
export async function measureFor(texts: Iterable<string>): Promise<Cells['measure']> {
  for (const text of texts) {
    if (isAscii(text)) continue;
    const { default: stringWidth } = await import('string-width');
    return (one) => (isAscii(one) ? one.length : stringWidth(one, { countAnsiEscapeCodes: true }));
  }
  return (text) => text.length;
}
