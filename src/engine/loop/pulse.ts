/** Feels whether this process runs: knows when it stood still, so that nobody is blamed for it. */
import type { Clock } from '../core/clock.ts';
import { type Beat, type Gap, gapBetween } from '../core/doubt/standstill.ts';

export class Pulse {
  private readonly clock: Clock;
  private readonly onGap: (gap: Exclude<Gap, { readonly kind: 'none' }>) => void;
  private readonly before: () => void;
  private last: Beat;
  private lastGapMs = -Infinity;

  /**
   * `onGap` is called once for each standstill and each step of the clock, by the first who notices; `before` each
   * time, so that the clock can notice first that it was set.
   */
  constructor(
    clock: Clock,
    onGap: (gap: Exclude<Gap, { readonly kind: 'none' }>) => void,
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
    const now: Beat = { monotonicMs: this.clock.monotonic(), at: this.clock.now() };
    const gap = gapBetween(this.last, now);
    this.last = now;
    if (gap.kind === 'none') return;
    this.lastGapMs = now.monotonicMs;
    this.onGap(gap);
  }

  /** Whether something that began at `startedMs` and goes on until now was cut by a gap. */
  wasCutSince(startedMs: number): boolean {
    return this.lastGapMs >= startedMs;
  }
}
