/** A node that leads and others that work for it, in one process: what each of them sees is set by the test. */
import type { Config } from '../../../src/engine/config/config.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import { noTimings, type ProbeResult } from '../../../src/engine/core/probe.ts';
import type { PoolNode } from '../../../src/engine/nodes/node-pool.ts';
import { CheckCounts } from '../../../src/engine/nodes/check-counts.ts';
import { Dispatcher } from '../../../src/engine/nodes/dispatcher.ts';
import type { NodePost, Posted } from '../../../src/engine/nodes/post.ts';
import { RateMeter } from '../../../src/engine/nodes/rate-meter.ts';
import { readQuestion } from '../../../src/engine/nodes/wire.ts';
import { monitorsOf } from '../../../src/engine/nodes/watched-hosts.ts';
import { NodeWorker } from '../../../src/engine/nodes/worker.ts';
import { realClock } from '../../support/real-clock.ts';

/** What a node sees of a monitor. */
type Sees = (monitor: string) => ProbeResult;

export const healthy: ProbeResult = {
  outcome: 'healthy',
  reason: null,
  latencyMs: 12,
  timings: noTimings,
  answer: null,
  assertions: [],
  certificate: null,
  address: '192.0.2.1',
};

export const silent: ProbeResult = {
  ...healthy,
  outcome: 'failed',
  reason: { category: 'timeout', message: 'no answer within 10 s' },
  latencyMs: null,
  isSilence: true,
};

export const refused: ProbeResult = {
  ...silent,
  reason: { category: 'status', message: 'answered 503' },
  timings: { ...noTimings, connectMs: 3 },
  isSilence: false,
};

export const unable: ProbeResult = {
  ...silent,
  outcome: 'unknown',
  reason: { category: 'own_fault', message: 'ping is missing', ownFault: 'ping' },
  isSilence: false,
};

const factor = 8;

/** Goes eight times as fast as the real one. */
const hastyClock = {
  now: () => Date.now(),
  monotonic: () => realClock.monotonic() * factor,
  sleep: (ms: number, signal?: AbortSignal) => realClock.sleep(ms / factor, signal),
};

export interface FleetOptions {
  readonly config: Config;
  /** By node; `a` leads. */
  readonly sees: Readonly<Record<string, Sees>>;
  readonly selfProbes?: boolean;
  /** What stands between the leader and a node; answers undefined to let it through. */
  readonly between?: (node: string, post: NodePost) => Promise<Posted> | Posted | undefined;
  readonly skewMs?: Readonly<Record<string, number>>;
  readonly places?: number;
}

export class Fleet {
  readonly log: LogEntry[] = [];
  /** Who looked at what, in turn: `b web`. */
  readonly attempted: string[] = [];
  readonly dispatcher: Dispatcher;
  /** Nodes that are not there any more. */
  readonly gone = new Set<string>();
  /** Those on another configuration. */
  readonly changed = new Set<string>();
  posts = 0;
  readonly counts = new CheckCounts();
  /** How often the one that leads was to hand over. */
  handedOver = 0;
  private readonly options: FleetOptions;
  private readonly workers = new Map<string, NodeWorker>();

  constructor(options: FleetOptions) {
    this.options = options;
    const { config, sees, selfProbes = true, places = 1000 } = options;
    for (const id of Object.keys(sees)) {
      if (id === 'a') continue;
      const clock = { ...hastyClock, now: () => Date.now() + (options.skewMs?.[id] ?? 0) };
      const worker = new NodeWorker({
        clock,
        rate: new RateMeter(clock),
        self: () => ({ id, config: this.changed.has(id) ? 'other' : 'same', version: '1' }),
        find: (monitor) => monitorsOf(config).get(monitor) ?? null,
        probe: (monitor) => Promise.resolve(this.attempt(id, monitor.id)),
        places,
      });
      this.workers.set(id, worker);
    }
    this.dispatcher = new Dispatcher({
      clock: hastyClock,
      log: (entry) => this.log.push(entry),
      config: () => config,
      rate: new RateMeter(hastyClock),
      counts: this.counts,
      session: 'one',
      liveMs: 1e12,
      self: () => ({ id: 'a', version: '1', config: 'same', isProbing: selfProbes }),
      seen: () => this.seen(),
      check: (monitor) =>
        Promise.resolve({ startedAt: 0, attempts: 1, result: this.attempt('a', monitor.id) }),
      line: { post: (what) => this.post(what) },
      onIsolated: () => {
        this.handedOver += 1;
      },
    });
  }

  /** What a check comes to. */
  async check(id: string): Promise<ProbeResult> {
    const monitor = monitorsOf(this.options.config).get(id);
    if (monitor === undefined) throw new Error(`no monitor ${id}`);
    const how = { signal: new AbortController().signal, redact: (text: string) => text };
    return (await this.dispatcher.check(monitor, how)).result;
  }

  events(event: string): string[] {
    return this.log.flatMap((entry) => (entry.event === event ? [entry.message] : []));
  }

  /** Who looked at a monitor since the last time that this was asked. */
  nodesAsked(monitor: string): string[] {
    return this.attempted
      .splice(0)
      .flatMap((attempt) => (attempt.endsWith(` ${monitor}`) ? [attempt.split(' ')[0] ?? ''] : []));
  }

  stop(): void {
    this.dispatcher.stop();
    for (const worker of this.workers.values()) worker.stop();
  }

  private attempt(node: string, monitor: string): ProbeResult {
    this.attempted.push(`${node} ${monitor}`);
    const result = this.options.sees[node]?.(monitor);
    if (result === undefined) throw new Error(`${node} cannot look at ${monitor}`);
    return result;
  }

  private seen(): PoolNode[] {
    return Object.keys(this.options.sees).map((id) => ({
      id,
      url: `http://${id}.example`,
      version: '1',
      config: 'same',
      isProbing: true,
      ageMs: this.gone.has(id) ? 1e13 : 0,
    }));
  }

  private async post(what: NodePost): Promise<Posted> {
    this.posts += 1;
    const id = new URL(what.url).hostname.replace('.example', '');
    const instead = await this.options.between?.(id, what);
    if (instead !== undefined) return instead;
    const question = readQuestion(what.body);
    const answer = question === null ? 'config' : await this.workers.get(id)?.answer(question);
    if (answer === undefined || typeof answer === 'string') return { status: 409, text: '' };
    return { status: 200, text: JSON.stringify(answer) };
  }
}
