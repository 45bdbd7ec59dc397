/** Shows the progress of long work on a terminal. */
import type { Context } from '../context.ts';

export interface ProgressLine {
  /** Says how far it is: `replaying 34/100`. */
  readonly say: (text: string) => void;
  /** Takes the line away for good. */
  readonly end: () => void;
}

/** How often the line is drawn, and how long nothing is drawn at first: most work is over by then. */
const redrawMs = 100;
const patienceMs = 400;

/** A line on stderr, drawn in place; nothing where it is no terminal, or wants to be quiet. */
export function openProgressLine({
  stderr,
  clock,
  isQuiet,
}: Pick<Context, 'stderr' | 'clock'> & { readonly isQuiet: boolean }): ProgressLine {
  const isShown = !isQuiet && 'isTTY' in stderr && stderr.isTTY === true;
  let nextDrawMs = clock.monotonic() + patienceMs;
  let isDrawn = false;
  return {
    say: (text) => {
      if (!isShown || clock.monotonic() < nextDrawMs) return;
      nextDrawMs = clock.monotonic() + redrawMs;
      isDrawn = true;
      stderr.write(`\r${text}\u001b[K`);
    },
    end: () => {
      if (isDrawn) stderr.write('\r\u001b[K');
    },
  };
}

/** Each call says that one more of `total` is done. */
export function countOn({ say }: ProgressLine, what: string, total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    say(`${what} ${done}/${total}`);
  };
}
