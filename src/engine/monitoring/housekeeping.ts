/**
 * Does the periodic work beside the checks: certificates, domains, error budgets, retention, the health of the store.
 */
import type { Config } from '../config/config.ts';
import type { Redact } from '../config/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { ProbeResult } from '../core/probe.ts';
import type { Store } from '../../db/store/store.ts';
import type { TimerQueue } from './timer-queue.ts';
import { Burn } from './budget-burn.ts';
import { Certificates } from './certificates.ts';
import { Domains } from './domains.ts';
import type { EngineOptions } from './engine.ts';
import type { NoticeSender } from './notice-sender.ts';
import type { Observation } from './observation.ts';
import type { SteadyClock } from './clock/steady-clock.ts';
import { StorageAlarm } from './storage-alarm.ts';
import type { Rename } from './renames.ts';
import { Retention } from './retention.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

export interface HousekeepingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly log: Log;
  readonly timers: TimerQueue;
  readonly notices: NoticeSender;
  readonly config: () => Config;
  readonly redact: () => Redact;
  readonly signal: AbortSignal;
  readonly lookUp: EngineOptions['lookUpDomain'];
  /** See EngineOptions. */
  readonly isStandIn: () => boolean;
}

export class Housekeeping {
  private readonly certificates: Certificates;
  private readonly domains: Domains;
  private readonly burn: Burn;
  private readonly retention: Retention;
  private readonly storage: StorageAlarm;
  private readonly log: Log;

  constructor(options: HousekeepingOptions) {
    this.log = options.log;
    // Nobody is warned of an expiry that only a clock years ahead has brought near.
    const trusting = { ...options, clock: options.steady.trusted };
    this.certificates = new Certificates(trusting);
    this.domains = new Domains(trusting);
    this.burn = new Burn(options);
    this.retention = new Retention(options);
    this.storage = new StorageAlarm(options);
  }

  start(): void {
    this.storage.start();
    this.domains.arrange();
    this.retention.start();
  }

  /** Monitors go by other ids, in the store already. */
  rename(renames: readonly Rename[]): void {
    for (const rename of renames) this.certificates.rename(rename);
  }

  /** Before the configuration changes: records what took effect by the one so far. Never rejects. */
  beforeReload(): Promise<void> {
    return this.retention.keepWindows();
  }

  /** The configuration changed. */
  reload(): void {
    this.domains.arrange();
    void this.retention.keepWindows();
  }

  stop(): void {
    this.storage.stop();
  }

  /** A sample was kept. Nothing that goes wrong here may hold up the checks. */
  onKept(watchedMonitor: WatchedMonitor, observation: Observation): void {
    this.quietly('its error budget', watchedMonitor, () => {
      this.burn.look(watchedMonitor, observation);
    });
  }

  /** A check came back. */
  onResult(watchedMonitor: WatchedMonitor, result: ProbeResult): void {
    this.quietly('its certificate', watchedMonitor, () => {
      this.certificates.look(watchedMonitor, result);
    });
  }

  private quietly(what: string, { id }: WatchedMonitor, work: () => void): void {
    try {
      work();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `${id}: ${what} could not be looked at: ${why}`;
      this.log({ level: 'error', event: 'engine.fault', message, fields: { monitor: id } });
    }
  }
}
