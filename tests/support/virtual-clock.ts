/** A clock that stands still until a test moves it. */
import type { Clock } from '../../src/engine/core/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class VirtualClock implements Clock {
  private elapsedMs = 0;
  private offsetMs: number;
  private sleepers: Sleeper[] = [];

  constructor(startAt = Date.UTC(2026, 0, 1)) {
    this.offsetMs = startAt;
  }

  readonly now = (): number => this.offsetMs + this.elapsedMs;
  readonly monotonic = (): number => this.elapsedMs;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = () => {
        this.sleepers = this.sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason as Error);
      };
      const wake = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper = { at: this.elapsedMs + ms, wake };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  /** The wall clock alone jumps, as when somebody sets it. */
  step(ms: number): void {
    this.offsetMs += ms;
  }

  /** Lets time pass; whoever is due wakes, in order. */
  advance(ms: number): void {
    this.elapsedMs += ms;
    const due = this.sleepers.filter(({ at }) => at <= this.elapsedMs).sort((a, b) => a.at - b.at);
    this.sleepers = this.sleepers.filter(({ at }) => at > this.elapsedMs);
    for (const { wake } of due) wake();
  }

  /** Lets time pass by itself, step by step, while `work` is under way. */
  async during<T>(work: Promise<T>, stepMs = 50): Promise<T> {
    const state = { isDone: false };
    const done = work.finally(() => {
      state.isDone = true;
    });
    done.catch(() => undefined);
    while (!state.isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      this.advance(stepMs);
    }
    return done;
  }
}
