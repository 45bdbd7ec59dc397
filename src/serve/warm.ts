/** Reads figures ahead in small steps, so that the first reader of a page does not stop everything else. */
import type { Clock } from '../engine/core/clock.ts';

/** Between two steps others have their turn. */
const pauseMs = 2;

export interface Warming {
  /** Reads a little. Answers whether nothing is left. */
  readonly step: () => boolean;
  /** What can be made once all is read; it makes pauses of its own. */
  readonly last: () => Promise<unknown>;
}

/** Answers how to stop. */
export function warmUp(clock: Pick<Clock, 'sleep'>, { step, last }: Warming): () => void {
  const stopping = new AbortController();
  const run = async () => {
    try {
      while (!step()) await clock.sleep(pauseMs, stopping.signal);
      await last();
    } catch {
      // Stopped, or there is nothing to read: then the first reader finds out.
    }
  };
  void run();
  return () => {
    stopping.abort();
  };
}
