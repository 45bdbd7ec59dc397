/** Does what is due beside the checks: certificates, domains, budgets, upkeep, the health of the store. */
import type { Config } from '../config/config.ts';
import type { Redact } from '../config/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { ProbeResult } from '../core/probe.ts';
import type { Store } from '../../db/store.ts';
import type { Agenda } from './agenda.ts';
import { Burn } from './burn.ts';
import { Certificates } from './certificates.ts';
import { Domains } from './domains.ts';
import type { EngineOptions } from './engine.ts';
import type { Notices } from './notices.ts';
import type { Seen } from './seen.ts';
import type { SteadyClock } from './steady-clock.ts';
import { StorageAlarm } from './storage-alarm.ts';
import { Upkeep } from './upkeep.ts';
import type { Watched } from './watched.ts';

export interface HousekeepingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly log: Log;
  readonly agenda: Agenda;
  readonly notices: Notices;
  readonly config: () => Config;
  readonly redact: () => Redact;
  readonly signal: AbortSignal;
  readonly lookUp: EngineOptions['lookUpDomain'];
}

export class Housekeeping {
  private readonly certificates: Certificates;
  private readonly domains: Domains;
  private readonly burn: Burn;
  private readonly upkeep: Upkeep;
  private readonly storage: StorageAlarm;
  private readonly log: Log;

  constructor(options: HousekeepingOptions) {
    this.log = options.log;
    // Nobody is warned of an expiry that only a clock years ahead has brought near.
    const believing = { ...options, clock: options.steady.believed };
    this.certificates = new Certificates(believing);
    this.domains = new Domains(believing);
    this.burn = new Burn(options);
    this.upkeep = new Upkeep(options);
    this.storage = new StorageAlarm(options);
  }

  start(): void {
    this.storage.start();
    this.domains.arrange();
    this.upkeep.start();
  }

  /** The configuration changed. */
  reload(): void {
    this.domains.arrange();
  }

  stop(): void {
    this.storage.stop();
  }

  /** A sample was kept. Nothing that goes wrong here may hold up the checks. */
  onKept(watched: Watched, seen: Seen): void {
    this.quietly('its error budget', watched, () => {
      this.burn.look(watched, seen);
    });
  }

  /** A check came back. */
  onResult(watched: Watched, { certificate }: ProbeResult): void {
    if (certificate === null) return;
    this.quietly('its certificate', watched, () => {
      this.certificates.see(watched, certificate);
    });
  }

  private quietly(what: string, { id }: Watched, work: () => void): void {
    try {
      work();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `${id}: ${what} could not be looked at: ${why}`;
      this.log({ level: 'error', event: 'engine.fault', message, fields: { monitor: id } });
    }
  }
}
