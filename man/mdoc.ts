/** Writes mdoc(7), the language of manual pages, so that no text can be taken for a macro. */
import { blocksOf, spansOf } from '../src/commands/help/markup.ts';

/** Longer input lines are legal, but mandoc calls them bad style. */
const maxLine = 78;

/** Prose as mdoc lines: paragraphs, lists and literal blocks in the markup of markup.ts. */
export function mdocProse(source: string): string[] {
  return blocksOf(source).flatMap((block, index) => {
    const lines = (() => {
      switch (block.kind) {
        case 'paragraph':
          return mdocParagraph(block.text);
        case 'list':
          return [
            '.Bl -bullet -compact',
            ...block.items.flatMap((item) => ['.It', ...mdocParagraph(item)]),
            '.El',
          ];
        case 'literal':
          return mdocLiteral(block.lines);
      }
    })();
    return index === 0 || block.kind === 'literal' ? lines : ['.Pp', ...lines];
  });
}

/** One paragraph: every sentence begins a line, code is bold. The name of a value is set as `Ar` sets it. */
export function mdocParagraph(text: string, valueName: string | null = null): string[] {
  const words = spansOf(text.replace(/\s+/g, ' ').trim()).reduce<string[][]>(
    (grown, span) => {
      const parts = span.text.split(' ');
      const escaped = parts.map((part) =>
        span.kind === 'code' ? inFont(span.text === valueName ? 'I' : 'B', part) : escapeProse(part),
      );
      const [first = '', ...rest] = escaped;
      const last = grown.at(-1) ?? [];
      // A span continues the word before it unless a space stands between them.
      last.push(first);
      return [...grown, ...rest.map((word) => [word])];
    },
    [[]],
  );
  return linesOf(words.map((parts) => parts.join('')).filter((word) => word !== ''));
}

/** Lines shown as they are, indented. */
export function mdocLiteral(lines: readonly string[]): string[] {
  return ['.Bd -literal -offset indent', ...lines.map((line) => guardLine(escapeCode(line))), '.Ed'];
}

/** One argument of a macro: in quotes when it has spaces, and never a macro's name or punctuation itself. */
export function mdocArgument(text: string): string {
  const escaped = escapeCode(text);
  const guarded = /^([A-Z%][a-zA-Z0-9]{1,2}|[.,:;()[\]?!|])$/.test(escaped) ? `\\&${escaped}` : escaped;
  return /\s/.test(guarded) || guarded === '' ? `"${guarded}"` : guarded;
}

/** An option as `Fl` takes it, which prints the first dash itself. */
export function mdocFlag(name: string): string {
  return `Fl ${mdocArgument(name.slice(1))}`;
}

function inFont(font: 'B' | 'I', text: string): string {
  return text === '' ? '' : `\\f${font}${escapeCode(text)}\\fR`;
}

/** Text to be read: hyphens may end a line, quotes may curl. */
function escapeProse(text: string): string {
  return escapeSpecial(text).replaceAll(/(?<![A-Za-z])-(?=-?[A-Za-z])/g, '\\-');
}

/** Text to be typed: every character stays the ASCII character that it is. */
function escapeCode(text: string): string {
  return escapeSpecial(text)
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha');
}

function escapeSpecial(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('"', '\\(dq')
    .replaceAll('~', '\\(ti')
    .replace(/[^\n -~]/gu, (character) => {
      return `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
    });
}

/** A line that begins with a dot or an apostrophe would be a macro. */
function guardLine(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

function linesOf(words: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const isNewSentence = /[.!?](\)|\\\(dq|\\fR)*$/.test(line);
    if (line !== '' && (isNewSentence || line.length + 1 + word.length > maxLine)) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? guardLine(word) : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
