/** The health of this node, as /healthz answers it. */
import type { Store } from '../../db/store/store.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { losses } from '../../db/tables/losses.ts';
import { type LossView, lossViews } from '../../engine/views/losses.ts';
import type { Config } from '../../engine/config/config.ts';
import type { Spread } from '../../engine/views/metrics/families.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import { problemOf, readOwnFault } from '../../engine/core/own-fault.ts';
import { peerCounts } from '../../engine/views/peers.ts';
import { readPeers } from './frame.ts';

/** What the engine says of itself, as far as it is shown. */
export interface ReportedHealth {
  readonly isSchedulerOk: boolean;
  readonly lastTickAgeMs: number | null;
  /** How late the last ticks began. */
  readonly lateness: Spread;
  readonly network: { readonly state: 'ok' | 'suspect' | 'lost'; readonly sinceAt: number | null };
  /** The node that leads, which a standby has not reached for so long that heartbeats are lost on it; absent: it does. */
  readonly unreachedLeader?: string | null;
}

/** How this node stands among those that share a database. */
export interface HealthStanding {
  readonly role: 'leader' | 'standby';
  /** The id of the node that leads; null: nobody does. */
  readonly leader: string | null;
  /** For how long it has not seen what the leader writes. */
  readonly behindMs: number;
  /** How the configurations of the nodes differ, once that has lasted; null: they do not. */
  readonly difference: string | null;
}

export interface HealthSources {
  /** Null: this node has the database to itself. */
  readonly standing: () => HealthStanding | null;
  readonly store: Pick<Store, 'health' | 'sql'>;
  readonly engineHealth: () => ReportedHealth;
}

interface HealthAsked {
  readonly config: Config;
  /** Whether the reader may know of files and of what was lost. */
  readonly isOperator: boolean;
  /** The monitors that exist for the reader. */
  readonly visible: ReadonlyMap<string, unknown>;
  readonly nowAt: number;
}

export function readHealth(
  { store, engineHealth, standing }: HealthSources,
  { config, isOperator, visible, nowAt }: HealthAsked,
) {
  const { isSchedulerOk, lastTickAgeMs, network, unreachedLeader = null } = engineHealth();
  const { isDurable } = store.health();
  const peers = readPeers(store.sql, config, nowAt);
  const among = standing();
  const isWorking = isSchedulerOk && isDurable && unreachedLeader === null;
  const difference = among?.difference ?? null;
  const unchecked = uncheckedIn(store.sql, visible);
  return {
    status:
      isWorking && unchecked.length === 0 && difference === null ? ('ok' as const) : ('degraded' as const),
    reason: reasonOf({ isSchedulerOk, isDurable, unreachedLeader, unchecked, difference }),
    scheduler_ok: isSchedulerOk,
    db_ok: isDurable,
    heartbeats_ok: isDurable && unreachedLeader === null,
    /** Seconds. */
    last_tick_age: lastTickAgeMs === null ? null : Math.round(lastTickAgeMs) / 1000,
    id: config.health.id,
    role: among?.role ?? null,
    leader: among?.leader ?? null,
    behind_secs: among === null ? null : Math.round(among.behindMs) / 1000,
    config_same: among === null ? null : difference === null,
    peers: Object.fromEntries(peers.map(({ id, state, age }) => [id, { state, age }])),
    peer_counts: peerCounts(peers),
    network: { state: network.state, since: network.sinceAt === null ? null : rfc3339(network.sinceAt) },
    ...(isOperator ? { losses: lossViews(losses.list(store.sql)) } : {}),
  };
}

/** What a node says of itself that waits for the database it shares: it knows nothing of monitors and peers. */
export function waitingHealth(config: Config): HealthView {
  return {
    status: 'degraded',
    reason: 'the database is not reached',
    scheduler_ok: true,
    db_ok: false,
    heartbeats_ok: false,
    last_tick_age: null,
    id: config.health.id,
    role: 'standby',
    leader: null,
    behind_secs: null,
    config_same: null,
    peers: {},
    peer_counts: peerCounts([]),
    network: { state: 'ok', since: null },
  };
}

/** How many of the monitors that exist for the reader cannot be checked, by cause (ownFaultKey), the most first. */
function uncheckedIn(
  sql: Store['sql'],
  visible: ReadonlyMap<string, unknown>,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { monitor, ownFault } of incidents.listUnchecked(sql))
    if (visible.has(monitor)) counts.set(ownFault, (counts.get(ownFault) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

interface Troubles {
  readonly isSchedulerOk: boolean;
  readonly isDurable: boolean;
  readonly unreachedLeader: string | null;
  readonly unchecked: readonly (readonly [string, number])[];
  readonly difference: string | null;
}

/** Names no monitor, plugin or file: it is public. Null: nothing is wrong. */
function reasonOf({
  isSchedulerOk,
  isDurable,
  unreachedLeader,
  unchecked,
  difference,
}: Troubles): string | null {
  const kinds = new Map<string, number>();
  for (const [key, count] of unchecked) {
    const problem = problemOf(readOwnFault(key).kind);
    kinds.set(problem, (kinds.get(problem) ?? 0) + count);
  }
  const reasons = [
    ...(isSchedulerOk ? [] : ['the scheduler is stalled']),
    ...(isDurable ? [] : ['the database cannot be written']),
    ...(unreachedLeader === null
      ? []
      : [`heartbeats cannot be forwarded to the leader: ${unreachedLeader} is not reached at its node.url`]),
    ...(difference === null ? [] : [`the nodes have different configurations: ${difference}`]),
    ...[...kinds].map(([problem, count]) => `cannot check ${counted(count, 'monitor')}: ${problem}`),
  ];
  return reasons.length === 0 ? null : reasons.join('; ');
}

export type HealthView = Omit<ReturnType<typeof readHealth>, 'losses'> & {
  readonly losses?: readonly LossView[];
};
