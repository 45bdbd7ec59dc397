/** Says once for each episode that the store cannot keep what it is given. */
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store, StoreHealth } from '../../db/store.ts';
import type { Notices } from './notices.ts';

export interface StorageAlarmOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly notices: Notices;
}

export class StorageAlarm {
  private readonly options: StorageAlarmOptions;
  private isTold = false;
  private end: () => void = () => undefined;

  constructor(options: StorageAlarmOptions) {
    this.options = options;
  }

  start(): void {
    const { store } = this.options;
    this.end = store.onHealth((health) => {
      this.hear(health);
    });
    this.hear(store.health());
  }

  stop(): void {
    this.end();
  }

  private hear({ isDurable, reason, since }: StoreHealth): void {
    if (isDurable !== this.isTold) return;
    this.isTold = !isDurable;
    const { clock, log, notices } = this.options;
    if (isDurable) {
      log({ level: 'info', event: 'store.recovered', message: 'the database is written again' });
      return;
    }
    const at = clock.now();
    const message = `the database cannot be written: ${reason ?? 'the disk does not take it'}`;
    log({ level: 'error', event: 'store.failing', message });
    notices.say([{ kind: 'storage_failing', at, startedAt: since ?? at, error: reason }]);
  }
}
