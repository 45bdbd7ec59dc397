/** How this node itself is: what /healthz tells. */
import type { Store } from '../../db/store.ts';
import type { Config } from '../../engine/config/config.ts';
import type { Spread } from '../metrics/families.ts';
import { rfc3339 } from '../../engine/core/duration.ts';
import { peerCounts } from '../../engine/views/peers.ts';
import { readPeers } from './peers.ts';

/** What the engine says of itself, as far as it is told. */
export interface EngineHealth {
  readonly isSchedulerOk: boolean;
  readonly lastTickAgeMs: number | null;
  /** How late the last ticks began. */
  readonly lateness: Spread;
  readonly network: { readonly state: 'ok' | 'suspect' | 'lost'; readonly sinceAt: number | null };
}

export interface HealthSources {
  readonly store: Pick<Store, 'health' | 'sql'>;
  readonly engineHealth: () => EngineHealth;
}

interface HealthAsked {
  readonly config: Config;
  /** The reader may know which peers there are, and not only how many. */
  readonly hasPeers: boolean;
  readonly nowAt: number;
}

export function readHealth({ store, engineHealth }: HealthSources, { config, hasPeers, nowAt }: HealthAsked) {
  const { isSchedulerOk, lastTickAgeMs, network } = engineHealth();
  const { isDurable } = store.health();
  const peers = readPeers(store.sql, config, nowAt);
  const isWell = isSchedulerOk && isDurable;
  return {
    status: isWell ? ('ok' as const) : ('degraded' as const),
    scheduler_ok: isSchedulerOk,
    db_ok: isDurable,
    /** Seconds. */
    last_tick_age: lastTickAgeMs === null ? null : Math.round(lastTickAgeMs) / 1000,
    id: config.health.id,
    peers: hasPeers ? Object.fromEntries(peers.map(({ id, state, age }) => [id, { state, age }])) : {},
    peer_counts: peerCounts(peers),
    network: { state: network.state, since: network.sinceAt === null ? null : rfc3339(network.sinceAt) },
  };
}

export type HealthView = ReturnType<typeof readHealth>;
