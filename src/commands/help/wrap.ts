/** Breaks prose into lines. */
import { spansOf } from './markup.ts';

export interface WrapFrame {
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
