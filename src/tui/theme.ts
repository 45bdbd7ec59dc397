/** Colours for tones and marks for statuses, as far as a terminal can show them. */
import type { Status } from '../engine/core/status.ts';

/** What the terminal can do: no colour, the 16 of its own palette, or 256. */
export type Colours = 'none' | 'basic' | 'many';

/** What a piece of text means; the theme says how that looks. */
export type Tone = 'plain' | 'dim' | 'strong' | 'accent' | 'good' | 'warn' | 'bad' | 'cursor';

/** A piece of text of one tone. */
export interface StyledText {
  /** Clean: no control code, no line break. */
  readonly text: string;
  readonly tone: Tone;
}

export function span(text: string, tone: Tone = 'plain'): StyledText {
  return { text, tone };
}

export interface Marks {
  readonly status: Readonly<Record<Status, string>>;
  readonly none: string;
  readonly dot: string;
  readonly cursor: string;
  readonly rule: string;
  readonly warning: string;
  readonly banner: string;
  readonly up: string;
  readonly down: string;
  readonly arrow: string;
  /** Stands before what hangs on the line above. */
  readonly branch: string;
  readonly folded: string;
  readonly unfolded: string;
  /** It went up and down again and again lately. */
  readonly flapping: string;
  readonly ellipsis: string;
  /** From low to high. */
  readonly levels: readonly string[];
  /** A cell of a chart where nothing was measured. */
  readonly gap: string;
  /** The same because it was down. */
  readonly outage: string;
  /** A day of each status, told apart by height as well as by colour. */
  readonly day: Readonly<Record<Status, string>>;
}

export interface Theme {
  readonly marks: Marks;
  /** The text with its colours. */
  readonly paint: (text: string, tone: Tone) => string;
}

const unicodeMarks: Marks = {
  status: { up: '✓', degraded: '!', down: '✗', unknown: '?' },
  none: '–',
  dot: '·',
  cursor: '❯',
  rule: '─',
  warning: '!',
  banner: '»',
  up: '↑',
  down: '↓',
  arrow: '→',
  branch: '└',
  folded: '▸',
  unfolded: '▾',
  flapping: '~',
  ellipsis: '…',
  levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  gap: ' ',
  outage: '✗',
  day: { up: '█', degraded: '▅', down: '▂', unknown: '·' },
};

const asciiMarks: Marks = {
  status: { up: '+', degraded: '!', down: 'x', unknown: '?' },
  none: '-',
  dot: '-',
  cursor: '>',
  rule: '-',
  warning: '!',
  banner: '>',
  up: '^',
  down: 'v',
  arrow: '->',
  branch: '`',
  folded: '>',
  unfolded: 'v',
  flapping: '~',
  ellipsis: '~',
  levels: ['_', '.', '-', '~', '=', '+', '*', '#'],
  gap: ' ',
  outage: 'x',
  day: { up: '+', degraded: '!', down: 'x', unknown: '.' },
};

/** SGR codes that switch a look on and off again. */
type Look = readonly (readonly [on: string, off: string])[];

const bold = ['1', '22'] as const;
const inverse = ['7', '27'] as const;
const foreground = (code: string) => [code, '39'] as const;

/** The 256 are told from white and from black alike: the contrast with either is at least 3.5 to 1. */
const looks: Readonly<Record<Exclude<Colours, 'none'>, Readonly<Record<Tone, Look>>>> = {
  basic: {
    plain: [],
    dim: [['2', '22']],
    strong: [bold],
    accent: [foreground('36')],
    good: [foreground('32')],
    warn: [foreground('33')],
    bad: [bold, foreground('31')],
    cursor: [inverse],
  },
  many: {
    plain: [],
    dim: [foreground('38;5;243')],
    strong: [bold],
    accent: [foreground('38;5;31')],
    good: [foreground('38;5;28')],
    warn: [foreground('38;5;130')],
    bad: [bold, foreground('38;5;167')],
    cursor: [inverse],
  },
};

export const statusTones: Readonly<Record<Status, Tone>> = {
  up: 'good',
  degraded: 'warn',
  down: 'bad',
  unknown: 'dim',
};

export function createTheme(colours: Colours, isUnicode: boolean): Theme {
  const marks = isUnicode ? unicodeMarks : asciiMarks;
  if (colours === 'none') return { marks, paint: (text) => text };
  return { marks, paint: (text, tone) => dressed(text, looks[colours][tone]) };
}

function dressed(text: string, look: Look): string {
  if (text === '' || look.length === 0) return text;
  const on = look.map(([code]) => `\u001b[${code}m`).join('');
  const off = look.map(([, code]) => `\u001b[${code}m`).join('');
  return on + text + off;
}
