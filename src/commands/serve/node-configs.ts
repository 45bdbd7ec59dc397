/** Watches whether the nodes have the same configuration, and whether this one leads with that of the last leader. */
import type { NodeStore } from '../../db/shared/node-store.ts';
import type { NodeRow } from '../../db/shared/statements.ts';
import { meta } from '../../db/tables/meta.ts';
import { monitors } from '../../db/tables/monitors.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import { callAfter, type Clock } from '../../engine/core/clock.ts';
import { aNumber, readAs } from '../../engine/core/decode.ts';
import type { Log } from '../../engine/core/log.ts';
import { logsFault, unattended } from '../../engine/core/unattended.ts';
import { inWords } from '../../engine/core/words.ts';
import { NoticeSender } from '../../engine/monitoring/notice-sender.ts';
import {
  differingNodes,
  type Fleet,
  type LedConfig,
  ledConfigName,
  mayAlign,
  readLedConfig,
  rightfulNodes,
} from '../../engine/nodes/led-config.ts';
import { configDigestOf } from '../nodes/config-digest.ts';
import type { Leading } from './leading.ts';
import { leasesToLive } from './node-checks.ts';

interface NodeConfigsOptions {
  readonly loaded: () => LoadedConfig;
  readonly self: () => NodeRow;
  readonly leaseMs: number;
  readonly context: { readonly clock: Clock };
  readonly log: Log;
}

/** What a node does with its configuration. */
interface ConfigHooks {
  /** Whether the store is not in use any more. */
  readonly isOver: () => boolean;
  /** Null: this node does not lead, or has just begun to. */
  readonly leading: () => Pick<Leading, 'reload'> | null;
  /** Has another node lead; says why. */
  readonly handOver: (why: string) => void;
}

/**
 * What is to be done after a look. `keep`: the configuration of this node counts, as before; `align`: from now on.
 * `hand_over`: these nodes have the one that counts.
 */
type ConfigStep =
  | { readonly kind: 'none' | 'keep' | 'align' }
  | { readonly kind: 'hand_over'; readonly to: readonly string[] };

/** Under this name the database remembers that a difference was notified: since when it was there, epoch ms. */
const differenceName = 'config_difference';

/** A rollout takes a while: so many leases pass before a difference is an alert. */
const patientLeases = 3;

/** However long a lease is, a head start keeps nobody waiting for longer. */
const longestHeadStartMs = 5000;

/** How long a node with the right file has to be there before the lease is handed to it. */
const settledLeases = 1;

/** For how long a node leads on that got the lease back from the one it had handed it to. */
const stayMs = 600_000;

export class NodeConfigs {
  private readonly options: NodeConfigsOptions;
  /** Whether this node leads with a configuration that the last leader did not have. */
  isStandIn = false;
  /** Since when nodes differ, and since when a node with the right file is there, on the monotonic clock. */
  private differsSinceMs: number | null = null;
  private rightfulSinceMs: number | null = null;
  /** Until then this node hands the lease to no other one, on the monotonic clock. */
  private staysUntilMs = -Infinity;
  /** Why it is not right that they differ, in words that follow "the nodes have different configurations"; null: all is well. */
  private difference: string | null = null;

  constructor(options: NodeConfigsOptions) {
    this.options = options;
  }

  /**
   * This node leads from now on. Answers since when another node led with another configuration in between, epoch ms:
   * heartbeats that only this one knows were refused meanwhile. Rejects as the store does.
   */
  async begin(store: NodeStore): Promise<number | null> {
    const led = ledConfigIn(store);
    const { log } = this.options;
    this.isStandIn = !mayAlign(led, this.fleet(store));
    if (!this.isStandIn) {
      await this.take(store);
      return led?.standInSinceAt ?? null;
    }
    const { id } = this.options.self();
    log({
      level: 'warning',
      event: 'node.stands_in',
      message:
        `${id} leads with another configuration than the last leader had: what its file does not have is neither ended ` +
        'nor checked. Give it the file of the other nodes, or reload it (SIGHUP) if its file is the right one.',
      fields: { node: id },
    });
    if (led !== null && led.standInSinceAt === null)
      await keep(store, ledConfigName, { ...led, standInSinceAt: store.clock.now() });
    return null;
  }

  /** The configuration of this node, by default the one of the moment, is the one that counts. Rejects as the store does. */
  async take(store: NodeStore, next = this.options.loaded().config): Promise<void> {
    this.isStandIn = false;
    const { id: node, version } = this.options.self();
    const config = configDigestOf(next);
    const led: LedConfig = { config, version, node, standInSinceAt: null };
    const known = ledConfigIn(store);
    const isKnown =
      known?.config === config &&
      known.version === version &&
      known.node === node &&
      known.standInSinceAt === null;
    if (!isKnown) await keep(store, ledConfigName, { ...led });
  }

  /** It leads no more. */
  end(): void {
    this.isStandIn = false;
    this.rightfulSinceMs = null;
  }

  /** For how long a node with the configuration of the last leader goes first, if one is there and this node has another. */
  headStartMs(store: NodeStore): number {
    const { leaseMs } = this.options;
    const others = rightfulNodes(ledConfigIn(store), this.fleet(store));
    return others.length === 0 ? 0 : Math.min(leaseMs / 5 + 1000, longestHeadStartMs);
  }

  /** For `/healthz`: what is wrong, once it has lasted; null: nothing. */
  trouble(): string | null {
    return this.isLasting ? this.difference : null;
  }

  /** Compares the configurations of the nodes from time to time, as long as this store is in use. */
  watch(store: NodeStore, hooks: ConfigHooks): void {
    const { context, leaseMs, log } = this.options;
    callAfter(context.clock, leaseMs / 5, () => {
      if (hooks.isOver()) return;
      this.watch(store, hooks);
      unattended(() => this.compare(store, hooks), logsFault(log, 'the comparison of configurations'));
    });
  }

  private async compare(store: NodeStore, hooks: ConfigHooks): Promise<void> {
    const { loaded, log, self } = this.options;
    const step = this.look(store);
    const leading = hooks.leading();
    if (leading === null || step.kind === 'none') return;
    if (step.kind === 'hand_over') {
      // Once in a while: a node that has the right file may be unable to lead.
      if (this.nowMs < this.staysUntilMs) return;
      this.staysUntilMs = this.nowMs + stayMs;
      const have = step.to.length === 1 ? 'has' : 'have';
      hooks.handOver(`${inWords(step.to)} ${have} the configuration of the last leader`);
      return;
    }
    await this.take(store);
    if (step.kind === 'keep') return;
    await leading.reload(loaded(), () => undefined);
    const { id } = self();
    log({
      level: 'info',
      event: 'node.config_counts',
      message: `the configuration of ${id} counts from now on: the node that led last has it, too`,
      fields: { node: id },
    });
  }

  private get nowMs(): number {
    return this.options.context.clock.monotonic();
  }

  private look(store: NodeStore): ConfigStep {
    const fleet = this.fleet(store);
    const { role, leader } = store.standing();
    const led = ledConfigIn(store);
    if (role === 'leader' && this.isStandIn && mayAlign(led, fleet)) return { kind: 'align' };
    const others = differingNodes(leader?.id ?? null, fleet);
    const isLedByOther = led !== null && led.standInSinceAt !== null && this.isComparable(led);
    this.note(others, { leader: leader?.id ?? null, isLedByOther });
    if (role !== 'leader') return { kind: 'none' };
    this.tell(store, { others, isLedByOther });
    if (!this.isStandIn) return { kind: 'keep' };
    return this.handOver(led, fleet);
  }

  private note(
    others: readonly string[],
    { leader, isLedByOther }: { readonly leader: string | null; readonly isLedByOther: boolean },
  ): void {
    // Between two leaders nobody knows.
    if (leader === null) return;
    const wrong = [
      ...(isLedByOther ? [`${leader} leads with another one than the last leader had`] : []),
      ...(others.length === 0
        ? []
        : [`${inWords(others)} ${others.length === 1 ? 'has' : 'have'} another than the leader`]),
    ];
    this.difference = wrong.length === 0 ? null : wrong.join(', ');
    if (this.difference === null) this.differsSinceMs = null;
    else this.differsSinceMs ??= this.nowMs;
  }

  private get isLasting(): boolean {
    const { leaseMs } = this.options;
    return this.differsSinceMs !== null && this.nowMs - this.differsSinceMs > patientLeases * leaseMs;
  }

  /** One alert for a difference, whoever leads meanwhile; the next one when all nodes of the last day have been alike. */
  private tell(
    store: NodeStore,
    { others, isLedByOther }: { readonly others: readonly string[]; readonly isLedByOther: boolean },
  ): void {
    const { loaded, log, self } = this.options;
    const since = readAs(meta.get(store.sql, differenceName), aNumber);
    const notices = new NoticeSender({ store, clock: store.clock, log, config: () => loaded().config });
    if (this.differsSinceMs === null) {
      const everybody = { ...this.fleet(store), liveMs: Infinity };
      if (since === null || differingNodes(self().id, everybody).length > 0) return;
      notices.send([], [meta.set({ name: differenceName, value: null })]);
      log({
        level: 'info',
        event: 'node.configs_same',
        message: 'all nodes have the same configuration again',
      });
      return;
    }
    if (since !== null || !this.isLasting) return;
    const at = store.clock.now();
    const startedAt = Math.round(at - (this.nowMs - this.differsSinceMs));
    const wanted = new Set(loaded().config.monitors.map(({ id }) => id));
    const unchecked = monitors
      .list(store.sql)
      .filter(({ id, removedAt }) => removedAt === null && !wanted.has(id))
      .map(({ id }) => id);
    const { id: leader } = self();
    notices.send(
      [
        {
          kind: 'nodes_differ',
          at,
          startedAt,
          leader,
          nodes: others,
          isStandIn: isLedByOther,
          monitors: unchecked,
        },
      ],
      [meta.set({ name: differenceName, value: startedAt })],
    );
    log({
      level: 'warning',
      event: 'node.configs_differ',
      message: `the nodes have different configurations: ${this.difference ?? ''}`,
      fields: { leader, nodes: others.join(', '), unchecked: unchecked.length },
    });
  }

  private handOver(led: LedConfig | null, fleet: Fleet): ConfigStep {
    if (rightfulNodes(led, fleet).length === 0) {
      this.rightfulSinceMs = null;
      return { kind: 'none' };
    }
    this.rightfulSinceMs ??= this.nowMs;
    const watchedMs = this.nowMs - this.rightfulSinceMs;
    // A node that has ended is listed for a while: only one that has spoken since can lead.
    const to = rightfulNodes(led, { ...fleet, liveMs: Math.min(fleet.liveMs, watchedMs) });
    const isSettled = watchedMs > settledLeases * this.options.leaseMs;
    return isSettled && to.length > 0 ? { kind: 'hand_over', to } : { kind: 'none' };
  }

  /** Digests of another version of the program say nothing. */
  private isComparable({ version, config }: LedConfig): boolean {
    const self = this.options.self();
    return version === self.version || config === self.config;
  }

  private fleet(store: NodeStore): Fleet {
    const { self, leaseMs } = this.options;
    return { self: self(), seen: store.nodes(), liveMs: leaseMs * leasesToLive };
  }
}

function ledConfigIn({ sql }: Pick<NodeStore, 'sql'>): LedConfig | null {
  return readLedConfig(meta.get(sql, ledConfigName));
}

async function keep(
  store: Pick<NodeStore, 'write'>,
  name: string,
  value: Parameters<typeof meta.set>[0]['value'],
): Promise<void> {
  await store.write([meta.set({ name, value })], { mustBeDurable: false });
}
