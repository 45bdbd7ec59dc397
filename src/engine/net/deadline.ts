/** One deadline for everything a probe does. */
import { latencyText, secondsText } from '../core/duration.ts';
import { setMaxListeners } from 'node:events';
import { callAfter, type Clock } from '../core/clock.ts';
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

/** A deadline timer that fires this late was held up by this host, not by the target. */
const stalledMs = 500;

/**
 * Runs `work` under one deadline. Settles by the deadline + 100 ms whatever `work` does: first `signal` tells
 * every part to stop, then what still goes on is left behind.
 *
 * Rejects with `limits.signal`'s reason when the probe is called off, otherwise as `work` does.
 */
export function withDeadline<T>(
  limits: DeadlineLimits,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const { clock, timeoutMs } = limits;
    limits.signal.throwIfAborted();
    // Every probe under way listens to the one signal of its caller; Node takes more than ten for a leak.
    setMaxListeners(0, limits.signal);
    const endsAt = clock.monotonic() + timeoutMs;
    const parts = new AbortController();
    const { signal } = parts;
    let lateMs = 0;
    let isSettled = false;

    const missed = (late: string): Error => {
      if (limits.signal.aborted) return limits.signal.reason as Error;
      if (lateMs < stalledMs)
        return new ProbeFault({ outcome: 'failed', category: 'timeout', message: late, isSilence: true });
      const message = `this host stood still for ${latencyText(lateMs)}, so the deadline says nothing of the target`;
      return new ProbeFault({ outcome: 'unknown', category: 'own_fault', message });
    };
    const settle = () => {
      isSettled = true;
      stopTimer();
      limits.signal.removeEventListener('abort', onCalledOff);
    };
    const end = (reason: unknown) => {
      if (isSettled || signal.aborted) return;
      stopTimer();
      parts.abort(reason);
      stopTimer = callAfter(clock, lastWordsMs, () => {
        settle();
        reject(missed(`no result within ${secondsText(timeoutMs)}`));
      });
    };
    const onCalledOff = () => {
      end(limits.signal.reason);
    };
    let stopTimer = callAfter(clock, timeoutMs, () => {
      lateMs = clock.monotonic() - endsAt;
      // Timers run before sockets are read: after a stall the answer may be waiting, so it is read first.
      setImmediate(() => {
        end(new DeadlinePassed());
      });
    });
    limits.signal.addEventListener('abort', onCalledOff, { once: true });
    work({
      clock,
      timeoutMs,
      signal,
      remainingMs: () => Math.max(0, endsAt - clock.monotonic()),
      missed,
      bound: (part, late) => boundBy(signal, part, late),
    })
      .finally(settle)
      .then(resolve, reject);
  });
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
