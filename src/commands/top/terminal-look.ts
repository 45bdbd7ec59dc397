/** What the terminal can show: its colours, its characters and how wide they are. */
import type { Cells } from '../../engine/views/text/cells.ts';
import { createTheme, type Colours, type Theme } from '../../tui/theme.ts';
import { measureFor } from '../terminal/output.ts';
import { isColourWanted } from '../terminal/colour.ts';
import { glyphsFor, unicodeGlyphs } from '../terminal/glyphs.ts';

export interface LookWish {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTty: boolean;
  /** The flag `--no-color`. */
  readonly isColourRefused: boolean;
}

export interface TerminalLook {
  readonly theme: Theme;
  readonly cells: Cells;
}

export async function openLook({ env, isTty, isColourRefused }: LookWish): Promise<TerminalLook> {
  const glyphs = glyphsFor(env);
  const isColoured = isColourWanted({ isRefused: isColourRefused, isTty, env });
  // What there will be to show is not known yet, so that any text can be measured.
  const measure = await measureFor([unicodeGlyphs.ellipsis]);
  return {
    theme: createTheme(isColoured ? coloursOf(env) : 'none', glyphs === unicodeGlyphs),
    cells: { measure, ellipsis: glyphs.ellipsis },
  };
}

/** FORCE_COLOR 1 asks for 16 colours, 2 and 3 for more; else TERM and COLORTERM say what there is. */
function coloursOf(env: LookWish['env']): Exclude<Colours, 'none'> {
  if (env.FORCE_COLOR === '1') return 'basic';
  if (env.FORCE_COLOR === '2' || env.FORCE_COLOR === '3') return 'many';
  if (/256|direct|kitty|ghostty/.test(env.TERM ?? '')) return 'many';
  return /^(truecolor|24bit)$/i.test(env.COLORTERM ?? '') ? 'many' : 'basic';
}
