/** How things look: colours for tones, marks for statuses, as far as a terminal can show them. */
import type { Status } from '../engine/core/status.ts';
import type { ScreenLine, Tone } from './line.ts';

/** What the terminal can do: no colour, the 16 of its own palette, or 256. */
export type Colours = 'none' | 'basic' | 'many';

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
  /** From low to high. */
  readonly levels: readonly string[];
  /** A cell of a chart where nothing was measured. */
  readonly gap: string;
  /** A day of each status, told apart by height as well as by colour. */
  readonly day: Readonly<Record<Status, string>>;
}

export interface Theme {
  readonly marks: Marks;
  /** The line with its colours. */
  readonly paint: (line: ScreenLine) => string;
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
  levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  gap: ' ',
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
  up: 'up',
  down: 'down',
  levels: ['_', '.', '-', '~', '=', '+', '*', '#'],
  gap: ' ',
  day: { up: '+', degraded: '!', down: 'x', unknown: '.' },
};

/** SGR codes that switch a look on and off again. */
type Look = readonly (readonly [on: string, off: string])[];

const bold = ['1', '22'] as const;
const foreground = (code: string) => [code, '39'] as const;

const looks: Readonly<Record<Exclude<Colours, 'none'>, Readonly<Record<Tone, Look>>>> = {
  basic: {
    plain: [],
    dim: [['2', '22']],
    strong: [bold],
    accent: [foreground('36')],
    good: [foreground('32')],
    warn: [foreground('33')],
    bad: [bold, foreground('31')],
  },
  many: {
    plain: [],
    dim: [foreground('38;5;245')],
    strong: [bold],
    accent: [foreground('38;5;74')],
    good: [foreground('38;5;71')],
    warn: [foreground('38;5;220')],
    bad: [bold, foreground('38;5;203')],
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
  return { marks, paint: colours === 'none' ? textOf : (line) => painted(line, looks[colours]) };
}

/** The text of a line without any look. */
export function textOf({ spans }: ScreenLine): string {
  return spans.map(({ text }) => text).join('');
}

/** A selected line is inverse as a whole: tones within it would become patches of background. */
function painted(line: ScreenLine, look: Readonly<Record<Tone, Look>>): string {
  if (line.isSelected === true) return `\u001b[7m${textOf(line)}\u001b[27m`;
  return line.spans.map(({ text, tone }) => dressed(text, look[tone])).join('');
}

function dressed(text: string, look: Look): string {
  if (text === '' || look.length === 0) return text;
  const on = look.map(([code]) => `\u001b[${code}m`).join('');
  const off = look.map(([, code]) => `\u001b[${code}m`).join('');
  return on + text + off;
}
