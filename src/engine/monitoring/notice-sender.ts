/** Queues notifications that no transition of a monitor causes, and logs when it cannot. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { AlertEvent } from '../alerting/events/catalogue.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { Store } from '../../db/store/store.ts';
import { alertOperations } from './alert-operations.ts';

export interface NoticeSenderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => Config;
}

export class NoticeSender {
  private readonly options: NoticeSenderOptions;

  constructor(options: NoticeSenderOptions) {
    this.options = options;
  }

  /** Everything in one transaction. `happenings` are routed as the configuration says now. */
  send(events: readonly AlertEvent[], operations: readonly Operation[] = []): void {
    const { store, log, config } = this.options;
    const inputs = { sql: store.sql, config: config() };
    const notified = events.flatMap((event) => alertOperations(event, inputs));
    if (operations.length + notified.length === 0) return;
    // Alerts, that the disk fails among them: they leave all the same.
    store.write([...operations, ...notified], { mustBeDurable: false }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      log({
        level: 'error',
        event: 'store.refused',
        message: `an event could not be written to the database: ${why}`,
      });
    });
  }
}
