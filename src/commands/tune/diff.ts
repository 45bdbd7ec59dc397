/** Writes changed lines as a unified diff for `patch` and `git apply`. */

/** At the line of index `line`, `removed` lines give way to `added`. */
export interface FileEdit {
  readonly line: number;
  readonly removed: number;
  readonly added: readonly string[];
}

interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly edits: readonly FileEdit[];
}

interface Changed {
  readonly edits: readonly FileEdit[];
  /** How many lines before and after an edit are shown, so that it finds its place. */
  readonly context: number;
}

/** `lines`: the file split at `\n`, so the last is empty when it ends with one. Empty when there is no edit. */
export function unifiedDiff(name: string, lines: readonly string[], changed: Changed): string {
  if (changed.edits.length === 0) return '';
  const length = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const body: string[] = [];
  let shift = 0;
  for (const hunk of hunksOf(changed, length)) {
    const marked = markedLines(hunk, lines);
    const added = marked.filter((line) => line.startsWith('+')).length;
    const removed = marked.filter((line) => line.startsWith('-')).length;
    const size = hunk.to - hunk.from;
    body.push(
      `@@ -${hunk.from + 1},${size} +${hunk.from + 1 + shift},${size + added - removed} @@`,
      ...marked,
    );
    shift += added - removed;
  }
  const path = name.replace(/^\/+/, '');
  return `${[`--- a/${path}`, `+++ b/${path}`, ...body].join('\n')}\n`;
}

/** Edits that are near each other share a hunk. */
function hunksOf({ edits, context }: Changed, length: number): Hunk[] {
  const hunks: Hunk[] = [];
  for (const edit of edits.toSorted((a, b) => a.line - b.line)) {
    const from = Math.max(0, edit.line - context);
    const to = Math.min(length, edit.line + edit.removed + context);
    const last = hunks.at(-1);
    if (last === undefined || from > last.to) hunks.push({ from, to, edits: [edit] });
    else hunks.splice(-1, 1, { from: last.from, to: Math.max(last.to, to), edits: [...last.edits, edit] });
  }
  return hunks;
}

function markedLines({ from, to, edits }: Hunk, lines: readonly string[]): string[] {
  const marked: string[] = [];
  const show = (mark: string, index: number) => {
    marked.push(`${mark}${lines[index] ?? ''}`);
    if (index === lines.length - 1) marked.push('\\ No newline at end of file');
  };
  let index = from;
  for (const { line, removed, added } of edits) {
    for (; index < line; index++) show(' ', index);
    for (; index < line + removed; index++) show('-', index);
    marked.push(...added.map((text) => `+${text}`));
  }
  for (; index < to; index++) show(' ', index);
  return marked;
}
