/** Draws the parts that every help text is made of: headings, blocks of prose, two-column lists. */
import type { Paint } from '../terminal/colour.ts';
import { blocksOf, spansOf } from './markup.ts';

/** How help is drawn. */
export interface HelpStyle {
  readonly paint: Paint;
  /** The widest a line of prose may be, in characters. */
  readonly width: number;
}

/** The width of help for a terminal of so many columns (null: none): lines of more than 100 are hard to read. */
export function helpWidth(terminalColumns: number | null): number {
  return terminalColumns === null ? 80 : Math.min(100, Math.max(40, terminalColumns));
}

const margin = 2;
const gap = 3;

/** The widest first column of a list; a longer entry stands on a line of its own. */
const maxColumn = 32;

/** Beside a first column that leaves less than this, the text stands below its name. */
const leastText = 30;

/** A heading over its lines, or nothing when there are none. */
export function section(title: string, lines: readonly string[], { paint }: HelpStyle): string[] {
  return lines.length === 0 ? [] : ['', paint.bold(title), ...lines];
}

/** Documentation in the markup of markup.ts as lines, its blocks one blank line apart. */
export function prose(source: string, { paint, width }: HelpStyle): string[] {
  const blocks = blocksOf(source).map((block) => {
    switch (block.kind) {
      case 'paragraph':
        return wrapProse(block.text, { width, indent: margin });
      case 'list':
        return block.items.flatMap((item) => wrapProse(item, { width, indent: margin + 2, bullet: '- ' }));
      case 'literal':
        return block.lines.map((line) => (line === '' ? '' : ' '.repeat(margin + 2) + line));
    }
  });
  return blocks.flatMap((lines, index) => [
    ...(index === 0 ? [] : ['']),
    ...lines.map((line) => paintCode(line, paint)),
  ]);
}

/** Names on the left, what they mean on the right. */
export function columns(
  rows: readonly (readonly [name: string, text: string])[],
  { paint, width }: HelpStyle,
): string[] {
  const widest = Math.max(0, ...rows.map(([name]) => name.length).filter((length) => length <= maxColumn));
  const isBeside = width - margin - widest - gap >= leastText;
  const column = isBeside ? widest : 0;
  const indent = isBeside ? margin + column + gap : margin + 4;
  return rows.flatMap(([name, text]) => {
    const lines = wrapProse(text, { width, indent }).map((line) => paintCode(line, paint));
    const heading = ' '.repeat(margin) + paint.bold(name);
    if (name.length > column) return [heading, ...lines];
    const [first = '', ...rest] = lines;
    return [`${heading}${' '.repeat(column - name.length)}${first.slice(indent - gap)}`.trimEnd(), ...rest];
  });
}

function paintCode(line: string, paint: Paint): string {
  return line.replace(/`[^`]+`/g, paint.cyan);
}

interface WrapFrame {
  /** The widest a line may be, indentation included. */
  readonly width: number;
  /** Spaces before every line. */
  readonly indent: number;
  /** Stands before the first line in place of the last of its indentation: `- `. */
  readonly bullet?: string;
}

/** The lines of a paragraph. A code span keeps its back quotes and is not broken while it fits a line. */
export function wrapProse(text: string, wrapFrame: WrapFrame): string[] {
  const glued = spansOf(text.replace(/\s+/g, ' '))
    .map((span) => (span.kind === 'code' ? `\`${span.text.replaceAll(' ', glue)}\`` : span.text))
    .join('');
  return wrapWords(glued.split(' '), wrapFrame).map((line) => line.replaceAll(glue, ' '));
}

/** The lines that these words fill; a word is never broken. */
export function wrapWords(words: readonly string[], { width, indent, bullet = '' }: WrapFrame): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.filter((one) => one !== '')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  const margin = ' '.repeat(indent);
  return lines.map((one, index) => {
    return index === 0 ? margin.slice(0, indent - bullet.length) + bullet + one : margin + one;
  });
}

/** Stands for a space that must not end a line; no documentation contains it. */
const glue = '\u00a0';
