/** Sheets to render on: so many columns, with colour or without. */
import stringWidth from 'string-width';
import { paintWith } from '../../src/commands/terminal/colour.ts';
import { unicodeGlyphs } from '../../src/commands/terminal/glyphs.ts';
import type { Sheet } from '../../src/commands/terminal/sheet.ts';

export interface Wanted {
  readonly columns: number | null;
  readonly isColoured: boolean;
}

export function sheetOf({ columns, isColoured }: Wanted): Sheet {
  return {
    paint: paintWith(isColoured),
    glyphs: unicodeGlyphs,
    cells: { measure: (text) => stringWidth(text), ellipsis: '…' },
    columns,
  };
}
