/**
 * Has the checks made by all nodes: the node that leads decides which of them checks a target, and what the check
 * comes to. Without other nodes a check is made here, as by a daemon that is alone.
 */
import type { Config } from '../config/config.ts';
import { callAfter } from '../core/clock.ts';
import { unlessAborted } from '../core/deferred.ts';
import { brokenResult, type ProbeResult } from '../core/probe.ts';
import { logsFault, unattended } from '../core/unattended.ts';
import { inWords } from '../core/words.ts';
import type { OwnReachability } from '../monitoring/network/own-reachability.ts';
import type { CheckMonitor } from '../monitoring/prober.ts';
import { askedHost } from '../monitoring/watched-monitor.ts';
import type { ProbedMonitor } from '../probes/probe.ts';
import { redactResult } from '../probes/probe-redact.ts';
import type { CheckCounts } from './check-counts.ts';
import { NodeClient, type Reply, resultIn } from './client.ts';
import {
  NodePool,
  type NodePoolOptions,
  type NodeStanding,
  skewInWords,
  toleratedSkewMs,
} from './node-pool.ts';
import { type CheckTerms, Connectivity } from './connectivity.ts';
import { type NodeAttempt, nextStep } from './next-step.ts';
import { once } from './once.ts';
import type { NodeLine } from './post.ts';
import { PreferredNodes } from './preferred-nodes.ts';
import type { RateMeter } from './rate-meter.ts';
import { absentResult, isolatedResult, notHere, findingOf, signed } from './result.ts';

export interface DispatcherOptions
  extends Pick<NodePoolOptions, 'clock' | 'log' | 'self' | 'seen' | 'liveMs'> {
  readonly config: () => Config;
  readonly line: Pick<NodeLine, 'post'>;
  /** Unique to this run. */
  readonly session: string;
  /** Checks here, retries included, as without other nodes. */
  readonly check: CheckMonitor;
  /** Counts the probes of this node. */
  readonly rate: RateMeter;
  /** Called when this node has reached nothing for a while, tried again twice, and another node goes on reaching hosts. */
  readonly onIsolated: () => void;
  /** Counts the checks nodes were asked for, and their results. */
  readonly counts: CheckCounts;
}

/** A check under way. */
interface OpenCheck {
  readonly monitor: ProbedMonitor;
  readonly how: CheckTerms;
  readonly startedMs: number;
  readonly attempted: NodeAttempt[];
  readonly results: (ProbeResult | null)[];
  /** Whether nodes reach anything but this target. */
  readonly reachability: Map<string, boolean>;
}

const betweenTriesMs = 1000;

/** What an answer may take beyond the deadline of the probe. */
const marginMs = 2000;

/** How often nodes that were left out are tried again, if their pause is over. */
const trialMs = 1000;

export class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly pool: NodePool;
  private readonly connectivity: Connectivity;
  private readonly clients = new Map<string, NodeClient>();
  private readonly preferred: PreferredNodes;
  private readonly stopping = new AbortController();

  constructor(options: DispatcherOptions) {
    this.options = options;
    this.preferred = new PreferredNodes(options.clock);
    this.pool = new NodePool(options);
    this.connectivity = new Connectivity({
      clock: options.clock,
      config: options.config,
      ask: (node, monitor, how) => this.ask(node, monitor, how),
      signal: this.stopping.signal,
    });
    this.trial();
  }

  stop(): void {
    this.stopping.abort(new Error('this node leads no more'));
    for (const client of this.clients.values()) client.drop();
  }

  /** As the check of a daemon that is alone: rejects only when the signal is aborted. */
  readonly check: CheckMonitor = async (monitor, how) => {
    const { clock } = this.options;
    if (monitor.nodes.length === 0 && (!this.isShared || this.pool.others().length === 0))
      return this.alone(monitor, how);
    const begun: OpenCheck = {
      monitor,
      how,
      startedMs: clock.monotonic(),
      attempted: [],
      results: [],
      reachability: new Map(),
    };
    const startedAt = clock.now();
    const result = await this.settled(begun);
    this.learn(begun, result);
    return { startedAt, attempts: begun.attempted.length, result: redactResult(result, how.redact) };
  };

  /** How the nodes that make checks stand; without a token none does but this one, and nobody is left out. */
  standings(): readonly NodeStanding[] {
    return this.isShared ? this.pool.standings() : [];
  }

  /** What this node itself reaches; null while it makes all checks. */
  readonly ownReachability = (): OwnReachability | null => {
    if (!this.isShared || this.pool.others().length === 0) return null;
    const { id } = this.options.self();
    return {
      hasReached: (sinceMs) => this.connectivity.hasReached(id, { sinceMs, host: null }),
      reachesHosts: (sinceMs) => this.connectivity.reachesHosts(id, { sinceMs, host: null }),
    };
  };

  /** A message could not be sent: finds out whether it is this node that reaches nothing, also if it makes no checks. */
  readonly noteUnsent = (): void => {
    if (this.isShared && this.pool.others().length > 0) this.suspect(this.options.self().id);
  };

  /** Without a token nobody else is asked. */
  private get isShared(): boolean {
    return this.options.config().node.token !== null;
  }

  private async settled(begun: OpenCheck): Promise<ProbeResult> {
    const { clock, self } = this.options;
    const { monitor, how, attempted, reachability } = begun;
    const turns = this.pool.orderOf(monitor.id, monitor.nodes);
    const others = this.isShared ? turns.order : turns.order.filter((id) => id === self().id);
    const terms = {
      order: this.preferred.first(monitor.id, others),
      fallback: turns.fallback,
      retries: monitor.probe_retries,
      reachability,
    };
    for (;;) {
      const step = nextStep(attempted, terms);
      switch (step.kind) {
        case 'ask':
          if (step.isRetry) await clock.sleep(betweenTriesMs, how.signal);
          await this.attempt(begun, step.node);
          break;
        case 'verify':
          reachability.set(step.node, await this.connectivity.reachesHosts(step.node, sinceOf(begun)));
          break;
        case 'settle':
          return this.resultOf(begun, step.attempt);
        case 'isolated': {
          if (await this.isAnyReaching(begun, step.nodes)) return isolatedResult(monitor, step.nodes);
          const silence = attempted.findLastIndex(({ finding }) => finding === 'silence');
          return this.resultOf(begun, silence);
        }
        case 'nobody':
          return absentResult(monitor);
      }
    }
  }

  private async alone(monitor: ProbedMonitor, how: CheckTerms): ReturnType<CheckMonitor> {
    const { check, rate, counts, self } = this.options;
    rate.note();
    const made = await check(monitor, how);
    if (this.isShared) counts.note(self().id, made.result, made.attempts);
    return made;
  }

  private async attempt(begun: OpenCheck, node: string): Promise<void> {
    const { monitor, how, attempted, results } = begun;
    if (node === this.options.self().id && this.isFallback(begun)) this.options.counts.noteFallback();
    const result = resultIn(await this.ask(node, monitor, how));
    if (result !== null) this.connectivity.note({ node, monitor, result });
    attempted.push({ node, finding: result === null ? 'no_reply' : findingOf(result, monitor) });
    results.push(result);
  }

  /** Whether this node is to check because no other one can, of those that are there for it. */
  private isFallback({ monitor: { nodes }, attempted }: OpenCheck): boolean {
    const asked = new Set(attempted.map(({ node }) => node));
    const others = this.pool.others().filter(({ id }) => nodes.length === 0 || nodes.includes(id));
    return (
      others.length > 0 &&
      attempted.every(({ finding }) => finding === 'no_reply' || finding === 'own_fault') &&
      others.every(({ id }) => asked.has(id) || this.pool.isLeftOut(id))
    );
  }

  /** One check by one node. */
  private async ask(node: string, monitor: ProbedMonitor, how: CheckTerms): Promise<Reply> {
    const { self, counts } = this.options;
    const reply = await (node === self().id
      ? this.checkHere(monitor, how)
      : this.askOther(node, monitor, how));
    if (this.isShared) counts.note(node, reply);
    return reply;
  }

  private async checkHere(monitor: ProbedMonitor, how: CheckTerms): Promise<ProbeResult> {
    this.options.rate.note();
    return (await this.options.check(once(monitor), how)).result;
  }

  private askOther(node: string, monitor: ProbedMonitor, { signal }: CheckTerms): Promise<Reply> {
    const asked = this.clientOf(node).ask(monitor.id, monitor.timeout_secs * 1000 + marginMs);
    return unlessAborted(asked, signal, () => {
      throw signal.reason as Error;
    });
  }

  /** The result of an attempt, with the nodes that found the same. */
  private resultOf({ attempted, results }: OpenCheck, settled: number): ProbeResult {
    const attempt = attempted[settled];
    const result = results[settled] ?? brokenResult;
    const alike = attempted.flatMap(({ node, finding }) => (finding === attempt?.finding ? [node] : []));
    const named = signed(result, inWords([...new Set(alike)]));
    return attempt === undefined || attempt.node === this.options.self().id
      ? named
      : notHere(named, attempt.node);
  }

  /** When none does, the leader suspects its own network. */
  private async isAnyReaching(begun: OpenCheck, isolated: readonly string[]): Promise<boolean> {
    const { startedMs } = begun;
    for (const node of this.pool.orderOf('', []).order) {
      if (this.connectivity.isAnyReached(startedMs)) break;
      if (!isolated.includes(node)) await this.connectivity.reachesHosts(node, sinceOf(begun));
    }
    return this.connectivity.isAnyReached(startedMs);
  }

  /** Leaves out nodes that this check showed to reach nothing, and remembers which node reached the target. */
  private learn({ monitor, attempted, reachability, startedMs }: OpenCheck, result: ProbeResult): void {
    const last = attempted.at(-1);
    const silent = new Set(attempted.flatMap(({ node, finding }) => (finding === 'silence' ? [node] : [])));
    if (last?.finding !== 'healthy') {
      if (result.isSilence === true) this.connectivity.noteSilence(monitor);
      this.preferred.forget(monitor.id);
    } else if (
      attempted.some(
        ({ node, finding }) => node !== last.node && (finding === 'silence' || finding === 'bad_answer'),
      )
    ) {
      this.preferred.set(monitor.id, last.node);
    }
    for (const node of silent) {
      if (last?.finding === 'healthy' && !reachability.has(node)) this.suspect(node);
      if (reachability.get(node) === false && this.connectivity.isAnyReached(startedMs))
        this.leaveOutIsolated(node);
    }
  }

  /** Another node reached what this one did not, or a message could not be sent. No check waits for what is found out. */
  private suspect(node: string): void {
    const findOut = async () => {
      if (this.pool.isLeftOut(node) || (await this.isReachingNow(node))) return;
      if (!this.stopping.signal.aborted) this.leaveOutIsolated(node);
    };
    unattended(findOut, logsFault(this.options.log, `node ${node}`));
  }

  private isReachingNow(node: string): Promise<boolean> {
    return this.connectivity.reachesHosts(node, { sinceMs: this.options.clock.monotonic(), host: null });
  }

  private leaveOutIsolated(node: string): void {
    this.pool.leaveOut(node, 'reaches none of the hosts that other nodes reach', { isIsolated: true });
  }

  /** A node that reaches no target mostly reaches no channel either: another one is to lead. */
  private handOverIfIsolated(): void {
    const sinceMs = this.pool.isolatedSinceMs(this.options.self().id);
    if (sinceMs !== null && this.connectivity.isAnyReached(sinceMs)) this.options.onIsolated();
  }

  private clientOf(id: string): NodeClient {
    const known = this.clients.get(id);
    if (known !== undefined) return known;
    const { clock, line, session, self, config } = this.options;
    const client = new NodeClient({
      clock,
      line,
      session,
      node: id,
      url: () => this.pool.others().find((node) => node.id === id)?.url ?? '',
      token: () => config().node.token?.reveal() ?? '',
      self: () => {
        const own = self();
        return { from: own.id, config: own.config, version: own.version };
      },
      onAnswer: (aheadMs) => {
        this.pool.noteAnswer(id);
        if (Math.abs(aheadMs) > toleratedSkewMs) this.pool.leaveOut(id, skewInWords(aheadMs));
      },
      onTrouble: (why) => {
        // Open requests are cut off at the end, which is no fault of the node.
        if (!this.stopping.signal.aborted) this.pool.leaveOut(id, why);
      },
    });
    this.clients.set(id, client);
    return client;
  }

  /** Tries again the nodes that were left out. */
  private trial(): void {
    const { clock } = this.options;
    callAfter(clock, trialMs, () => {
      if (this.stopping.signal.aborted) return;
      const due = this.isShared ? this.pool.due() : [];
      // Who could not be tried stays left out, and is tried again.
      void Promise.allSettled(due.map((each) => this.tryAgain(each))).then(() => {
        this.trial();
      });
    });
  }

  private async tryAgain({ id, isIsolated }: ReturnType<NodePool['due']>[number]): Promise<void> {
    const isThere = id === this.options.self().id || (await this.clientOf(id).greet());
    const isWell = isThere && (!isIsolated || (await this.isReachingNow(id)));
    if (this.stopping.signal.aborted) return;
    this.pool.tried(id, isWell);
    if (id === this.options.self().id) this.handOverIfIsolated();
  }
}

function sinceOf({ monitor, startedMs }: OpenCheck) {
  return { sinceMs: startedMs, host: askedHost(monitor) };
}
