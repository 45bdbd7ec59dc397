/** A clock that stands still until it is moved. */
import TinyQueue from 'tinyqueue';
import type { Clock } from '../../../engine/core/clock.ts';
import { yieldToEventLoop } from '../../../engine/core/yielding.ts';

interface Sleeper {
  /** When it wakes on the monotonic clock. */
  readonly dueMs: number;
  readonly order: number;
  isGone: boolean;
  readonly wake: () => void;
}

const awake = Promise.resolve();
const inOrder = (a: Sleeper, b: Sleeper): number => a.dueMs - b.dueMs || a.order - b.order;

export class VirtualTime implements Clock {
  protected elapsedMs = 0;
  /** The wall clock less the monotonic one. */
  protected offsetMs: number;
  protected sleepers = new TinyQueue<Sleeper>([], inOrder);
  private order = 0;

  /** `startAt`: epoch ms. The monotonic clock begins at 0. */
  constructor(startAt: number) {
    this.offsetMs = startAt;
  }

  readonly now = (): number => Math.round(this.offsetMs + this.elapsedMs);
  readonly monotonic = (): number => this.elapsedMs;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = () => {
        sleeper.isGone = true;
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        dueMs: this.elapsedMs + Math.max(0, ms),
        order: (this.order += 1),
        isGone: false,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  readonly after = (ms: number, run: () => void): (() => void) => {
    const sleeper: Sleeper = {
      dueMs: this.elapsedMs + Math.max(0, ms),
      order: (this.order += 1),
      isGone: false,
      // In a turn of its own, as behind a sleep.
      wake: () => void awake.then(run),
    };
    this.sleepers.push(sleeper);
    return () => {
      sleeper.isGone = true;
    };
  };

  /** When the next sleeper wakes, on the monotonic clock; Infinity: none sleeps. */
  nextMs(): number {
    while (this.sleepers.peek()?.isGone === true) this.sleepers.pop();
    return this.sleepers.peek()?.dueMs ?? Infinity;
  }

  /** Moves on to `ms` on the monotonic clock at once; who is due by then wakes, in order. */
  moveTo(ms: number): void {
    this.elapsedMs = Math.max(this.elapsedMs, ms);
    while (this.nextMs() <= this.elapsedMs) this.sleepers.pop()?.wake();
  }

  /** Lets time pass up to `ms` on the monotonic clock, one instant after the other; what it wakes has run when this resolves. */
  async runTo(ms: number): Promise<void> {
    await yieldToEventLoop();
    for (let next = this.nextMs(); next <= ms; next = this.nextMs()) {
      this.moveTo(next);
      // Nothing here waits for anything but a promise that is settled or a sleep, so one turn is enough.
      await yieldToEventLoop();
    }
    this.elapsedMs = Math.max(this.elapsedMs, ms);
  }
}
