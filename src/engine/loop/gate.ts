/** Lets so many in at a time, in the order they came. */
import type { Clock } from '../core/clock.ts';

interface Waiting {
  readonly sinceMs: number;
  readonly enter: () => void;
}

export class Gate {
  private readonly places: number;
  private readonly clock: Clock;
  private waiting: Waiting[] = [];
  private taken = 0;

  constructor(places: number, clock: Clock) {
    this.places = places;
    this.clock = clock;
  }

  get inside(): number {
    return this.taken;
  }

  /** Calls `enter` when there is a place, at once when there is one now. `leave` has to follow. */
  pass(enter: () => void): void {
    if (this.taken >= this.places) {
      this.waiting.push({ sinceMs: this.clock.monotonic(), enter });
      return;
    }
    this.taken += 1;
    enter();
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.taken -= 1;
    else next.enter();
  }

  /** How long the first in the queue has been waiting; 0 when there is none. */
  longestWaitMs(): number {
    const [first] = this.waiting;
    return first === undefined ? 0 : this.clock.monotonic() - first.sinceMs;
  }
}
