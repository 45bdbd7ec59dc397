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
  /**
   * Aborted when the time is up (its reason is a DeadlinePassed) or when the caller calls the probe off. Made when it is
   * first asked for: `isOver` and `onOver` say the same for a fraction of what it costs.
   */
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  /** Calls `run` when it is over, unless that is called off by what this answers. */
  readonly onOver: (run: () => void) => () => void;
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
    const listeners = new Set<() => void>();
    let parts: AbortController | null = null;
    let over: { readonly reason: unknown } | null = null;
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
      if (isSettled || over !== null) return;
      stopTimer();
      over = { reason };
      parts?.abort(reason);
      for (const run of listeners) run();
      stopTimer = callAfter(clock, lastWordsMs, () => {
        settle();
        reject(missed(`no result within ${secondsText(timeoutMs)}`));
      });
    };
    const onOver = (run: () => void) => {
      listeners.add(run);
      return () => {
        listeners.delete(run);
      };
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
      get signal() {
        parts ??= new AbortController();
        if (over !== null) parts.abort(over.reason);
        return parts.signal;
      },
      get isOver() {
        return over !== null;
      },
      onOver,
      remainingMs: () => Math.max(0, endsAt - clock.monotonic()),
      missed,
      bound: (part, late) =>
        new Promise((done, fail) => {
          const onLate = () => {
            fail(late());
          };
          if (over !== null) onLate();
          part.then(done, fail).finally(onOver(onLate));
        }),
    })
      .finally(settle)
      .then(resolve, reject);
  });
}
