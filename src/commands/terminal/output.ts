/** What a renderer may know about the place its text goes to. */
import type { Writable } from 'node:stream';
import type { Context } from '../context.ts';
import type { Cells } from '../../engine/views/text/cells.ts';
import { measureFor } from './cells.ts';
import { isColourWanted, paintWith, type Paint } from './colour.ts';
import { glyphsFor, type Glyphs } from './glyphs.ts';

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
