/** Counts how often something happens, as a rate over the last minute. */
import type { Clock } from '../core/clock.ts';

const windowSecs = 60;

export class RateMeter {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly beganMs: number;
  /** One for each second of the window, by turns. */
  private readonly counts = new Array<number>(windowSecs).fill(0);
  private second: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock;
    this.beganMs = clock.monotonic();
    this.second = this.now();
  }

  note(): void {
    this.turn();
    const place = this.second % windowSecs;
    this.counts[place] = (this.counts[place] ?? 0) + 1;
  }

  /** A second, over the last minute or as long as there is something to count. */
  get perSec(): number {
    this.turn();
    const total = this.counts.reduce((sum, count) => sum + count, 0);
    const secs = (this.clock.monotonic() - this.beganMs) / 1000;
    return total / Math.min(windowSecs, Math.max(1, secs));
  }

  private now(): number {
    return Math.max(0, Math.floor(this.clock.monotonic() / 1000));
  }

  /** What lies a minute back is not counted any more. */
  private turn(): void {
    const now = this.now();
    for (let second = Math.max(this.second, now - windowSecs) + 1; second <= now; second += 1)
      this.counts[second % windowSecs] = 0;
    this.second = now;
  }
}
