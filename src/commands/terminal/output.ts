/** What a renderer knows of the output: width, colour, characters. */
import type { Writable } from 'node:stream';
import type { Context } from '../context.ts';
import { type Cells, isAscii } from '../../engine/views/text/cells.ts';
import { isColourWanted, type Paint, paintWith } from './colour.ts';
import { type Glyphs, glyphsFor } from './glyphs.ts';

export interface TerminalOutput {
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  readonly cells: Cells;
  /** The terminal's width, or null where nothing needs cutting. */
  readonly columns: number | null;
}

/** The sheet for stdout. `texts`: everything that is laid out on it. */
export async function openTerminalOutput(
  { stdout, env }: Pick<Context, 'stdout' | 'env'>,
  isColourRefused: boolean,
  texts: Iterable<string>,
): Promise<TerminalOutput> {
  const glyphs = glyphsFor(env);
  const isTty = isTerminal(stdout);
  return {
    paint: paintWith(isColourWanted({ isRefused: isColourRefused, isTty, env })),
    glyphs,
    cells: { measure: await measureFor(texts), ellipsis: glyphs.ellipsis },
    columns: isTty ? columnsOf(stdout) : null,
  };
}

export function isTerminal(stream: Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** A terminal that does not know its size says 0. */
function columnsOf(stream: Writable): number {
  const columns = 'columns' in stream ? Number(stream.columns) : 0;
  return columns > 0 ? columns : 80;
}

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
