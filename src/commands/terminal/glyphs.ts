/** The symbols statusd draws with, as far as the terminal can show them. */

export interface Glyphs {
  readonly up: string;
  readonly degraded: string;
  readonly down: string;
  readonly unknown: string;
  readonly skipped: string;
  /** Stands where a value is missing. */
  readonly none: string;
  readonly ellipsis: string;
  readonly bar: string;
  readonly dot: string;
  /** Leads to what belongs to the line above. */
  readonly branch: string;
  readonly spinner: readonly string[];
}

export const unicodeGlyphs: Glyphs = {
  up: '✓',
  degraded: '!',
  down: '✗',
  unknown: '?',
  skipped: '–',
  none: '–',
  ellipsis: '…',
  bar: '│',
  dot: '·',
  branch: '└',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

export const asciiGlyphs: Glyphs = {
  up: '+',
  degraded: '!',
  down: 'x',
  unknown: '?',
  skipped: '-',
  none: '-',
  ellipsis: '...',
  bar: '|',
  dot: '-',
  branch: '`-',
  spinner: ['|', '/', '-', '\\'],
};

/**
 * The glyphs for an environment: Unicode where the locale (LC_ALL, else LC_CTYPE, else LANG) is UTF-8.
 * The Linux console and a dumb terminal have no font for them whatever the locale says.
 */
export function glyphsFor(env: Readonly<Record<string, string | undefined>>): Glyphs {
  if (env.TERM === 'dumb' || env.TERM === 'linux') return asciiGlyphs;
  const locale =
    [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '') ?? '';
  return /utf-?8/i.test(locale) ? unicodeGlyphs : asciiGlyphs;
}
