/** A clock whose pauses are over at once, and whose deadlines pass when a test says so. */
import type { Clock } from '../../../src/engine/core/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** The deadlines of attempts and what is measured inside them. Everything else that sleeps is a pause. */
const held = new Set([15_000, 30_000, 250, 50]);

export class HeldClock implements Clock {
  /** How long each pause between attempts was, in ms. */
  readonly pauses: number[] = [];
  private readonly clock = new VirtualClock();

  readonly now = this.clock.now;
  readonly monotonic = this.clock.monotonic;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true || held.has(ms)) return this.clock.sleep(ms, signal);
    this.pauses.push(ms);
    this.clock.stall(ms);
    return Promise.resolve();
  };

  /** Every deadline that runs passes now. */
  expire(): void {
    for (let next = this.clock.nextMs(); next < Infinity; next = this.clock.nextMs()) this.clock.moveTo(next);
  }
}
