/** The engine of a standby: forwards heartbeats to the leader, and asks it for checks. */
import type { NodeStore } from '../../db/shared/node-store.ts';
import { monitors } from '../../db/tables/monitors.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Secret } from '../../engine/config/secret.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import { check } from '../../engine/probes/check.ts';
import {
  type Http,
  type HttpEngine,
  type HttpOptions,
  type ReservedAddress,
  startHttp,
} from '../../serve/http.ts';
import type { HealthStanding } from '../../serve/scope/health.ts';
import { askHealth } from '../healthcheck/health.ts';
import type { Context } from '../context.ts';
import { httpRequest } from '../http-request.ts';
import { environmentOf } from '../outside.ts';
import { version } from '../version.ts';
import { refuse } from './waiting.ts';

interface StandbyOptions {
  readonly loaded: () => Pick<LoadedConfig, 'config'>;
  /** The id of this node. */
  readonly self: () => string;
  /** By what other nodes are trusted over https. */
  readonly trust: Trust;
  readonly log: Log;
  /** Asks a node for its health. Default: by HTTP. */
  readonly ask?: typeof askHealth;
}

/** A leader that does not take a heartbeat within it has perhaps ended. */
const forwardMs = 5000;

/** How often it checks that the leader is reached, while its health is asked for. */
const lookEveryMs = 5000;

/** Of what a standby passes on to the leader: another standby refuses it. */
const forwardedHeader = 'x-statusd-forwarded';

/** The role of this node and how far it is behind, for `/healthz` and `nodes`; `difference`: of the configurations, in words. */
export function standingOf(store: NodeStore, difference: string | null): HealthStanding {
  const { role, leader, behindMs } = store.standing();
  return { role, leader: leader?.id ?? null, behindMs, difference };
}

interface StandbyHttpOptions
  extends Pick<HttpOptions, 'loaded' | 'log' | 'answerNode' | 'nodeChecks' | 'newRequestId' | 'standing'>,
    Pick<StandbyOptions, 'self' | 'trust'> {
  readonly store: NodeStore;
  readonly context: Pick<Context, 'clock' | 'env'>;
  readonly reserved: ReservedAddress;
}

/** Serves the pages of a standby. What another standby passes on is refused. */
export function startStandby({
  context,
  self,
  trust,
  reserved,
  ...options
}: StandbyHttpOptions): Promise<Http> {
  const { loaded, store, log } = options;
  return startHttp({
    ...options,
    clock: store.clock,
    version: version(),
    engine: standbyEngine(store, { loaded, self, trust, log }),
    probe: (monitor, signal) => check(monitor, environmentOf({ ...context, interrupt: signal }, loaded())),
    reserved: {
      ...reserved,
      answerWith: (handler) => {
        reserved.answerWith((request) =>
          request.headers[forwardedHeader] === undefined ? handler(request) : refuse(request),
        );
      },
    },
  });
}

/** What is asked of an engine, where another node has it. */
export function standbyEngine(
  store: NodeStore,
  { loaded, self, trust, log, ask = askHealth }: StandbyOptions,
): HttpEngine {
  /** The leader that could not be reached last, and since when by the monotonic clock. */
  let unreached: { readonly leader: string; readonly sinceMs: number } | null = null;
  /** The one of them that is in the log. */
  let logged: string | null = null;
  let lookedMs = -Infinity;
  const noteReached = () => {
    unreached = null;
    logged = null;
  };
  const noteUnreached = (leader: string) => {
    if (unreached?.leader !== leader) unreached = { leader, sinceMs: store.clock.monotonic() };
  };
  const logUnreached = (leader: string, error: unknown) => {
    if (logged === leader || !(error instanceof StatusdError)) return;
    logged = leader;
    log({
      level: 'warning',
      event: 'node.unreachable',
      message: `heartbeats cannot be forwarded to the leader: ${error.message}`,
      fields: { node: leader },
    });
  };
  const forward = async (
    id: string,
    token: Secret | null,
    { status, message, pingMs }: { status: string; message: string | null; pingMs?: number | null },
  ) => {
    const { leader } = store.standing();
    if (leader === null || leader.id === self() || !URL.canParse(leader.url)) throw nobodyLeads();
    const to = new URL(`/api/push/${encodeURIComponent(id)}`, leader.url);
    to.searchParams.set('status', status);
    if (message !== null) to.searchParams.set('msg', message);
    if (pingMs !== null && pingMs !== undefined) to.searchParams.set('ping', String(pingMs));
    const answer = await httpRequest(to, {
      method: 'POST',
      headers: {
        [forwardedHeader]: self(),
        ...(token === null ? {} : { 'x-push-token': token.reveal() }),
      },
      patienceMs: forwardMs,
      maxBytes: 64 * 1024,
      trust,
      what: `${leader.id} does not answer`,
      hint: 'Correct its node.url.',
    }).catch((error: unknown) => {
      noteUnreached(leader.id);
      logUnreached(leader.id, error);
      throw error;
    });
    noteReached();
    if (answer.status !== 200) throw nobodyLeads();
  };
  /** A load balancer that has been told to leave this node alone sends no heartbeat that would show that it works again. */
  const look = () => {
    const { leader } = store.standing();
    const nowMs = store.clock.monotonic();
    if (leader === null || leader.id === self() || !URL.canParse(leader.url)) return;
    if (!takesHeartbeats(loaded().config) || nowMs - lookedMs < lookEveryMs) return;
    lookedMs = nowMs;
    ask(new URL('/healthz', leader.url), forwardMs, trust).then(noteReached, () => {
      noteUnreached(leader.id);
    });
  };
  /** A leader that has died has been followed by another one after a lease. */
  const unreachedLeader = (): string | null => {
    const leaseMs = (loaded().config.storage?.lease_secs ?? 0) * 1000;
    if (unreached === null || store.standing().leader?.id !== unreached.leader) return null;
    return store.clock.monotonic() - unreached.sinceMs > 2 * leaseMs ? unreached.leader : null;
  };
  return {
    heartbeat: ({ monitor, ...heartbeat }) => {
      const found = loaded().config.monitors.find(({ id }) => id === monitor);
      return forward(monitor, found?.kind === 'push' ? found.push_token : null, heartbeat);
    },
    peerHeartbeat: ({ peer, ...heartbeat }) => {
      const found = loaded().config.peers.find(({ id }) => id === peer);
      return forward(found?.listen_id ?? peer, found?.listen_token ?? null, heartbeat);
    },
    checkNow: async (ids) => {
      await store.write(ids.map((id) => monitors.askForCheck({ id, at: store.clock.now() })));
    },
    health: () => {
      look();
      return {
        isSchedulerOk: true,
        lastTickAgeMs: null,
        lateness: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
        network: { state: 'ok', sinceAt: null },
        unreachedLeader: unreachedLeader(),
      };
    },
    stateOf: () => null,
  };
}

function takesHeartbeats({ monitors: all, peers }: LoadedConfig['config']): boolean {
  return all.some(({ kind }) => kind === 'push') || peers.length > 0;
}

function nobodyLeads(): StatusdError {
  return new StatusdError('store_failing', 'no node can accept this at the moment');
}

/** Whether any of these nodes says that it reaches the database. */
export async function anyReaches(
  urls: readonly string[],
  { patienceMs, trust }: { readonly patienceMs: number; readonly trust: Trust },
): Promise<boolean> {
  const asked = urls.map(async (url) => {
    const { text } = await askHealth(new URL('/healthz', url), patienceMs, trust);
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return body['db_ok'] === true;
  });
  return (await Promise.allSettled(asked)).some((one) => one.status === 'fulfilled' && one.value);
}
