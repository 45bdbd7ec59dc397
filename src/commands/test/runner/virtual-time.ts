/** A clock that whoever plays a test moves from one instant to the next. */
import type { Clock } from '../../../engine/core/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class VirtualTime implements Clock {
  private at: number;
  private readonly originAt: number;
  private readonly sleepers = new Set<Sleeper>();

  constructor(originAt: number) {
    this.originAt = originAt;
    this.at = originAt;
  }

  readonly now = (): number => this.at;
  readonly monotonic = (): number => this.at - this.originAt;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = () => {
        this.sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        at: this.at + Math.max(0, Math.ceil(ms)),
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  /** When the next sleeper wakes; Infinity: nobody sleeps. */
  nextAt(): number {
    let next = Infinity;
    for (const { at } of this.sleepers) next = Math.min(next, at);
    return next;
  }

  /** Moves on to `at`; with everybody who is due by then, all has happened that can when this resolves. */
  async moveTo(at: number): Promise<void> {
    this.at = Math.max(this.at, at);
    await settle();
    while (this.nextAt() <= this.at) {
      for (const sleeper of [...this.sleepers]) {
        if (sleeper.at > this.at) continue;
        this.sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settle();
    }
  }
}

/** Nothing here waits for anything but a promise that is settled or a sleep, so one turn of the event loop is enough. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
