/**
 * Has the checks made by all nodes: the node that leads decides which of them looks at a target, and what the check
 * comes to. Without other nodes a check is made here, as by a daemon that is alone.
 */
import type { Config } from '../config/config.ts';
import { callAfter } from '../core/clock.ts';
import type { ProbeResult } from '../core/probe.ts';
import { inWords } from '../core/words.ts';
import type { OwnHearing } from '../monitoring/network/own-hearing.ts';
import type { CheckMonitor } from '../monitoring/prober.ts';
import { askedHost } from '../monitoring/watched-monitor.ts';
import type { ProbedMonitor } from '../probes/probe.ts';
import { redactResult } from '../probes/probe-redact.ts';
import { NodeClient, type Reply } from './client.ts';
import { Crew, type CrewOptions, skewInWords, toleratedSkewMs } from './crew.ts';
import { Listener } from './listener.ts';
import { type Look, nextStep } from './next-step.ts';
import { once } from './once.ts';
import type { NodeLine } from './post.ts';
import type { RateMeter } from './rate-meter.ts';
import { absentResult, brokenResult, deafResult, notHere, sawOf, signed } from './result.ts';

export interface DispatcherOptions extends Pick<CrewOptions, 'clock' | 'log' | 'self' | 'seen' | 'liveMs'> {
  readonly config: () => Config;
  readonly line: Pick<NodeLine, 'post'>;
  /** Unique to this run. */
  readonly session: string;
  /** Checks here, retries included, as without other nodes. */
  readonly check: CheckMonitor;
  /** Counts the probes of this node. */
  readonly rate: RateMeter;
}

/** What was asked of other nodes since this one leads. */
export interface DispatchCounts {
  /** Probes that other nodes were asked for. */
  readonly asked: number;
  /** Of these: without a result. */
  readonly failed: number;
  /** Probes made here because no other node could. */
  readonly fallbacks: number;
}

type How = Parameters<CheckMonitor>[1];

/** A check under way. */
interface Case {
  readonly monitor: ProbedMonitor;
  readonly how: How;
  readonly startedMs: number;
  readonly looks: Look[];
  readonly results: (ProbeResult | null)[];
  /** Whether nodes hear anything but this target. */
  readonly hearing: Map<string, boolean>;
}

const betweenTriesMs = 1000;

/** What an answer may take beyond the deadline of the probe. */
const marginMs = 2000;

/** How often it is looked for nodes that are to be tried again. */
const trialMs = 1000;

/** A monitor stays for so long with a node that reached it where the first one did not. */
const stayMs = 900_000;

export class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly crew: Crew;
  private readonly listener: Listener;
  private readonly clients = new Map<string, NodeClient>();
  private readonly stays = new Map<string, { readonly node: string; readonly untilMs: number }>();
  private readonly stopping = new AbortController();
  private readonly tally = { asked: 0, failed: 0, fallbacks: 0 };

  constructor(options: DispatcherOptions) {
    this.options = options;
    this.crew = new Crew(options);
    this.listener = new Listener({
      clock: options.clock,
      config: options.config,
      ask: (node, monitor, how) => this.ask(node, monitor, how),
      signal: this.stopping.signal,
    });
    this.trial();
  }

  get counts(): DispatchCounts {
    return { ...this.tally };
  }

  stop(): void {
    this.stopping.abort(new Error('this node leads no more'));
    for (const client of this.clients.values()) client.drop();
  }

  /** As the check of a daemon that is alone: rejects only when the signal is aborted. */
  readonly check: CheckMonitor = async (monitor, how) => {
    const { clock, check, rate } = this.options;
    if (monitor.nodes.length === 0 && (!this.isShared || this.crew.others().length === 0)) {
      rate.note();
      return check(monitor, how);
    }
    const begun: Case = {
      monitor,
      how,
      startedMs: clock.monotonic(),
      looks: [],
      results: [],
      hearing: new Map(),
    };
    const startedAt = clock.now();
    const result = await this.settled(begun);
    this.learn(begun, result);
    return { startedAt, attempts: begun.looks.length, result: redactResult(result, how.redact) };
  };

  /** What this node itself hears; null while it makes all checks. */
  readonly ownHearing = (): OwnHearing | null => {
    if (!this.isShared || this.crew.others().length === 0) return null;
    const { id } = this.options.self();
    return {
      hasHeard: (sinceMs) => this.listener.hasHeard(id, { sinceMs, host: null }),
      hear: (sinceMs) => this.listener.hears(id, { sinceMs, host: null }),
    };
  };

  /** Without a token nobody else is asked. */
  private get isShared(): boolean {
    return this.options.config().node.token !== null;
  }

  private async settled(begun: Case): Promise<ProbeResult> {
    const { clock, self } = this.options;
    const { monitor, how, looks, hearing } = begun;
    const turns = this.crew.orderOf(monitor.id, monitor.nodes);
    const others = this.isShared ? turns.order : turns.order.filter((id) => id === self().id);
    const terms = {
      order: this.fromStay(monitor.id, others),
      fallback: turns.fallback,
      retries: monitor.probe_retries,
      hearing,
    };
    for (;;) {
      const step = nextStep(looks, terms);
      switch (step.kind) {
        case 'ask':
          if (step.isRetry) await clock.sleep(betweenTriesMs, how.signal);
          await this.look(begun, step.node);
          break;
        case 'listen':
          hearing.set(step.node, await this.listener.hears(step.node, heedOf(begun)));
          break;
        case 'settle':
          return this.resultOf(begun, step.look);
        case 'deaf':
          return (await this.isAnyHearing(begun, step.nodes))
            ? deafResult(monitor, step.nodes)
            : this.resultOf(begun, looks.length - 1);
        case 'nobody':
          return absentResult(monitor);
      }
    }
  }

  private async look({ monitor, how, looks, results }: Case, node: string): Promise<void> {
    const { id: self } = this.options.self();
    if (node === self && looks.some(({ saw }) => saw === 'no_reply')) this.tally.fallbacks += 1;
    const reply = await this.ask(node, monitor, how);
    const result = reply === null || typeof reply === 'string' ? null : reply;
    if (result !== null) this.listener.note({ node, monitor, result });
    looks.push({ node, saw: result === null ? 'no_reply' : sawOf(result, monitor) });
    results.push(result);
  }

  /** One look from one node. */
  private async ask(node: string, monitor: ProbedMonitor, how: How): Promise<Reply> {
    const { self, check, rate } = this.options;
    if (node === self().id) {
      rate.note();
      return (await check(once(monitor), how)).result;
    }
    this.tally.asked += 1;
    const reply = await unlessAborted(
      this.clientOf(node).ask(monitor.id, monitor.timeout_secs * 1000 + marginMs),
      how.signal,
    );
    if (reply === null || typeof reply === 'string') this.tally.failed += 1;
    return reply;
  }

  /** What a look found, with the nodes that saw the same. */
  private resultOf({ looks, results }: Case, settled: number): ProbeResult {
    const look = looks[settled];
    const result = results[settled] ?? brokenResult;
    const alike = looks.flatMap(({ node, saw }) => (saw === look?.saw ? [node] : []));
    const named = signed(result, inWords([...new Set(alike)]));
    return look === undefined || look.node === this.options.self().id ? named : notHere(named, look.node);
  }

  /** When none does, it is for the one that leads to suspect its network. */
  private async isAnyHearing(begun: Case, deaf: readonly string[]): Promise<boolean> {
    const { startedMs } = begun;
    for (const node of this.crew.orderOf('', []).order) {
      if (this.listener.isAnyHeard(startedMs)) break;
      if (!deaf.includes(node)) await this.listener.hears(node, heedOf(begun));
    }
    return this.listener.isAnyHeard(startedMs);
  }

  /** Takes out whom this check showed to hear nothing, and remembers who reached the target. */
  private learn({ monitor, looks, hearing, startedMs }: Case, result: ProbeResult): void {
    const last = looks.at(-1);
    const silent = new Set(looks.flatMap(({ node, saw }) => (saw === 'silence' ? [node] : [])));
    if (last?.saw !== 'healthy') {
      if (result.isSilence === true) this.listener.noteSilence(monitor);
      this.stays.delete(monitor.id);
    } else if (
      looks.some(({ node, saw }) => node !== last.node && (saw === 'silence' || saw === 'bad_answer'))
    ) {
      this.stays.set(monitor.id, { node: last.node, untilMs: this.options.clock.monotonic() + stayMs });
    }
    for (const node of silent) {
      if (last?.saw === 'healthy' && !hearing.has(node)) void this.doubt(node);
      if (hearing.get(node) === false && this.listener.isAnyHeard(startedMs)) this.leaveOutDeaf(node);
    }
  }

  /** Another node reached what this one did not. */
  private async doubt(node: string): Promise<void> {
    if (this.crew.isLeftOut(node) || (await this.isHearingNow(node))) return;
    if (!this.stopping.signal.aborted) this.leaveOutDeaf(node);
  }

  private isHearingNow(node: string): Promise<boolean> {
    return this.listener.hears(node, { sinceMs: this.options.clock.monotonic(), host: null });
  }

  private leaveOutDeaf(node: string): void {
    this.crew.leaveOut(node, 'reaches none of the hosts that other nodes reach', { isDeaf: true });
  }

  private fromStay(monitor: string, order: readonly string[]): readonly string[] {
    const stay = this.stays.get(monitor);
    if (stay === undefined) return order;
    if (stay.untilMs <= this.options.clock.monotonic() || !order.includes(stay.node)) {
      this.stays.delete(monitor);
      return order;
    }
    return [stay.node, ...order.filter((node) => node !== stay.node)];
  }

  private clientOf(id: string): NodeClient {
    const known = this.clients.get(id);
    if (known !== undefined) return known;
    const { clock, line, session, self, config } = this.options;
    const client = new NodeClient({
      clock,
      line,
      session,
      url: () => this.crew.others().find((node) => node.id === id)?.url ?? '',
      token: () => config().node.token?.reveal() ?? '',
      self: () => {
        const own = self();
        return { from: own.id, config: own.config, version: own.version };
      },
      onAnswer: (aheadMs) => {
        this.crew.noteAnswer(id);
        if (Math.abs(aheadMs) > toleratedSkewMs) this.crew.leaveOut(id, skewInWords(aheadMs));
      },
      onTrouble: (why) => {
        this.crew.leaveOut(id, why);
      },
    });
    this.clients.set(id, client);
    return client;
  }

  /** Tries those again that were left out. */
  private trial(): void {
    const { clock } = this.options;
    callAfter(clock, trialMs, () => {
      if (this.stopping.signal.aborted) return;
      const due = this.isShared ? this.crew.due() : [];
      void Promise.all(due.map((each) => this.tryAgain(each))).finally(() => {
        this.trial();
      });
    });
  }

  private async tryAgain({ id, isDeaf }: { readonly id: string; readonly isDeaf: boolean }): Promise<void> {
    const isThere = id === this.options.self().id || (await this.clientOf(id).greet());
    const isWell = isThere && (!isDeaf || (await this.isHearingNow(id)));
    if (!this.stopping.signal.aborted) this.crew.tried(id, isWell);
  }
}

function heedOf({ monitor, startedMs }: Case) {
  return { sinceMs: startedMs, host: askedHost(monitor) };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('called off'));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
