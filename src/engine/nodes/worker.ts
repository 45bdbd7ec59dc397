/** Checks targets for the node that leads, and keeps the results until it asks for them. */
import { setMaxListeners } from 'node:events';
import { type Clock, callAfter } from '../core/clock.ts';
import { deferred } from '../core/deferred.ts';
import type { ProbeResult } from '../core/probe.ts';
import type { ProbedMonitor } from '../probes/probe.ts';
import { beatMs } from '../monitoring/clock/standstill.ts';
import { StallDetector } from '../monitoring/stall-detector.ts';
import { once } from './once.ts';
import type { RateMeter } from './rate-meter.ts';
import {
  mostInAnswer,
  type NodeAnswer,
  type NodeConflict,
  type NodeFinding,
  type NodeQuestion,
  type Refusal,
} from './wire.ts';

export interface NodeWorkerOptions {
  readonly clock: Clock;
  readonly self: () => Pick<NodeQuestion, 'config' | 'version'> & { readonly id: string };
  /** Null: there is none of that name, or it is not probed. */
  readonly find: (id: string) => ProbedMonitor | null;
  /** Checks once, without retries. Rejects only when the signal is aborted. */
  readonly probe: (monitor: ProbedMonitor, signal: AbortSignal) => Promise<ProbeResult>;
  /** Counts the probes of this node. */
  readonly rate: RateMeter;
  /** How many probes may be in flight at once; more are refused. */
  readonly places?: number;
}

/** What has not been taken yet for one run of another node. */
interface Session {
  readonly ready: NodeFinding[];
  underWay: number;
  askedMs: number;
  open: OpenQuestion | null;
}

/** It is answered when its time is up, or by the next one. */
interface OpenQuestion {
  readonly end: () => void;
  cancel: () => void;
}

/** A question is held for so long when there is nothing to say. */
export const holdMs = 2000;

/**
 * What comes shortly after the first result goes with it: a little longer than a node gathers what it wants (client.ts), so
 * that under load each question takes home what earlier ones asked for.
 */
const gatherMs = 120;

/** Nobody comes back for what was left for so long. */
const forgetMs = 60_000;

/** More than that are not kept for who does not come back. */
const mostKept = 5000;

export class NodeWorker {
  private readonly options: NodeWorkerOptions;
  private readonly sessions = new Map<string, Session>();
  private readonly stopping = new AbortController();
  private stalls: StallDetector | null = null;
  private inFlight = 0;

  constructor(options: NodeWorkerOptions) {
    this.options = options;
    setMaxListeners(0, this.stopping.signal);
  }

  /** Begins the checks of the question; resolves when there is something to say of these or earlier ones, or after a while. */
  readonly answer = async (question: NodeQuestion): Promise<NodeAnswer | NodeConflict> => {
    const { clock, self } = this.options;
    const { id, config, version } = self();
    if (question.version !== version) return 'version';
    if (question.config !== config) return 'config';
    const session = this.sessionOf(question);
    // One question is open at a time: the earlier one has its answer now.
    session.open?.end();
    for (const { n, id: monitor } of question.checks) this.begin(session, n, monitor);
    if (session.underWay > 0 && !this.stopping.signal.aborted) await this.wait(session);
    return { node: id, at: clock.now(), findings: session.ready.splice(0, mostInAnswer) };
  };

  stop(): void {
    this.stopping.abort(new Error('the node is stopping'));
    for (const session of this.sessions.values()) session.open?.end();
  }

  private async wait(session: Session): Promise<void> {
    const { clock } = this.options;
    const { promise, resolve } = deferred<null>();
    const end = () => {
      resolve(null);
    };
    const open = { end, cancel: callAfter(clock, session.ready.length > 0 ? gatherMs : holdMs, end) };
    session.open = open;
    await promise;
    open.cancel();
    if (session.open === open) session.open = null;
  }

  private sessionOf({ from, session }: NodeQuestion): Session {
    const nowMs = this.options.clock.monotonic();
    for (const [key, { askedMs, underWay }] of this.sessions)
      if (nowMs - askedMs > forgetMs && underWay === 0) this.sessions.delete(key);
    const key = `${from} ${session}`;
    const known = this.sessions.get(key);
    if (known !== undefined) {
      known.askedMs = nowMs;
      return known;
    }
    const made: Session = { ready: [], underWay: 0, askedMs: nowMs, open: null };
    this.sessions.set(key, made);
    return made;
  }

  private begin(session: Session, n: number, id: string): void {
    const { find, places = 1000 } = this.options;
    const refuse = (refusal: Refusal) => {
      this.keep(session, { n, refusal });
    };
    if (this.inFlight >= places) {
      refuse('busy');
      return;
    }
    const monitor = find(id);
    if (monitor === null) {
      refuse('unknown_monitor');
      return;
    }
    session.underWay += 1;
    const attempted = this.attempt(monitor).catch(() => null);
    void attempted.then((seen) => {
      session.underWay -= 1;
      if (seen !== null)
        this.keep(session, typeof seen === 'string' ? { n, refusal: seen } : { n, result: seen });
    });
  }

  /** Null: it was called off. */
  private async attempt(monitor: ProbedMonitor): Promise<ProbeResult | Refusal | null> {
    const { clock, probe, rate } = this.options;
    const stalls = this.watchForStalls();
    this.inFlight += 1;
    rate.note();
    const startedMs = clock.monotonic();
    let result: ProbeResult | null = null;
    try {
      result = await probe(once(monitor), this.stopping.signal);
    } catch {
      // It was called off, or could not be begun: the node that asks goes to the next one.
    } finally {
      this.inFlight -= 1;
    }
    stalls.observe();
    // What was not seen while this process stood still says nothing of the target.
    return result?.outcome === 'failed' && stalls.wasCutSince(startedMs) ? 'stalled' : result;
  }

  /** Beats as long as a check is under way. */
  private watchForStalls(): StallDetector {
    const { clock } = this.options;
    if (this.stalls !== null) return this.stalls;
    const stalls = new StallDetector({ clock, beatMs, onGap: () => undefined, before: () => undefined });
    this.stalls = stalls;
    const beat = () => {
      stalls.observe();
      if (this.inFlight === 0 || this.stopping.signal.aborted) this.stalls = null;
      else callAfter(clock, beatMs, beat);
    };
    callAfter(clock, beatMs, beat);
    return stalls;
  }

  private keep(session: Session, finding: NodeFinding): void {
    session.ready.push(finding);
    // Nobody came for the oldest.
    if (session.ready.length > mostKept) session.ready.shift();
    const { open } = session;
    if (open === null || session.ready.length > 1) return;
    open.cancel();
    open.cancel = callAfter(this.options.clock, gatherMs, open.end);
  }
}
