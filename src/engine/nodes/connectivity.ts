/** Finds out whether a node reaches anything: from its results, or by having it check hosts that answered others. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { isReferenceHost } from '../core/hosts.ts';
import type { ProbeResult } from '../core/probe.ts';
import type { CheckMonitor } from '../monitoring/prober.ts';
import { askedHost } from '../monitoring/watched-monitor.ts';
import type { ProbedMonitor } from '../probes/probe.ts';
import { type Reply, resultIn } from './client.ts';
import { Reachability } from './reachability.ts';
import { findingOf } from './result.ts';
import { isAnyRemoteIn, monitorsOf } from './watched-hosts.ts';

/** The terms of one check: its signal, and how its texts are redacted. */
export type CheckTerms = Parameters<CheckMonitor>[1];

export interface ConnectivityOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly config: () => Config;
  /** Has a node check a monitor. Rejects when the signal is aborted. */
  readonly ask: (node: string, monitor: ProbedMonitor, how: CheckTerms) => Promise<Reply>;
  /** Aborted in the end. */
  readonly signal: AbortSignal;
}

/** A check by a node that has a result. */
export interface NodeResult {
  readonly node: string;
  readonly monitor: ProbedMonitor;
  readonly result: ProbeResult;
}

/** What a node is to have reached: anything since then, but for `host`. */
export interface ReachedSince {
  readonly sinceMs: number;
  readonly host: string | null;
}

/** How many hosts are asked. */
const fewReferences = 3;
const longestSecs = 10;

export class Connectivity {
  private readonly options: ConnectivityOptions;
  private readonly reachability: Reachability;
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(options: ConnectivityOptions) {
    this.options = options;
    this.reachability = new Reachability(options.clock);
  }

  /** Takes in what an answer shows of the network of the node that it came to. */
  note({ node, monitor, result }: NodeResult): void {
    const host = askedHost(monitor);
    const finding = findingOf(result, monitor);
    if (host === null || (finding !== 'healthy' && finding !== 'bad_answer')) return;
    const from = result.isOwnAddress === true ? 'localhost' : host;
    if (isReferenceHost(from, isAnyRemoteIn(this.options.config())))
      this.reachability.note(node, { id: monitor.id, host });
  }

  /** The target was found to be silent: it says nothing of a node any more. */
  noteSilence(monitor: ProbedMonitor): void {
    const host = askedHost(monitor);
    if (host !== null) this.reachability.noteSilence(host);
  }

  hasReached(node: string, { sinceMs, host }: ReachedSince): boolean {
    return this.reachability.hasReached(node, sinceMs, host);
  }

  /** Whether any node reached anything since then. */
  isAnyReached(sinceMs: number): boolean {
    return this.reachability.isAnyReached(sinceMs);
  }

  /** Asks if it is not known. With no host to ask it cannot be known, and the node is trusted. Never rejects. */
  reachesHosts(node: string, since: ReachedSince): Promise<boolean> {
    if (this.hasReached(node, since)) return Promise.resolve(true);
    const known = this.underWay.get(node);
    if (known !== undefined) return known;
    const asked = this.verify(node, since).finally(() => this.underWay.delete(node));
    this.underWay.set(node, asked);
    return asked;
  }

  private async verify(node: string, { host }: ReachedSince): Promise<boolean> {
    const { config, signal } = this.options;
    const monitors = monitorsOf(config());
    const references = this.reachability
      .references(host)
      .flatMap(({ id }) => monitors.get(id) ?? [])
      .filter(({ nodes }) => nodes.length === 0 || nodes.includes(node));
    if (references.length === 0) return true;
    const ended = new AbortController();
    const both = AbortSignal.any([ended.signal, signal]);
    const answers = references.slice(0, fewReferences).map((each) => this.answered(node, each, both));
    const isReached = await Promise.any(answers).then(
      () => true,
      () => false,
    );
    ended.abort(new Error('enough is known'));
    return isReached;
  }

  /** Rejects when it is not. */
  private async answered(node: string, monitor: ProbedMonitor, signal: AbortSignal): Promise<void> {
    const shorter = { ...monitor, timeout_secs: Math.min(monitor.timeout_secs, longestSecs) };
    const result = resultIn(await this.options.ask(node, shorter, { signal, redact: (text) => text }));
    if (result === null) throw new Error('the node said nothing');
    this.note({ node, monitor, result });
    const finding = findingOf(result, monitor);
    if (finding !== 'healthy' && finding !== 'bad_answer') throw new Error('the host is silent');
  }
}
