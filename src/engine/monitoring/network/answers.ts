/** Keeps in mind when hosts answered, so that a cut of a few seconds accuses no target: see mayHideCut. */
import type { Clock } from '../../core/clock.ts';
import type { WatchedMonitor } from '../watched-monitor.ts';

/** A cut of the network this short leaves a check time to be answered. */
const shortestCutMs = 2000;

/** All instants are of the monotonic clock. */
export class Answers {
  private readonly clock: Clock;
  /** When a host last answered. */
  private latestMs = -Infinity;
  /** When one last answered after a time without answers that a cut could fill. */
  private afterLullMs = -Infinity;
  /** What fell silent since. */
  private readonly unproven = new Set<WatchedMonitor>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The check of a target that was begun at `sinceMs` met silence. */
  noteSilence(watchedMonitor: WatchedMonitor, sinceMs: number): void {
    if (watchedMonitor.silentSinceMs !== null) return;
    watchedMonitor.silentSinceMs = sinceMs;
    watchedMonitor.provenMs = this.latestMs >= sinceMs ? this.latestMs : null;
    if (watchedMonitor.provenMs === null) this.unproven.add(watchedMonitor);
  }

  /** A host answered: whatever is silent from now on is so with a network. */
  noteAnswer(): void {
    const atMs = this.clock.monotonic();
    if (atMs - this.latestMs > shortestCutMs) this.afterLullMs = atMs;
    this.latestMs = atMs;
    for (const watchedMonitor of this.unproven) watchedMonitor.provenMs = atMs;
    this.unproven.clear();
  }

  /**
   * Whether a cut may have covered every check since the silence of a target began, and be over: nobody answered between
   * the first of them and the last one, begun at `sinceMs`, or there is only one, and nobody was heard for a while as
   * it was under way.
   */
  mayHideCut({ provenMs }: WatchedMonitor, sinceMs: number): boolean {
    return (provenMs === null || provenMs > sinceMs) && !this.wereHeardSince(sinceMs);
  }

  /** Whether hosts answered again and again since then, with no time between them that a cut could fill. */
  private wereHeardSince(sinceMs: number): boolean {
    return this.afterLullMs <= sinceMs && this.clock.monotonic() - this.latestMs <= shortestCutMs;
  }
}
