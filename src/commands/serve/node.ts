/** One node of several that share a database: stands by, leads when it is its turn, and stands by again. */
import { createHash } from 'node:crypto';
import { openNode, type NodeStore } from '../../db/shared/node.ts';
import { isUnreachable } from '../../db/shared/place.ts';
import { monitors } from '../../db/tables/monitors.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import { checkpointEntry, inThread } from '../../db/wal/checkpoint/thread.ts';
import type { Config, StorageSettings } from '../../engine/config/config.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Secret } from '../../engine/config/secret.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Log } from '../../engine/core/log.ts';
import { check } from '../../engine/probes/check.ts';
import { type HttpEngine, type ReservedAddress, startHttp } from '../../serve/http.ts';
import { HttpProblem, problemAnswer } from '../../serve/problem.ts';
import type { Context } from '../context.ts';
import { askHealth } from '../healthcheck/health.ts';
import { httpRequest } from '../http-request.ts';
import { nodeIdOf } from '../nodes/perform.ts';
import { environmentOf } from '../outside.ts';
import { version } from '../version.ts';
import type { Daemon } from './daemon.ts';
import { type StoppablePart, stopParts } from './ending.ts';
import { type Leading, startLeading } from './leading.ts';
import { reasonOf } from './opening.ts';

export interface NodeOptions {
  readonly loaded: () => LoadedConfig;
  readonly adopt: (next: LoadedConfig) => void;
  readonly reserved: ReservedAddress;
  /** Of the address. */
  readonly url: string;
  readonly storage: StorageSettings;
  readonly newRequestId: () => string;
  readonly log: Log;
  readonly context: Pick<Context, 'clock' | 'env'>;
}

/** How soon a database that could not be reached is tried again. */
const retryMs = 2000;

/** A leader that does not take a heartbeat within it has perhaps ended. */
const forwardMs = 5000;

/** Of what a standby passes on to the leader: another standby refuses it. */
const forwardedHeader = 'x-statusd-forwarded';

type StartedNode = Pick<Daemon, 'stateOf' | 'reload' | 'hasProgressed' | 'lost' | 'stop'>;

/**
 * Resolves when the pages can be read. Rejects with `store_unusable` when the database refuses this node; one that
 * cannot be reached is waited for.
 */
export async function startNode(options: NodeOptions): Promise<StartedNode> {
  const node = new ServingNode(options);
  await node.start();
  return {
    stateOf: (id) => node.leading?.stateOf(id) ?? null,
    // A standby has no schedule that could stand still.
    hasProgressed: () => node.leading?.hasProgressed() ?? true,
    reload: (next) => node.reload(next),
    // Who loses the lease stands by.
    lost: new Promise(() => undefined),
    stop: () => node.stop(),
  };
}

class ServingNode {
  leading: Leading | null = null;
  private readonly options: NodeOptions;
  private readonly stopping = new AbortController();
  /** What has been started, the last one first. */
  private parts: StoppablePart[] = [];
  private running: Promise<void> = Promise.resolve();

  constructor(options: NodeOptions) {
    this.options = options;
  }

  async start(): Promise<void> {
    const store = await this.open();
    if (store === null) return;
    await this.standBy(store);
    this.running = this.run(store);
  }

  async reload(next: LoadedConfig): ReturnType<Daemon['reload']> {
    const adopt = () => {
      this.options.adopt(next);
    };
    if (this.leading !== null) return this.leading.reload(next, adopt);
    adopt();
    return { started: [], stopped: [], restarted: [], renamed: [], unchanged: next.config.monitors.length };
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the node is stopping'));
    await this.running;
    await this.stopParts();
  }

  private async run(first: NodeStore): Promise<void> {
    const { log } = this.options;
    let store: NodeStore | null = first;
    while (store !== null) {
      const following = store;
      await Promise.race([following.leads, this.stopped]);
      if (this.isStopping) return;
      const lost = this.lead(following)
        .then(() => Promise.race([following.lost, this.stopped]))
        .catch((error: unknown) => error);
      const why = await lost;
      if (this.isStopping) return;
      log({
        level: 'warning',
        event: 'node.steps_down',
        message: `stands by from now on: ${reasonOf(why)}`,
      });
      this.options.reserved.answerWith(() => problemAnswer(unready));
      await this.stopParts();
      store = await this.openAgain();
    }
  }

  private async openAgain(): Promise<NodeStore | null> {
    for (;;) {
      try {
        const store = await this.open();
        if (store !== null) await this.standBy(store);
        return store;
      } catch (error) {
        this.options.log({ level: 'error', event: 'node.waits', message: reasonOf(error) });
        await this.pause();
        if (this.isStopping) return null;
      }
    }
  }

  /** Null: this node is to end. */
  private async open(): Promise<NodeStore | null> {
    const { loaded, storage, url, log, context, reserved } = this.options;
    const { clock } = context;
    let isKnown = false;
    while (!this.isStopping) {
      try {
        const store = await openNode({
          url: storage.url.reveal(),
          space: storage.schema,
          leaseMs: storage.lease_secs * 1000,
          schema,
          clock,
          build: inThread(checkpointEntry),
          askOthers: (urls, patienceMs) => anyReaches(urls, patienceMs),
          self: () => selfOf(loaded().config, url),
          onWarning: (message) => {
            log({ level: 'warning', event: 'store.warning', message: loaded().redact(message) });
          },
        });
        this.parts.unshift({ name: 'the database', stop: store.close, patienceMs: 2500 });
        return store;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        reserved.answerWith(() => problemAnswer(unready));
        const message = `${loaded().redact(reasonOf(error))} It is tried again.`;
        if (!isKnown) log({ level: 'error', event: 'node.waits', message });
        isKnown = true;
        await this.pause();
      }
    }
    return null;
  }

  /** Serves what is there to be read. */
  private async standBy(store: NodeStore): Promise<void> {
    const { loaded, log, newRequestId } = this.options;
    const { leader } = store.standing();
    if (leader?.id !== this.id)
      log({
        level: 'info',
        event: 'node.standby',
        message: `${this.id} stands by${leader === null ? '' : `: ${leader.id} leads`}`,
        fields: { node: this.id, leader: leader?.id ?? null },
      });
    const http = await startHttp({
      loaded,
      store,
      clock: store.clock,
      log,
      version: version(),
      engine: this.standbyEngine(store),
      probe: (monitor, signal) => {
        const { redact } = loaded();
        return check(monitor, environmentOf({ ...this.options.context, interrupt: signal }, redact));
      },
      newRequestId,
      reserved: {
        ...this.address,
        answerWith: (handler) => {
          this.options.reserved.answerWith((request) =>
            request.headers[forwardedHeader] === undefined ? handler(request) : problemAnswer(unready),
          );
        },
      },
      standing: () => standingOf(store),
    });
    this.parts.unshift({ name: 'the server', stop: () => http.stop(0), patienceMs: 700 });
  }

  private async lead(store: NodeStore): Promise<void> {
    const { loaded, newRequestId, log, context } = this.options;
    log({
      level: 'info',
      event: 'node.leads',
      message: `${this.id} leads`,
      fields: { node: this.id },
    });
    const standby = this.parts.filter(({ name }) => name === 'the server');
    this.leading = await startLeading({
      loaded,
      reserved: this.address,
      store,
      clock: store.clock,
      log,
      context,
      parts: this.parts,
      newRequestId,
      standing: () => standingOf(store),
      untilTrusted: store.untilTrusted,
    });
    this.parts = this.parts.filter((part) => !standby.includes(part));
    await stopParts(standby, { clock: context.clock, log });
  }

  /** What is asked of an engine, where another node has it. */
  private standbyEngine(store: NodeStore): HttpEngine {
    const { loaded } = this.options;
    const forward = async (
      id: string,
      token: Secret | null,
      { status, message, pingMs }: { status: string; message: string | null; pingMs?: number | null },
    ) => {
      const { leader } = store.standing();
      if (leader === null || leader.id === this.id || leader.url === '') throw nobodyLeads();
      const to = new URL(`/api/push/${encodeURIComponent(id)}`, leader.url);
      to.searchParams.set('status', status);
      if (message !== null) to.searchParams.set('msg', message);
      if (pingMs !== null && pingMs !== undefined) to.searchParams.set('ping', String(pingMs));
      const answer = await httpRequest(to, {
        method: 'POST',
        headers: {
          [forwardedHeader]: this.id,
          ...(token === null ? {} : { 'x-push-token': token.reveal() }),
        },
        patienceMs: forwardMs,
        maxBytes: 64 * 1024,
        what: `${leader.id} does not answer`,
        hint: 'Correct its node.url.',
      });
      if (answer.status !== 200) throw nobodyLeads();
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
      health: () => ({
        isSchedulerOk: true,
        lastTickAgeMs: null,
        lateness: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
        network: { state: 'ok', sinceAt: null },
      }),
      stateOf: () => null,
    };
  }

  /** It goes on to be listened on when what answers there changes. */
  private get address(): ReservedAddress {
    return { ...this.options.reserved, stop: () => Promise.resolve() };
  }

  private get id(): string {
    return selfOf(this.options.loaded().config, this.options.url).id;
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private readonly stopped = new Promise<void>((resolve) => {
    this.stopping.signal.addEventListener('abort', () => {
      resolve();
    });
  });

  private async pause(): Promise<void> {
    await this.options.context.clock.sleep(retryMs, this.stopping.signal).catch(() => undefined);
  }

  private async stopParts(): Promise<void> {
    const { parts } = this;
    this.parts = [];
    this.leading = null;
    await stopParts(parts, { clock: this.options.context.clock, log: this.options.log });
  }
}

const unready = new HttpProblem(503, 'This node does not reach its database at the moment.', {
  'retry-after': '1',
});

function nobodyLeads(): StatusdError {
  return new StatusdError('store_failing', 'no node takes this at the moment');
}

function standingOf(store: NodeStore) {
  const { role, leader, behindMs } = store.standing();
  return { role, leader: leader?.id ?? null, behindMs };
}

/** Whether any of these nodes says that it reaches the database. */
async function anyReaches(urls: readonly string[], patienceMs: number): Promise<boolean> {
  const asked = urls.map(async (url) => {
    const { text } = await askHealth(new URL('/healthz', url), patienceMs);
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return body['db_ok'] === true;
  });
  return (await Promise.allSettled(asked)).some((one) => one.status === 'fulfilled' && one.value);
}

/** What a node tells the others of itself. */
function selfOf(config: Config, url: string) {
  return {
    id: nodeIdOf(config),
    url: config.node.url ?? url,
    version: version(),
    config: digestOf(config),
  };
}

const digests = new WeakMap<Config, string>();

/** Of what should be the same on all nodes; which secret stands where does not show. */
function digestOf(config: Config): string {
  let digest = digests.get(config);
  if (digest === undefined) {
    const { server: _server, node: _node, health: _health, storage: _storage, ...shared } = config;
    digest = createHash('sha256').update(JSON.stringify(shared)).digest('hex').slice(0, 12);
    digests.set(config, digest);
  }
  return digest;
}
