/** The interface of the long-running engine. */
import type { LoadedConfig } from '../config/load.ts';
import type { Redact } from '../config/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { MonitorState } from './confirm/state.ts';
import type { HeartbeatStatus } from './heartbeats/silence.ts';
import type { Log } from '../core/log.ts';
import type { Rename } from './renames.ts';
import type { DomainExpiry } from '../probes/domain.ts';
import type { PeerClients } from '../peers/client/clients.ts';
import type { Store } from '../../db/store/store.ts';
import type { NetworkDiagnosisOptions } from './network/diagnosis.ts';
import type { CheckMonitor } from './prober.ts';

export interface EngineOptions {
  readonly loaded: Pick<LoadedConfig, 'config' | 'redact'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Checks one monitor once, retries included; rejects only when the signal is aborted. */
  readonly check: CheckMonitor;
  /** What this node hears by itself, when `check` has other nodes look too; absent: it has not. */
  readonly ownReachability?: NetworkDiagnosisOptions['ownReachability'];
  /** Asks for a domain's registration; null: this build cannot. */
  readonly lookUpDomain:
    | ((
        domain: string,
        how: { readonly signal: AbortSignal; readonly redact: Redact },
      ) => Promise<DomainExpiry>)
    | null;
  /** How the peers are reached; null: none is sent or asked anything. */
  readonly peerClients: PeerClients | null;
  /** Called whenever the schedule made progress: feeds the watchdog of the service. */
  readonly onProgress: () => void;
  /** Unique ids for incidents (opaque, permanent, safe in URLs). Injected for tests. */
  readonly newUid: () => string;
  /** Absent: as a daemon runs. */
  readonly pacing?: Pacing;
  /**
   * Whether this node stands in for one with another configuration: what its own does not have is neither ended, renamed
   * nor deleted. Default: no.
   */
  readonly isStandIn?: () => boolean;
  /** Since when heartbeats were perhaps refused that this node expects, epoch ms: another one led without them. Default: never. */
  readonly refusedSinceAt?: number | null;
}

/** How time drives the engine. */
export interface Pacing {
  /** Monitors are checked on their schedules, and the store is kept small; otherwise only `checkNow` checks. */
  readonly isScheduled: boolean;
  /** The clocks are read at least this often; a beat that comes much later means that the process stood still. */
  readonly beatMs: number;
  /** How many answers of one instant are taken before anything follows from the first of them; absent: few. */
  readonly atOnce?: number;
}

export interface NewHeartbeat {
  /** The id of a push monitor of the current configuration. */
  readonly monitor: string;
  readonly status: HeartbeatStatus;
  readonly message: string | null;
  readonly pingMs: number | null;
}

export interface NewPeerHeartbeat {
  /** The id of a peer of the current configuration (not its listen_id). */
  readonly peer: string;
  readonly status: HeartbeatStatus;
  readonly message: string | null;
}

/** What a reload changed; `restarted`: watched on under other settings; `renamed`: the same one under another id. */
export interface EngineChanges {
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly restarted: readonly string[];
  readonly renamed: readonly Rename[];
  readonly unchanged: number;
}

export interface EngineHealth {
  /** The schedule makes progress: no tick is overdue by more than 30 s. */
  readonly isSchedulerOk: boolean;
  /** Milliseconds since the last tick (a check begun, a look at the silence of a push monitor); null before the first. */
  readonly lastTickAgeMs: number | null;
  readonly inFlight: number;
  /** Of the last 1,000 ticks: how late they began. */
  readonly lateness: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  /** What this node thinks of its own network. */
  readonly network: {
    readonly state: 'ok' | 'suspect' | 'lost';
    readonly sinceAt: number | null;
    readonly reason: string | null;
  };
}

export interface Engine {
  /** The clock of everything that deals with what the engine wrote: it is set together with what was measured on it. */
  readonly clock: Clock;
  /** The store for what is measured on that clock: it is moved with the rest when it is written as the clock is set. */
  readonly store: Store;
  /** The clock for what must not follow one that is months ahead: it stays with what monotonic time vouches for. */
  readonly trustedClock: Clock;
  /** Swaps the configuration: unchanged monitors run on undisturbed. Answers what changed. */
  readonly reload: (loaded: Pick<LoadedConfig, 'config' | 'redact'>) => Promise<EngineChanges>;
  /** Takes in a heartbeat; resolves once it is durable. Rejects with store_full, store_failing, or not_found. */
  readonly heartbeat: (heartbeat: NewHeartbeat) => Promise<void>;
  /** Takes in a heartbeat of a peer, watched or not; resolves once it is durable. Rejects as `heartbeat` does. */
  readonly peerHeartbeat: (heartbeat: NewPeerHeartbeat) => Promise<void>;
  /** Checks these monitors now, out of turn; resolves when each has a new sample (push monitors at once). */
  readonly checkNow: (ids: readonly string[]) => Promise<void>;
  /** As `checkNow`, with checks that begin from now on: what is under way is waited for first. A bounded number at a time. */
  readonly checkAnew: (ids: readonly string[]) => Promise<void>;
  /**
   * By when (epoch ms) a push monitor has sent a heartbeat that could send none before `sinceAt`, if it is up: one that came
   * since then, or its deadline. Null: it is no push monitor.
   */
  readonly heardAgainBy: (id: string, sinceAt: number) => number | null;
  /** What confirming remembers of a monitor; null when nothing is known. */
  readonly stateOf: (id: string) => MonitorState | null;
  readonly health: () => EngineHealth;
  /** Ends within 5 s. What is under way is called off, and its result is not kept. */
  readonly stop: () => Promise<void>;
}
