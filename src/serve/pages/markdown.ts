/** Renders what people write in Markdown: headings, lists, code, paragraphs, emphasis and links. The rest is text. */
import { html, Html, type HtmlPart } from './html.ts';

/** No HTML of the text gets through, and links lead to http and https alone. Headings begin with `h3`. */
export function renderMarkdown(text: string): Html {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Html[] = [];
  const depths = [...new Set(lines.flatMap((line) => headingIn(line)?.depth ?? []))].sort((a, b) => a - b);
  let level = 2;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const heading = headingIn(line);
    if (line.trim() === '') {
      at += 1;
    } else if (heading !== null) {
      // None is left out on the way down.
      level = Math.min(3 + depths.indexOf(heading.depth), level + 1);
      const tag = new Html(`h${Math.min(level, 6)}`);
      blocks.push(html`<${tag}>${inline(heading.text)}</${tag}>`);
      at += 1;
    } else if (fence.test(line)) {
      const from = at + 1;
      do at += 1;
      while (at < lines.length && !fence.test(lines[at] ?? ''));
      blocks.push(code(lines.slice(from, at)));
      at += 1;
    } else {
      const kind = kindOf(line);
      const from = at;
      while (at < lines.length && goesOn(kind, lines[at] ?? '')) at += 1;
      blocks.push(blockOf(kind, lines.slice(from, at)));
    }
  }
  return html`<div class="md">${blocks}</div>`;
}

const fence = /^ {0,3}```/;
const item = /^ {0,3}(?:([-*+])|\d{1,9}[.)]) +/;
const indented = /^(?: {4}|\t)/;

type BlockKind = 'code' | 'bullets' | 'numbers' | 'text';

function headingIn(line: string): { readonly depth: number; readonly text: string } | null {
  const [, marks, text] = /^ {0,3}(#{1,6}) +(.*)$/.exec(line) ?? [];
  return marks === undefined || text === undefined ? null : { depth: marks.length, text };
}

function kindOf(line: string): BlockKind {
  if (indented.test(line)) return 'code';
  const found = item.exec(line);
  return found === null ? 'text' : found[1] === undefined ? 'numbers' : 'bullets';
}

/** Whether a line belongs to the block before it: an item may have further lines, which are indented. */
function goesOn(kind: BlockKind, line: string): boolean {
  if (line.trim() === '' || headingIn(line) !== null || fence.test(line)) return false;
  const own = kindOf(line);
  return own === kind || ((kind === 'bullets' || kind === 'numbers') && /^\s/.test(line));
}

function blockOf(kind: BlockKind, lines: readonly string[]): Html {
  switch (kind) {
    case 'code':
      return code(lines.map((line) => line.replace(indented, '')));
    case 'text':
      return html`<p class="text">${inline(lines.map((line) => line.trim()).join('\n'))}</p>`;
    case 'bullets':
    case 'numbers': {
      const items: string[] = [];
      for (const line of lines) {
        const last = items.length - 1;
        if (item.test(line) || last < 0) items.push(line.replace(item, ''));
        else items[last] = `${items[last]} ${line.trim()}`;
      }
      const drawn = items.map(
        (each) => html`<li>${inline(each.replace(/^\[ \] /, '☐ ').replace(/^\[[xX]\] /, '☑ '))}</li>`,
      );
      return kind === 'bullets' ? html`<ul>${drawn}</ul>` : html`<ol>${drawn}</ol>`;
    }
  }
}

function code(lines: readonly string[]): Html {
  return html`<pre class="snap" tabindex="0">${lines.join('\n')}</pre>`;
}

/** Bounded, so that no text takes long. */
const spans =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,500})\*(?!\w)|(?<!\w)_([^_\s][^_\n]{0,500})_(?!\w)|\[([^\]\n]{1,300})\]\((https?:\/\/[^\s()<>"]{1,1000})\)/g;

function inline(text: string): HtmlPart {
  const parts: HtmlPart[] = [];
  let end = 0;
  for (const found of text.matchAll(spans)) {
    const [whole, literal, strong, star, underline, label, href] = found;
    const emphasis = star ?? underline;
    parts.push(text.slice(end, found.index));
    end = found.index + whole.length;
    if (literal !== undefined) parts.push(html`<code>${literal}</code>`);
    else if (strong !== undefined) parts.push(html`<b>${strong}</b>`);
    else if (emphasis !== undefined) parts.push(html`<em>${emphasis}</em>`);
    else if (label !== undefined && href !== undefined)
      parts.push(html`<a href="${href}" rel="nofollow">${label}</a>`);
  }
  return [...parts, text.slice(end)];
}
