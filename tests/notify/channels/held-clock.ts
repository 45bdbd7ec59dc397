/** A clock whose pauses are over at once, and whose deadlines pass when a test says so. */
import type { Clock } from '../../../src/engine/core/clock.ts';

/** The deadlines of attempts and what is measured inside them. Everything else that sleeps is a pause. */
const held = new Set([15_000, 30_000, 250, 50]);

export class HeldClock implements Clock {
  /** How long each pause between attempts was, in ms. */
  readonly pauses: number[] = [];
  private elapsedMs = 0;
  private isExpired = false;
  private wakes: (() => void)[] = [];

  readonly now = (): number => Date.UTC(2026, 0, 1) + this.elapsedMs;
  readonly monotonic = (): number => this.elapsedMs;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (held.has(ms)) return this.isExpired ? Promise.resolve() : this.hold(ms, signal);
    this.pauses.push(ms);
    this.elapsedMs += ms;
    return Promise.resolve();
  };

  /** Every deadline that runs passes now. */
  expire(): void {
    this.isExpired = true;
    for (const wake of this.wakes) wake();
    this.isExpired = false;
  }

  private hold(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const endsAt = this.elapsedMs + ms;
    return new Promise((resolve, reject) => {
      const wake = () => {
        this.wakes = this.wakes.filter((other) => other !== wake);
        signal?.removeEventListener('abort', onAbort);
        this.elapsedMs = Math.max(this.elapsedMs, endsAt);
        resolve();
      };
      const onAbort = () => {
        this.wakes = this.wakes.filter((other) => other !== wake);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.wakes.push(wake);
    });
  }
}
