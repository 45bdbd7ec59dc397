/** The clock of the database server, by which nodes count. */
import type { Clock } from '../../engine/core/clock.ts';

/**
 * The clock of the server, as this process knows it: the question that took the shortest says it best. SteadyClock begins
 * where the last run ended, too, but knows when that was to a minute only, and nothing of a clock that was behind.
 */
export class ServerTime {
  readonly clock: Clock;
  private readonly local: Clock;
  private readonly recent: { readonly offsetMs: number; readonly tookMs: number }[] = [];
  private offsetMs: number;

  constructor(local: Clock) {
    this.local = local;
    this.offsetMs = local.now() - local.monotonic();
    this.clock = { ...local, now: () => Math.round(local.monotonic() + this.offsetMs) };
  }

  note(at: number, tookMs: number): void {
    this.recent.push({ offsetMs: at + tookMs / 2 - this.local.monotonic(), tookMs });
    if (this.recent.length > keptQuestions) this.recent.shift();
    const best = this.recent.reduce((a, b) => (b.tookMs <= a.tookMs ? b : a));
    if (Math.abs(best.offsetMs - this.offsetMs) > toleratedMs) this.offsetMs = best.offsetMs;
  }
}

const keptQuestions = 8;
const toleratedMs = 20;
