/** Feels whether this process runs: knows when it stood still, so that nobody is blamed for it. */
import type { Clock } from '../core/clock.ts';
import { type LastRun, type Standstill, standstillBetween } from './clock/standstill.ts';

export class StallDetector {
  private readonly clock: Clock;
  private readonly onGap: (gap: Exclude<Standstill, { readonly kind: 'none' }>) => void;
  private readonly before: () => void;
  private last: LastRun;
  private lastGapMs = -Infinity;

  /**
   * `onGap` is called once for each standstill and each step of the clock, by the first who notices; `before` each
   * time, so that the clock can notice first that it was set.
   */
  constructor(
    clock: Clock,
    onGap: (gap: Exclude<Standstill, { readonly kind: 'none' }>) => void,
    before: () => void = () => undefined,
  ) {
    this.clock = clock;
    this.onGap = onGap;
    this.before = before;
    this.last = { monotonicMs: clock.monotonic(), at: clock.now() };
  }

  /** To be called on every beat, and before what came back is judged: its beat may not have come yet. */
  observe(): void {
    this.before();
    const now: LastRun = { monotonicMs: this.clock.monotonic(), at: this.clock.now() };
    const standstill = standstillBetween(this.last, now);
    this.last = now;
    if (standstill.kind === 'none') return;
    this.lastGapMs = now.monotonicMs;
    this.onGap(standstill);
  }

  /** Whether something that began at `startedMs` and goes on until now was cut by a gap. */
  wasCutSince(startedMs: number): boolean {
    return this.lastGapMs >= startedMs;
  }
}
