/** Draws the parts that every help text is made of: headings, blocks of prose, two-column lists. */
import type { Paint } from '../terminal/colour.ts';
import { blocksOf } from './markup.ts';
import { wrapProse } from './wrap.ts';

export const helpWidth = 80;
const margin = 2;
const gap = 3;

/** The widest first column of a list; a longer entry stands on a line of its own. */
const maxColumn = 32;

/** A heading over its lines, or nothing when there are none. */
export function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint.bold(title), ...lines];
}

/** Documentation in the markup of markup.ts as lines, its blocks one blank line apart. */
export function prose(source: string, paint: Paint): string[] {
  const blocks = blocksOf(source).map((block) => {
    switch (block.kind) {
      case 'paragraph':
        return wrapProse(block.text, { width: helpWidth, indent: margin });
      case 'list':
        return block.items.flatMap((item) =>
          wrapProse(item, { width: helpWidth, indent: margin + 2, bullet: '- ' }),
        );
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
export function columns(rows: readonly (readonly [name: string, text: string])[], paint: Paint): string[] {
  const widths = rows.map(([name]) => name.length).filter((width) => width <= maxColumn);
  const column = Math.max(0, ...widths);
  const indent = margin + column + gap;
  return rows.flatMap(([name, text]) => {
    const lines = wrapProse(text, { width: helpWidth, indent }).map((line) => paintCode(line, paint));
    const heading = ' '.repeat(margin) + paint.bold(name);
    if (name.length > column) return [heading, ...lines];
    const [first = '', ...rest] = lines;
    return [`${heading}${' '.repeat(column - name.length)}${first.slice(indent - gap)}`.trimEnd(), ...rest];
  });
}

function paintCode(line: string, paint: Paint): string {
  return line.replace(/`[^`]+`/g, paint.cyan);
}
