/** Notices a disk that does not answer while a write waits for it. */
import type { Clock } from '../../engine/core/clock.ts';
import type { Mutex } from '../../engine/core/mutex.ts';

export interface HangGuardOptions {
  readonly mutex: Mutex;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
  /** Whether anything waits for the disk. */
  readonly isAnyWaiting: () => boolean;
  /** Whether the disk is given up already, so that nobody has to notice. */
  readonly isGivenUp: () => boolean;
  readonly onHang: () => void;
}

/** When nothing gets done on the log for so many looks, a second apart, the disk does not answer. */
const looks = { everyMs: 1000, most: 5 };

export class HangGuard {
  private readonly options: HangGuardOptions;
  private isLooking = false;
  /** How many turns had ended when one was found hanging. */
  private hungAt: number | null = null;

  constructor(options: HangGuardOptions) {
    this.options = options;
  }

  /** The disk took something long ago and has not answered yet. */
  get isHanging(): boolean {
    return this.hungAt === this.options.mutex.count;
  }

  /** To be called when something begins to wait. */
  watch(): void {
    if (!this.isLooking) void this.look();
  }

  /** Looks are counted instead of time: a process that was stopped for an hour has looked once. */
  private async look(): Promise<void> {
    const { mutex, clock, signal, isAnyWaiting, isGivenUp, onHang } = this.options;
    this.isLooking = true;
    for (let count = 0, seen = mutex.count; count < looks.most && !isGivenUp(); ) {
      await clock.sleep(looks.everyMs, signal).catch(() => undefined);
      if (signal.aborted || !isAnyWaiting()) break;
      count = seen === mutex.count ? count + 1 : 0;
      seen = mutex.count;
      if (count < looks.most) continue;
      this.hungAt = seen;
      onHang();
    }
    this.isLooking = false;
  }
}
