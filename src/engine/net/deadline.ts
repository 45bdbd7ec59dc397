/** One deadline for everything a probe does. */
import { latencyText, secondsText } from '../core/duration.ts';
import { setMaxListeners } from 'node:events';
import type { Clock } from '../core/clock.ts';
import { ProbeFault } from './faults.ts';

/** Why `Deadline.signal` was aborted when it was the time that ran out. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

export interface Deadline {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborted when the time is up (its reason is a DeadlinePassed) or when the caller calls the probe off. */
  readonly signal: AbortSignal;
  /** Never below 0. */
  readonly remainingMs: () => number;
  /**
   * The error to end with once `signal` is aborted: the caller's reason when the probe was called off; else
   * `late` as a `timeout`, or `unknown` where this host was too busy to keep the deadline itself.
   */
  readonly missed: (late: string) => Error;
  /** Settles as `work` does, or rejects with `late()` as soon as `signal` is aborted. Leaves no listener behind. */
  readonly bound: <T>(work: Promise<T>, late: () => Error) => Promise<T>;
}

export interface DeadlineLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Calls the probe off: shutdown, a reload, an interrupt. */
  readonly signal: AbortSignal;
}

/** What a probe may still take, after its deadline, to say in its own words where it was. */
const lastWordsMs = 50;

/** Made once: an error of its own for each probe costs more than the rest of its end. */
const over = new Error('the probe is over');

/** A deadline timer that fires this late was held up by this host, not by the target. */
const stalledMs = 500;

/**
 * Runs `work` under one deadline. Settles by the deadline + 100 ms whatever `work` does: first `signal` tells
 * every part to stop, then what still goes on is left behind.
 *
 * Rejects with `limits.signal`'s reason when the probe is called off, otherwise as `work` does.
 */
export async function withDeadline<T>(
  limits: DeadlineLimits,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { clock, timeoutMs } = limits;
  limits.signal.throwIfAborted();
  // Every probe under way listens to the one signal of its caller; Node takes more than ten for a leak.
  setMaxListeners(0, limits.signal);
  const endsAt = clock.monotonic() + timeoutMs;
  const parts = new AbortController();
  const settled = new AbortController();
  const { signal } = parts;
  let lateMs = 0;

  const missed = (late: string): Error => {
    if (limits.signal.aborted) return limits.signal.reason as Error;
    if (lateMs < stalledMs)
      return new ProbeFault({ outcome: 'failed', category: 'timeout', message: late, isSilence: true });
    const message = `this host stood still for ${latencyText(lateMs)}, so the deadline says nothing of the target`;
    return new ProbeFault({ outcome: 'unknown', category: 'own_fault', message });
  };
  const deadline: Deadline = {
    clock,
    timeoutMs,
    signal,
    remainingMs: () => Math.max(0, endsAt - clock.monotonic()),
    missed,
    bound: (part, late) => boundBy(signal, part, late),
  };

  const leftBehind = async (): Promise<never> => {
    await clock.sleep(lastWordsMs, settled.signal);
    throw missed(`no result within ${secondsText(timeoutMs)}`);
  };
  const timeUp = async (): Promise<never> => {
    await clock.sleep(timeoutMs, settled.signal);
    lateMs = clock.monotonic() - endsAt;
    // Timers run before sockets are read: after a stall the answer may be waiting, so it is read first.
    await new Promise((resolve) => setImmediate(resolve));
    parts.abort(new DeadlinePassed());
    return leftBehind();
  };
  const calledOff = new Promise<never>((_resolve, reject) => {
    limits.signal.addEventListener(
      'abort',
      () => {
        parts.abort(limits.signal.reason);
        leftBehind().catch(reject);
      },
      { once: true, signal: settled.signal },
    );
  });

  try {
    return await Promise.race([work(deadline), timeUp(), calledOff]);
  } finally {
    settled.abort(over);
  }
}

function boundBy<T>(signal: AbortSignal, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(late());
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
