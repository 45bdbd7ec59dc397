/** Probes monitors, a few at a time. */

export interface CheckRun<M, R> {
  /** How many are in flight at most. */
  readonly concurrency: number;
  /** Stops the run: nothing more is started, and what is in flight is left alone. */
  readonly signal: AbortSignal;
  readonly check: (monitor: M) => Promise<R>;
  readonly onStart?: (monitor: M) => void;
  readonly onDone?: (monitor: M, result: R) => void;
}

/**
 * Checks every monitor and answers the results in the order of `monitors`. A slot is taken again the moment
 * it is free, so that a slow target holds up one slot and nobody else. When the signal is aborted it answers
 * at once: `undefined` stands for what was not known by then. Rejects when a check rejects before that.
 */
export async function runChecks<M, R>(
  monitors: readonly M[],
  checkRun: CheckRun<M, R>,
): Promise<readonly (R | undefined)[]> {
  const { concurrency, signal, check, onStart, onDone } = checkRun;
  const results = new Array<R | undefined>(monitors.length).fill(undefined);
  let queue = [...monitors.entries()].reverse();
  const work = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [index, monitor] = next;
      onStart?.(monitor);
      try {
        const result = await check(monitor);
        // A verdict that arrives after the interrupt would be that of a probe which was cut short.
        if (signal.aborted) return;
        results[index] = result;
        onDone?.(monitor, result);
      } catch (error) {
        queue = [];
        if (!signal.aborted) throw error;
      }
    }
  };
  if (signal.aborted) return results;
  const workers = Array.from({ length: Math.min(concurrency, monitors.length) }, work);
  await Promise.race([Promise.all(workers), aborted(signal)]);
  return [...results];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const onAbort = () => {
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) resolve();
  });
}
