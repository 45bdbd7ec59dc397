/** One node of several that share a database: stands by, leads when it is its turn, and stands by again. */
import type { NodeStore } from '../../db/shared/node-store.ts';
import { isUnreachable } from '../../db/shared/database.ts';
import type { NodeRow } from '../../db/shared/statements.ts';
import type { StorageSettings } from '../../engine/config/config.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import { onAbort } from '../../engine/core/abort.ts';
import { deferred } from '../../engine/core/deferred.ts';
import type { Log } from '../../engine/core/log.ts';
import type { EngineChanges } from '../../engine/monitoring/engine.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import type { ReservedAddress } from '../../serve/http.ts';
import type { Context } from '../context.ts';
import { trustOf } from '../http-request.ts';
import { isLost, type StoppablePart, stopParts } from './ending.ts';
import { createNodeChecks, type NodeChecks } from './node-checks.ts';
import { NodeConfigs } from './node-configs.ts';
import { type Leading, startLeading } from './leading.ts';
import { leadsEntry, standbyEntry, stepsDownEntry } from './opening.ts';
import { nodeRowOf, openNodeDatabase } from './node-database.ts';
import { SharedLosses } from './shared-losses.ts';
import { standingOf, startStandby } from './standby.ts';
import { answerWaiting, saysWhyItWaits } from './waiting.ts';

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
  /** Calls the start off when it is aborted, so that a database that cannot be reached is not waited for. */
  readonly signal: AbortSignal;
}

/** How soon a database that could not be reached is tried again. */
const retryMs = 2000;

/** A node that gave up leading lets the others go first for so long. */
const yieldMs = 600_000;

interface StartedNode extends Pick<Leading, 'stateOf' | 'hasProgressed'> {
  readonly reload: (next: LoadedConfig) => Promise<EngineChanges>;
  /** Never resolves: a node that loses its lease stands by. */
  readonly lost: Promise<never>;
  readonly stop: () => Promise<void>;
}

/**
 * Resolves when the pages can be read. Rejects with `store_unusable` when the database refuses this node; one that
 * cannot be reached is waited for.
 */
export async function startNode(options: NodeOptions): Promise<StartedNode> {
  const node = new ServingNode(options);
  onAbort(options.signal, node.callOff);
  await node.start();
  return {
    stateOf: (id) => node.leading?.stateOf(id) ?? null,
    // A standby has no schedule that could stand still.
    hasProgressed: () => node.leading?.hasProgressed() ?? true,
    reload: (next) => node.reload(next),
    lost: new Promise(() => undefined),
    stop: () => node.stop(),
  };
}

class ServingNode {
  leading: Leading | null = null;
  private store: NodeStore | null = null;
  private readonly options: NodeOptions;
  private readonly stopping = new AbortController();
  /** The started parts, the last one first. */
  private parts: StoppablePart[] = [];
  private running: Promise<void> = Promise.resolve();
  /** Until then others go first, on the monotonic clock. */
  private yieldsUntilMs = -Infinity;
  private hasOpened = false;
  private readonly losses = new SharedLosses();
  /** The store that follows the database at the moment. */
  private opened: NodeStore | null = null;
  /** Resolves with the reason when another node is to lead. */
  private handedOver = deferred<unknown>();
  private readonly nodeChecks: NodeChecks;
  private readonly configs: NodeConfigs;
  private readonly trust: Trust;

  constructor(options: NodeOptions) {
    this.options = options;
    this.trust = trustOf(options.context);
    this.nodeChecks = createNodeChecks({ ...options, self: () => this.self });
    this.configs = new NodeConfigs({ ...options, self: () => this.self, leaseMs: this.leaseMs });
  }

  async start(): Promise<void> {
    const store = await this.open();
    if (store === null) return;
    await this.standBy(store);
    this.running = this.run(store);
  }

  async reload(next: LoadedConfig): Promise<EngineChanges> {
    const adopt = () => {
      this.options.adopt(next);
    };
    const { leading, store } = this;
    if (leading !== null && store !== null)
      try {
        // Only its leader's reload changes what a world of nodes consists of.
        await this.configs.take(store, next.config);
        return await leading.reload(next, adopt);
      } catch (error) {
        // Its store refuses everything when another node leads: then this one goes on as a standby that has read the file.
        if (!(await isLost(store, this.options.context.clock))) throw error;
      }
    adopt();
    return { started: [], stopped: [], restarted: [], renamed: [], unchanged: next.config.monitors.length };
  }

  readonly callOff = (): void => {
    this.stopping.abort(new Error('the node is stopping'));
  };

  async stop(): Promise<void> {
    this.callOff();
    this.nodeChecks.stop();
    await this.running;
    await this.stopParts();
  }

  private async run(first: NodeStore): Promise<void> {
    const { log } = this.options;
    let store: NodeStore | null = first;
    while (store !== null) {
      const why = await this.serveTerm(store);
      if (why === null) return;
      this.losses.note(why);
      log(stepsDownEntry(why));
      this.options.reserved.answerWith(this.answerWaiting);
      await this.stopParts();
      store = await this.openAgain();
    }
  }

  /** Resolves with the reason when another node leads; null: this node is to stop. */
  private async serveTerm(store: NodeStore): Promise<unknown> {
    const ended = this.stopped.then(() => null);
    // A lease may be lost, or given back, before it was led with: then this store follows nothing any more.
    this.store = store;
    const begun = await Promise.race([store.leads.then(() => 'leads' as const), store.lost, ended]);
    if (begun !== 'leads') return this.isStopping ? null : begun;
    this.handedOver = deferred<unknown>();
    const why = await this.lead(store, () => {
      this.yieldsUntilMs = this.nowMs + yieldMs;
      this.handOver('this node reaches none of the hosts that other nodes reach');
    }).then(
      () => Promise.race([store.lost, this.handedOver.promise, ended]),
      (error: unknown) => error,
    );
    this.configs.end();
    return this.isStopping ? null : why;
  }

  private readonly handOver = (why: string): void => {
    this.handedOver.resolve(new Error(why));
  };

  /** For how many ms a free lease is left to others. */
  private headStartMs(store: NodeStore): number {
    return this.nowMs < this.yieldsUntilMs ? 2 * this.leaseMs : this.configs.headStartMs(store);
  }

  /** Tries until it opens: it was open before, so the fault may pass. */
  private async openAgain(): Promise<NodeStore | null> {
    const say = saysWhyItWaits(this.options);
    for (;;) {
      try {
        const store = await this.open();
        if (store !== null) await this.standBy(store);
        return store;
      } catch (error) {
        say(error);
        await this.pause();
        if (this.isStopping) return null;
      }
    }
  }

  /** Null: this node is to stop. */
  private async open(): Promise<NodeStore | null> {
    const { reserved } = this.options;
    const say = saysWhyItWaits(this.options);
    while (!this.isStopping) {
      try {
        const store = await openNodeDatabase({
          ...this.options,
          trust: this.trust,
          self: () => this.self,
          // Tables that are gone are those of a world that is being restored.
          mayMake: !this.hasOpened,
          onWentBack: this.losses.note,
          headStartMs: (store) => this.headStartMs(store),
        });
        this.hasOpened = true;
        this.opened = store;
        this.configs.watch(store, {
          isOver: () => this.isStopping || this.opened !== store,
          leading: () => this.leading,
          handOver: this.handOver,
        });
        this.parts.unshift({ name: 'the database', stop: store.close, patienceMs: 2500 });
        return store;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        reserved.answerWith(this.answerWaiting);
        say(error);
        await this.pause();
      }
    }
    return null;
  }

  /** Serves the pages of a standby. */
  private async standBy(store: NodeStore): Promise<void> {
    const { loaded, log, newRequestId } = this.options;
    const { leader } = store.standing();
    if (leader?.id !== this.self.id) log(standbyEntry(this.self.id, leader?.id ?? null));
    const http = await startStandby({
      loaded,
      store,
      log,
      context: this.options.context,
      self: () => this.self.id,
      trust: this.trust,
      answerNode: this.nodeChecks.answer,
      nodeChecks: this.nodeChecks.counts,
      newRequestId,
      reserved: this.address,
      standing: () => standingOf(store, this.configs.trouble()),
    });
    this.parts.unshift({ name: 'the server', stop: () => http.stop(0), patienceMs: 700 });
  }

  private async lead(store: NodeStore, onIsolated: () => void): Promise<void> {
    const { log, context } = this.options;
    log(leadsEntry(this.self.id));
    await this.losses.keep(store, store.clock.now());
    const refusedSinceAt = await this.configs.begin(store);
    const standby = this.parts.filter(({ name }) => name === 'the server');
    this.leading = await this.startLeading(store, { onIsolated, refusedSinceAt });
    this.parts = this.parts.filter((part) => !standby.includes(part));
    await stopParts(standby, { clock: context.clock, log });
  }

  /** Apart from `lead`: what it makes would hold on to all that the standby has in memory for its pages. */
  private startLeading(
    store: NodeStore,
    {
      onIsolated,
      refusedSinceAt,
    }: { readonly onIsolated: () => void; readonly refusedSinceAt: number | null },
  ): Promise<Leading> {
    const { loaded, newRequestId, log, context } = this.options;
    return startLeading({
      loaded,
      reserved: this.address,
      store,
      clock: store.clock,
      log,
      context,
      parts: this.parts,
      newRequestId,
      standing: () => standingOf(store, this.configs.trouble()),
      isStandIn: () => this.configs.isStandIn,
      refusedSinceAt,
      untilTrusted: store.untilTrusted,
      answerNode: this.nodeChecks.answer,
      nodeChecks: this.nodeChecks.counts,
      dispatch: (here) => {
        const dispatching = this.nodeChecks.dispatch(store, here, onIsolated);
        this.parts.unshift({ name: 'the dispatcher', stop: dispatching.stop, patienceMs: 100 });
        return dispatching;
      },
    });
  }

  /** The address stays open while the handler changes. */
  private get address(): ReservedAddress {
    return { ...this.options.reserved, stop: () => Promise.resolve() };
  }

  private get self(): NodeRow {
    const { loaded, url } = this.options;
    return nodeRowOf(loaded().config, { url, probesPerSec: this.nodeChecks.probesPerSec() });
  }

  private get leaseMs(): number {
    return this.options.storage.lease_secs * 1000;
  }

  private get nowMs(): number {
    return this.options.context.clock.monotonic();
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private readonly answerWaiting = answerWaiting(() => this.options.loaded().config);

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
    this.opened = null;
    await stopParts(parts, { clock: this.options.context.clock, log: this.options.log });
  }
}
