/** What the terminal can show: colours and characters. */
import { createTheme, type Colours, type Theme } from '../../tui/theme.ts';
import { isColourWanted } from '../terminal/colour.ts';
import { glyphsFor, unicodeGlyphs } from '../terminal/glyphs.ts';

export interface TerminalLookOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTty: boolean;
  /** The flag `--no-color`. */
  readonly isColourRefused: boolean;
}

export interface TerminalLook {
  readonly theme: Theme;
}

export function openLook({ env, isTty, isColourRefused }: TerminalLookOptions): TerminalLook {
  const glyphs = glyphsFor(env);
  const isColoured = isColourWanted({ isRefused: isColourRefused, isTty, env });
  return { theme: createTheme(isColoured ? coloursOf(env) : 'none', glyphs === unicodeGlyphs) };
}

/** FORCE_COLOR 1 asks for 16 colours, 2 and 3 for more; else TERM and COLORTERM say what there is. */
function coloursOf(env: TerminalLookOptions['env']): Exclude<Colours, 'none'> {
  if (env.FORCE_COLOR === '1') return 'basic';
  if (env.FORCE_COLOR === '2' || env.FORCE_COLOR === '3') return 'many';
  if (/256|direct|kitty|ghostty/.test(env.TERM ?? '')) return 'many';
  return /^(truecolor|24bit)$/i.test(env.COLORTERM ?? '') ? 'many' : 'basic';
}
