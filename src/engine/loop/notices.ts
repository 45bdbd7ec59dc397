/** Writes down what is to be told beside the transitions of monitors, and says so when it cannot. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Happening } from '../core/tell/queue.ts';
import type { Operation } from '../../db/operation.ts';
import type { Store } from '../../db/store.ts';
import { tell } from './telling.ts';

export interface NoticesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => Config;
}

export class Notices {
  private readonly options: NoticesOptions;

  constructor(options: NoticesOptions) {
    this.options = options;
  }

  /** Everything in one transaction. `happenings` are routed as the configuration says now. */
  say(happenings: readonly Happening[], operations: readonly Operation[] = []): void {
    const { store, log, config } = this.options;
    const telling = { sql: store.sql, config: config() };
    const told = happenings.flatMap((happening) => tell(happening, telling));
    if (operations.length + told.length === 0) return;
    // Alerts, that the disk fails among them: they leave all the same.
    store.write([...operations, ...told], { mustBeDurable: false }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      log({ level: 'error', event: 'store.refused', message: `something could not be kept: ${why}` });
    });
  }
}
