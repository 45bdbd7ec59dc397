/** Reads ahead before anybody asks, so that the first reader of a page waits no longer than the next one. */

export interface Warming {
  /** Reads a little. Answers whether nothing is left. */
  readonly step: () => boolean;
  /** What can be made once all is read; it makes pauses of its own. */
  readonly last: () => Promise<unknown>;
  /** Lets others have their turn, when it is time. */
  readonly breathe: () => Promise<void>;
}

export interface WarmUp {
  /** Resolves when everything is read and made, when it was stopped, and when it failed: then the first reader finds out. */
  readonly done: Promise<void>;
  readonly stop: () => void;
}

export function warmUp({ step, last, breathe }: Warming): WarmUp {
  let isStopped = false;
  const run = async () => {
    do {
      await breathe();
      if (isStopped) return;
    } while (!step());
    await last();
  };
  return {
    done: run().catch(() => undefined),
    stop: () => {
      isStopped = true;
    },
  };
}
