/** Remembers when hosts answered, so that no target is reported down for a cut of a few seconds: see mayHideCut. */
import type { Clock } from '../../core/clock.ts';
import type { HostReach } from '../watched-monitor.ts';

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
  private readonly unproven = new Set<HostReach>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The check of a target that was begun at `sinceMs` met silence. */
  noteSilence(reach: HostReach, sinceMs: number): void {
    if (reach.silentSinceMs !== null) return;
    reach.silentSinceMs = sinceMs;
    reach.provenMs = this.latestMs >= sinceMs ? this.latestMs : null;
    if (reach.provenMs === null) this.unproven.add(reach);
  }

  /** A host answered: whatever is silent from now on is so with a network. */
  noteAnswer(): void {
    const atMs = this.clock.monotonic();
    if (atMs - this.latestMs > shortestCutMs) this.afterLullMs = atMs;
    this.latestMs = atMs;
    for (const reach of this.unproven) reach.provenMs = atMs;
    this.unproven.clear();
  }

  /**
   * Whether a cut may have covered every check since the silence of a target began, and be over: nobody answered between
   * the first of them and the last one, begun at `sinceMs`, or there is only one, and nobody was heard for a while as
   * it was under way.
   */
  mayHideCut({ provenMs }: HostReach, sinceMs: number): boolean {
    return (provenMs === null || provenMs > sinceMs) && !this.wereHeardSince(sinceMs);
  }

  /** Whether hosts answered again and again since then, with no time between them that a cut could fill. */
  private wereHeardSince(sinceMs: number): boolean {
    return this.afterLullMs <= sinceMs && this.clock.monotonic() - this.latestMs <= shortestCutMs;
  }
}
