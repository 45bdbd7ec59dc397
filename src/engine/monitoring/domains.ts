/** Looks up the registrations of domains once a day, and warns before they expire. */
import type { Config } from '../config/config.ts';
import type { Redact } from '../config/redact.ts';
import type { Clock } from '../core/clock.ts';
import { fractionOf } from '../core/fraction.ts';
import type { DomainExpiry } from '../probes/domain.ts';
import type { Store } from '../../db/store/store.ts';
import { domains } from '../../db/tables/domains.ts';
import type { TimerQueue, Timer } from './timer-queue.ts';
import type { EngineOptions } from './engine.ts';
import type { NoticeSender } from './notice-sender.ts';

export interface DomainsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: TimerQueue;
  readonly config: () => Config;
  readonly redact: () => Redact;
  readonly signal: AbortSignal;
  readonly notices: NoticeSender;
  readonly lookUp: EngineOptions['lookUpDomain'];
}

interface NamedDomain {
  readonly id: string;
  readonly domain: string;
}

const dayMs = 86_400_000;
const retryMs = 3_600_000;
const spreadMs = 120_000;

export class Domains {
  private readonly options: DomainsOptions;
  private alarms: Timer[] = [];

  constructor(options: DomainsOptions) {
    this.options = options;
  }

  /** Arranges the look-ups of the current configuration: those that are a day old soon, spread over two minutes. */
  arrange(): void {
    const { timers, clock, config, lookUp, store } = this.options;
    for (const alarm of this.alarms) timers.cancel(alarm);
    this.alarms = [];
    if (lookUp === null) return;
    for (const monitor of config().monitors) {
      const domain = 'domain_expiry' in monitor ? monitor.domain_expiry : null;
      if (domain === null) continue;
      const known = domains.find(store.sql, monitor.id);
      const ageMs = known?.domain === domain ? clock.now() - known.checkedAt : dayMs;
      const restMs = ((known?.error ?? null) === null ? dayMs : retryMs) - Math.max(0, ageMs);
      this.later({ id: monitor.id, domain }, Math.max(0, restMs) + fractionOf(monitor.id) * spreadMs);
    }
  }

  private later(named: NamedDomain, ms: number): void {
    const alarm = this.options.timers.after(ms, () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
      return this.look(named);
    });
    this.alarms.push(alarm);
  }

  private async look(named: NamedDomain): Promise<void> {
    const { lookUp, redact, signal } = this.options;
    if (lookUp === null) return;
    let found: DomainExpiry;
    try {
      found = await lookUp(named.domain, { signal, redact: redact() });
    } catch (error) {
      found = { kind: 'unknown', message: error instanceof Error ? error.message : String(error) };
    }
    if (signal.aborted || !this.isWanted(named)) return;
    this.later(named, found.kind === 'known' ? dayMs : retryMs);
    this.keep(named, found);
  }

  private isWanted({ id, domain }: NamedDomain): boolean {
    return this.options
      .config()
      .monitors.some(
        (monitor) => monitor.id === id && 'domain_expiry' in monitor && monitor.domain_expiry === domain,
      );
  }

  private keep({ id: monitor, domain }: NamedDomain, found: DomainExpiry): void {
    const { clock, config, notices, store } = this.options;
    const at = clock.now();
    if (found.kind === 'unknown') {
      notices.send([], [domains.see({ monitor, domain, expiresAt: null, error: found.message, at })]);
      return;
    }
    const { expiresAt } = found;
    const see = domains.see({ monitor, domain, expiresAt, error: null, at });
    const isExpiring = expiresAt - at <= config().alerts.domain_expiry_days * dayMs;
    const isWarned = domains.find(store.sql, monitor)?.warnedForAt === expiresAt;
    if (!isExpiring || isWarned) {
      notices.send([], [see]);
      return;
    }
    const warned = domains.warned({ monitor, expiresAt });
    notices.send([{ kind: 'domain_expiring', at, monitor, domain, expiresAt }], [see, warned]);
  }
}
