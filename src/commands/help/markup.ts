/**
 * Reads the small markup that documentation is written in: paragraphs, `- ` lists, blocks indented by four
 * spaces that are shown as they are, `code` in back quotes. A blank line ends a paragraph.
 */

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'literal'; readonly lines: readonly string[] };

export type MarkupSpan =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string };

/** The blocks of `source`, whose common indentation is taken off first. */
export function blocksOf(source: string): Block[] {
  return dedent(source)
    .split(/\n(?:[ \t]*\n)+/)
    .filter((chunk) => chunk.trim() !== '')
    .reduce<Block[]>((blocks, chunk) => {
      const lines = chunk.split('\n').filter((line) => line !== '');
      const last = blocks.at(-1);
      if (lines.every((line) => line.startsWith('    '))) {
        const literal = lines.map((line) => line.slice(4));
        if (last?.kind !== 'literal') return [...blocks, { kind: 'literal', lines: literal }];
        return [...blocks.slice(0, -1), { kind: 'literal', lines: [...last.lines, '', ...literal] }];
      }
      return [...blocks, ...proseOf(lines)];
    }, []);
}

/** `text` cut at its back quotes; the quotes themselves are gone. A lone back quote is text. */
export function spansOf(text: string): MarkupSpan[] {
  return text
    .split(/(`[^`]+`)/)
    .filter((part) => part !== '')
    .map((part) =>
      part.length > 2 && part.startsWith('`') && part.endsWith('`')
        ? { kind: 'code', text: part.slice(1, -1) }
        : { kind: 'text', text: part },
    );
}

/** A paragraph directly followed by a list stays two blocks, without a blank line in the source. */
function proseOf(lines: readonly string[]): Block[] {
  const blocks: { kind: 'paragraph' | 'list'; items: string[] }[] = [];
  for (const line of lines) {
    const item = /^\s*- +(.*)$/.exec(line)?.[1];
    const last = blocks.at(-1);
    if (item !== undefined) {
      if (last?.kind === 'list') last.items.push(item.trim());
      else blocks.push({ kind: 'list', items: [item.trim()] });
    } else if (last === undefined) {
      blocks.push({ kind: 'paragraph', items: [line.trim()] });
    } else {
      last.items.push(`${last.items.pop() ?? ''} ${line.trim()}`);
    }
  }
  return blocks.map(({ kind, items }) =>
    kind === 'list' ? { kind, items } : { kind, text: items.join(' ') },
  );
}

function dedent(source: string): string {
  const lines = source.replace(/\r\n?/g, '\n').split('\n');
  const depths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const depth = depths.length === 0 ? 0 : Math.min(...depths);
  return lines
    .map((line) => line.slice(depth).trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '');
}
