/** Says on a terminal how far the replaying is. */
import type { Context } from '../context.ts';

export interface Replaying {
  readonly next: () => void;
  /** Takes the line away for good. */
  readonly end: () => void;
}

/** How often the line is drawn, and how long nothing is drawn at first: most runs are over by then. */
const redrawMs = 100;
const patienceMs = 400;

/** A line `replaying 34/100` on stderr; nothing where it is no terminal, or wants to be quiet. */
export function showReplaying(
  total: number,
  { stderr, clock, isQuiet }: Pick<Context, 'stderr' | 'clock'> & { readonly isQuiet: boolean },
): Replaying {
  const isShown = !isQuiet && 'isTTY' in stderr && stderr.isTTY === true;
  let nextDrawMs = clock.monotonic() + patienceMs;
  let done = 0;
  let isDrawn = false;
  return {
    next: () => {
      done += 1;
      if (!isShown || clock.monotonic() < nextDrawMs) return;
      nextDrawMs = clock.monotonic() + redrawMs;
      isDrawn = true;
      stderr.write(`\rreplaying ${done}/${total}\u001b[K`);
    },
    end: () => {
      if (isDrawn) stderr.write('\r\u001b[K');
    },
  };
}
