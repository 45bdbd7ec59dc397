/** Reports once for each episode that the store refuses writes: at once in the log, to channels when it lasts. */
import type { Config } from '../config/config.ts';
import { callAfter, type Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store, StoreHealth } from '../../db/store/store.ts';
import type { NoticeSender } from './notice-sender.ts';

export interface StorageAlarmOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly notices: NoticeSender;
  readonly config: () => Pick<Config, 'alerts' | 'storage'>;
}

/** However short the window is: a database that answers late once is not worth a notification. */
const leastSecs = 5;

export class StorageAlarm {
  private readonly options: StorageAlarmOptions;
  private isFailing = false;
  private end: () => void = () => undefined;
  private callOff: () => void = () => undefined;

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
    this.callOff();
  }

  private hear({ isDurable, reason, hint = null, since }: StoreHealth): void {
    if (isDurable !== this.isFailing) return;
    this.isFailing = !isDurable;
    const { clock, log, notices, config } = this.options;
    if (isDurable) {
      this.callOff();
      log({ level: 'info', event: 'store.recovered', message: 'writes to the database succeed again' });
      return;
    }
    const startedAt = since ?? clock.now();
    const message = `the database cannot be written: ${reason ?? 'the disk does not take it'}`;
    log({
      level: 'error',
      event: 'store.failing',
      message: hint === null ? message : `${message}. ${hint}`,
    });
    this.callOff = callAfter(clock, patienceMs(config()), () => {
      notices.send([{ kind: 'storage_failing', at: clock.now(), startedAt, error: reason }]);
    });
  }
}

/**
 * How long it lasts before it is notified: the window of every alert, in which a fault that passes wakes nobody. A leader that
 * alone has lost a shared database hands over before its lease is over, and that is no fault of the database either.
 */
function patienceMs({ alerts, storage }: Pick<Config, 'alerts' | 'storage'>): number {
  return Math.max(alerts.group_window_secs, storage?.lease_secs ?? 0, leastSecs) * 1000;
}
