/** Draws frames on a terminal by writing only the lines that changed. */

export interface Painter {
  /** Shows these lines, the first at the top. */
  readonly show: (lines: readonly string[]) => void;
  /** Forgets what the terminal shows: the next frame is written whole. */
  readonly forget: () => void;
}

/** Terminals that know it hold the screen still in between; the others ignore it. */
const beginUpdate = '\u001b[?2026h';
const endUpdate = '\u001b[?2026l';

/**
 * A line is erased before it is written, not after: at the end of a full line the cursor still stands on its last
 * character, and erasing from there would take it.
 */
export function createPainter(write: (text: string) => void): Painter {
  let known: readonly string[] | null = null;
  return {
    show: (lines) => {
      const before = known;
      known = lines;
      const isWhole = before === null;
      const changed = lines.flatMap((line, index) =>
        before?.[index] === line || (isWhole && line === '')
          ? []
          : [`\u001b[${index + 1};1H\u001b[2K${line}`],
      );
      const left = (before ?? [])
        .slice(lines.length)
        .map((_, index) => `\u001b[${lines.length + index + 1};1H\u001b[2K`);
      const text = (isWhole ? '\u001b[2J' : '') + changed.join('') + left.join('');
      if (text !== '') write(beginUpdate + text + endUpdate);
    },
    forget: () => {
      known = null;
    },
  };
}
