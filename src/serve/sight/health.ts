/** How this node itself is: what /healthz tells. */
import type { Store } from '../../db/store.ts';
import type { Config } from '../../engine/config/config.ts';
import type { Spread } from '../metrics/families.ts';
import { rfc3339 } from '../../engine/core/duration.ts';

/** What the engine says of itself, as far as it is told. */
export interface EngineHealth {
  readonly isSchedulerOk: boolean;
  readonly lastTickAgeMs: number | null;
  /** How late the last ticks began. */
  readonly lateness: Spread;
  readonly network: { readonly state: 'ok' | 'suspect' | 'lost'; readonly sinceAt: number | null };
}

export interface HealthSources {
  readonly store: Pick<Store, 'health'>;
  readonly engineHealth: () => EngineHealth;
}

export function readHealth({ store, engineHealth }: HealthSources, { health }: Pick<Config, 'health'>) {
  const { isSchedulerOk, lastTickAgeMs, network } = engineHealth();
  const { isDurable } = store.health();
  const isWell = isSchedulerOk && isDurable;
  return {
    status: isWell ? ('ok' as const) : ('degraded' as const),
    scheduler_ok: isSchedulerOk,
    db_ok: isDurable,
    /** Seconds. */
    last_tick_age: lastTickAgeMs === null ? null : Math.round(lastTickAgeMs) / 1000,
    id: health.id,
    peers: {},
    network: { state: network.state, since: network.sinceAt === null ? null : rfc3339(network.sinceAt) },
  };
}

export type HealthView = ReturnType<typeof readHealth>;
