/** Clocks as arguments, so that a test can drive everything that waits. */

export interface Clock {
  /** The wall clock: epoch milliseconds. It may step; use it for instants that are stored or shown. */
  readonly now: () => number;
  /** Milliseconds from an arbitrary origin, never stepping back. Use it for spans. */
  readonly monotonic: () => number;
  /**
   * How long the machine has been up in ms, a suspend included, which the monotonic clock may leave out. Absent: nothing
   * distinguishes a machine that slept from a clock that was set.
   */
  readonly uptime?: () => number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `run` after `ms`; answers how to call it off. Absent: by `sleep`, which costs more. */
  readonly after?: (ms: number, run: () => void) => () => void;
}

/**
 * The time until the next of the beats that come every `everyMs` of the monotonic clock, `everyMs` at most: what an idle
 * process does by such beats wakes it once for all of it.
 */
export function untilBeat(monotonicMs: number, everyMs: number): number {
  const restMs = Math.ceil(everyMs - (monotonicMs % everyMs));
  // Timers end a little early at times; that was the beat.
  return restMs < earlyMs ? everyMs : restMs;
}

const earlyMs = 5;

/** Made once: an error of its own for each would cost more than the timer. */
const calledOff = new Error('nobody waits any more');

/** Has `run` called after `ms`; answers how to call it off. */
export function callAfter(
  { after, sleep }: Pick<Clock, 'sleep' | 'after'>,
  ms: number,
  run: () => void,
): () => void {
  if (after !== undefined) return after(ms, run);
  const ended = new AbortController();
  sleep(ms, ended.signal).then(run, () => undefined);
  return () => {
    ended.abort(calledOff);
  };
}

/** Resolves when `work` does, or after `ms`; rejects as it does. `work` goes on: nothing ends it. */
export async function waitAtMost(
  { sleep }: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<unknown>,
): Promise<void> {
  const ended = new AbortController();
  try {
    await Promise.race([work, sleep(ms, ended.signal).catch(() => undefined)]);
  } finally {
    ended.abort(calledOff);
  }
}
