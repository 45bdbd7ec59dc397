/** Checks monitors out of turn. */
import type { Clock } from '../core/clock.ts';
import type { Prober } from './prober.ts';
import type { MonitorRegistry } from './registry.ts';
import { type Permit, Semaphore } from './semaphore.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

export interface OutOfTurnOptions {
  readonly clock: Clock;
  readonly prober: Pick<Prober, 'checkNow' | 'checkAnew'>;
  readonly registry: Pick<MonitorRegistry, 'find'>;
  readonly signal: AbortSignal;
}

/** Checks at a time of what is checked anew: all dependents of a host that has just recovered could overload that again. */
const anewAtOnce = { prompt: 100, slow: 100 };

export class OutOfTurn {
  private readonly options: OutOfTurnOptions;
  private readonly semaphore: Semaphore;

  constructor(options: OutOfTurnOptions) {
    this.options = options;
    this.semaphore = new Semaphore(anewAtOnce, options.clock);
  }

  /** Lets in the checks that have a place by now; to be called from time to time: see Semaphore. */
  admit(): void {
    this.semaphore.admit();
  }

  /** Checks these monitors now, or waits for the check that is under way. Push monitors cannot be asked. */
  async checkNow(ids: readonly string[]): Promise<void> {
    const { prober } = this.options;
    await Promise.all(this.probed(ids).map((watchedMonitor) => prober.checkNow(watchedMonitor).kept));
  }

  /** As `checkNow`, with checks that begin from now on, a bounded number at a time. */
  async checkAnew(ids: readonly string[]): Promise<void> {
    await Promise.all(this.probed(ids).map((watchedMonitor) => this.checkOneAnew(watchedMonitor)));
  }

  private async checkOneAnew(watchedMonitor: WatchedMonitor): Promise<void> {
    const { prober, signal } = this.options;
    const permit = await new Promise<Permit>((enter) => {
      this.semaphore.pass(watchedMonitor.isSlow, enter);
    });
    try {
      if (!signal.aborted) await prober.checkAnew(watchedMonitor);
    } finally {
      this.semaphore.leave(permit);
    }
  }

  private probed(ids: readonly string[]): WatchedMonitor[] {
    const { registry, signal } = this.options;
    if (signal.aborted) return [];
    return ids.flatMap((id) => {
      const watchedMonitor = registry.find(id);
      return watchedMonitor === null || watchedMonitor.monitor.kind === 'push' ? [] : [watchedMonitor];
    });
  }
}
