/** Says once for each episode that the store cannot keep what it is given. */
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store, StoreHealth } from '../../db/store/store.ts';
import type { NoticeSender } from './notice-sender.ts';

export interface StorageAlarmOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly notices: NoticeSender;
}

export class StorageAlarm {
  private readonly options: StorageAlarmOptions;
  private isNotified = false;
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
    if (isDurable !== this.isNotified) return;
    this.isNotified = !isDurable;
    const { clock, log, notices } = this.options;
    if (isDurable) {
      log({ level: 'info', event: 'store.recovered', message: 'the database is written again' });
      return;
    }
    const at = clock.now();
    const message = `the database cannot be written: ${reason ?? 'the disk does not take it'}`;
    log({ level: 'error', event: 'store.failing', message });
    notices.send([{ kind: 'storage_failing', at, startedAt: since ?? at, error: reason }]);
  }
}
