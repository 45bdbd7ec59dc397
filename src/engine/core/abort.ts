/** Listens to signals that are waited with again and again. */

/** What is called when a signal is aborted, by signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` once when `signal` is aborted, which it is not yet; answers how to call that off. A signal has one listener
 * for all of them, which stays: adding and removing one each time costs more than the timer that ends with it.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  let runs = waiting.get(signal);
  if (runs === undefined) {
    runs = new Set();
    waiting.set(signal, runs);
    signal.addEventListener('abort', callAll, { once: true });
  }
  const calls = runs;
  calls.add(run);
  return () => {
    calls.delete(run);
  };
}

/** The outcome of `work`; rejects with the reason of `signal` when that is aborted first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  let stopListening = () => undefined as unknown;
  const aborted = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, () => {
      reject(signal.reason as Error);
    });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopListening();
  }
}

function callAll({ target }: Event): void {
  const signal = target as AbortSignal;
  const runs = waiting.get(signal) ?? [];
  waiting.delete(signal);
  for (const run of runs) run();
}
