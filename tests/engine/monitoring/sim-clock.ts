/** A clock that runs through days in seconds: whoever sleeps is woken in order, one instant at a time. */
import type { Clock } from '../../../src/engine/core/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly order: number;
  isGone: boolean;
  readonly wake: () => void;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

export class SimClock implements Clock {
  private elapsedMs = 0;
  private offsetMs: number;
  private sleptMs = 0;
  private order = 0;
  private readonly heap: Sleeper[] = [];

  constructor(startAt = Date.UTC(2026, 0, 1)) {
    this.offsetMs = startAt;
  }

  readonly now = (): number => Math.round(this.offsetMs + this.elapsedMs);
  /** The wall clock before it is rounded to whole ms. */
  readonly preciseNow = (): number => this.offsetMs + this.elapsedMs;
  readonly monotonic = (): number => this.elapsedMs;
  /** As on a machine whose monotonic clock stands still while it sleeps. */
  readonly uptime = (): number => this.elapsedMs + this.sleptMs;

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
        at: this.elapsedMs + ms,
        order: (this.order += 1),
        isGone: false,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  /** The wall clock alone jumps: somebody sets it. */
  step(ms: number): void {
    this.offsetMs += ms;
  }

  /** The machine sleeps: time passes that the monotonic clock does not count. */
  suspend(ms: number): void {
    this.sleptMs += ms;
    this.offsetMs += ms;
  }

  /** The whole process stands still: time passes and nobody is woken until it has. */
  stall(ms: number): void {
    this.elapsedMs += ms;
  }

  /** Lets time pass; everything that it wakes has run when this resolves. */
  async run(ms: number): Promise<void> {
    const endMs = this.elapsedMs + ms;
    await settle();
    let isUnsettled = false;
    for (;;) {
      const next = this.heap[0];
      if (isUnsettled && (next === undefined || next.at > this.elapsedMs)) {
        await settle();
        isUnsettled = false;
        continue;
      }
      if (next === undefined || next.at > endMs) break;
      this.pop();
      if (next.isGone) continue;
      this.elapsedMs = Math.max(this.elapsedMs, next.at);
      next.wake();
      isUnsettled = true;
    }
    this.elapsedMs = Math.max(this.elapsedMs, endMs);
  }

  /** Lets time pass until `work` is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const done = work.finally(() => {
      state.isDone = true;
    });
    done.catch(() => undefined);
    // Most work needs no time to pass, but a moment of the real event loop: a module to be loaded, say.
    const realMs = performance.now();
    while (!state.isDone && performance.now() - realMs < 200) await settle();
    for (let limit = 0; !state.isDone && limit < 100_000; limit += 1) await this.run(100);
    return done;
  }

  private push(item: Sleeper): void {
    const { heap } = this;
    let place = heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(item, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = item;
  }

  private pop(): void {
    const { heap } = this;
    const item = heap.pop();
    if (item === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below === undefined) break;
      if (right !== undefined && isBefore(right, below)) {
        below = right;
        child += 1;
      }
      if (!isBefore(below, item)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = item;
  }
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
