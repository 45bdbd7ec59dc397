/** Notices when this process stood still, so that no target is reported down for it. */
import type { Clock } from '../core/clock.ts';
import { type LastRun, type Standstill, standstillBetween } from './clock/standstill.ts';

export interface StallDetectorOptions {
  readonly clock: Clock;
  /** How often `observe` is called at least. */
  readonly beatMs: number;
  /** Called once for each standstill and each step of the clock, by the first who notices. */
  readonly onGap: (gap: Exclude<Standstill, { readonly kind: 'none' }>) => void;
  /** Called each time, so that the clock can notice first that it was set. */
  readonly before: () => void;
}

export class StallDetector {
  private readonly options: StallDetectorOptions;
  private last: LastRun;
  private lastGapMs = -Infinity;

  constructor(options: StallDetectorOptions) {
    this.options = options;
    this.last = this.read();
  }

  /** To be called on every beat, and before what came back is judged: its beat may not have come yet. */
  observe(): void {
    const { beatMs, onGap, before } = this.options;
    before();
    const now = this.read();
    const standstill = standstillBetween(this.last, now, beatMs);
    this.last = now;
    if (standstill.kind === 'none') return;
    this.lastGapMs = now.monotonicMs;
    onGap(standstill);
  }

  /** Whether something that began at `startedMs` and goes on until now was cut by a gap. */
  wasCutSince(startedMs: number): boolean {
    return this.lastGapMs >= startedMs;
  }

  private read(): LastRun {
    const { clock } = this.options;
    return { monotonicMs: clock.monotonic(), at: clock.now() };
  }
}
