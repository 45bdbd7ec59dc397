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
  onOver(run: () => void): () => void;
  /** Never below 0. */
  remainingMs(): number;
  /**
   * The error to end with once `signal` is aborted: the caller's reason when the probe was called off; else
   * `late` as a `timeout`, or `unknown` where this host was too busy to keep the deadline itself.
   */
  missed(late: string): Error;
  /** Settles as `work` does, or rejects with `late()` as soon as `signal` is aborted. Leaves no listener behind. */
  bound<T>(work: Promise<T>, late: () => Error): Promise<T>;
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

/** Its accessors stand in a class: an object literal with some of its own costs each probe a shape that nothing else has. */
class RunningDeadline implements Deadline {
  readonly clock: Clock;
  readonly timeoutMs: number;
  private readonly caller: AbortSignal;
  private readonly endsAt: number;
  private readonly listeners = new Set<() => void>();
  private readonly giveUp: (error: Error) => void;
  private parts: AbortController | null = null;
  private over: { readonly reason: unknown } | null = null;
  private lateMs = 0;
  private isSettled = false;
  private stopTimer: () => void;

  /** `giveUp` is called when the work goes on although it was told to stop. */
  constructor({ clock, timeoutMs, signal }: DeadlineLimits, giveUp: (error: Error) => void) {
    this.clock = clock;
    this.timeoutMs = timeoutMs;
    this.caller = signal;
    this.giveUp = giveUp;
    this.endsAt = clock.monotonic() + timeoutMs;
    this.stopTimer = callAfter(clock, timeoutMs, () => {
      this.lateMs = clock.monotonic() - this.endsAt;
      // Timers run before sockets are read: after a stall the answer may be waiting, so it is read first.
      setImmediate(() => {
        this.end(new DeadlinePassed());
      });
    });
    signal.addEventListener('abort', this.onCalledOff, { once: true });
  }

  get signal(): AbortSignal {
    this.parts ??= new AbortController();
    if (this.over !== null) this.parts.abort(this.over.reason);
    return this.parts.signal;
  }

  get isOver(): boolean {
    return this.over !== null;
  }

  onOver(run: () => void): () => void {
    this.listeners.add(run);
    return () => {
      this.listeners.delete(run);
    };
  }

  remainingMs(): number {
    return Math.max(0, this.endsAt - this.clock.monotonic());
  }

  missed(late: string): Error {
    if (this.caller.aborted) return this.caller.reason as Error;
    if (this.lateMs < stalledMs)
      return new ProbeFault({ outcome: 'failed', category: 'timeout', message: late, isSilence: true });
    const message = `this host stood still for ${latencyText(this.lateMs)}, so the deadline says nothing of the target`;
    return new ProbeFault({ outcome: 'unknown', category: 'own_fault', message });
  }

  bound<T>(part: Promise<T>, late: () => Error): Promise<T> {
    return new Promise((done, fail) => {
      const onLate = () => {
        fail(late());
      };
      if (this.over !== null) onLate();
      part.then(done, fail).finally(this.onOver(onLate));
    });
  }

  /** There is a result: nothing is waited for any more. */
  settle(): void {
    this.isSettled = true;
    this.stopTimer();
    this.caller.removeEventListener('abort', this.onCalledOff);
  }

  private readonly onCalledOff = (): void => {
    this.end(this.caller.reason);
  };

  private end(reason: unknown): void {
    if (this.isSettled || this.over !== null) return;
    this.stopTimer();
    this.over = { reason };
    this.parts?.abort(reason);
    for (const run of this.listeners) run();
    this.stopTimer = callAfter(this.clock, lastWordsMs, () => {
      this.settle();
      this.giveUp(this.missed(`no result within ${secondsText(this.timeoutMs)}`));
    });
  }
}

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
  return new Promise((resolve, reject: (error: Error) => void) => {
    limits.signal.throwIfAborted();
    // Every probe under way listens to the one signal of its caller; Node takes more than ten for a leak.
    setMaxListeners(0, limits.signal);
    const deadline = new RunningDeadline(limits, reject);
    work(deadline).then(
      (result) => {
        deadline.settle();
        resolve(result);
      },
      (error: unknown) => {
        deadline.settle();
        reject(error as Error);
      },
    );
  });
}
