/** Sheets to render on: so many columns, with colour or without. */
import stringWidth from 'string-width';
import { paintWith } from '../../src/commands/terminal/colour.ts';
import { unicodeGlyphs } from '../../src/commands/terminal/glyphs.ts';
import type { TerminalOutput } from '../../src/commands/terminal/output.ts';

export interface Wanted {
  readonly columns: number | null;
  readonly isColoured: boolean;
}

export function outputOf({ columns, isColoured }: Wanted): TerminalOutput {
  return {
    paint: paintWith(isColoured),
    glyphs: unicodeGlyphs,
    cells: { measure: (text) => stringWidth(text), ellipsis: '…' },
    columns,
  };
}
