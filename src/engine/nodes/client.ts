/**
 * Asks one other node for checks: requests of the same moment share a question, and one question is always open for
 * answers.
 */
import { type Clock, callAfter } from '../core/clock.ts';
import type { ProbeResult } from '../core/probe.ts';
import { unattended } from '../core/unattended.ts';
import type { NodeLine, Posted } from './post.ts';
import { holdMs } from './worker.ts';
import {
  mostInQuestion,
  type NodeAnswer,
  type NodeFinding,
  type NodeQuestion,
  readAnswer,
  type Refusal,
  type WantedCheck,
} from './wire.ts';

export interface NodeClientOptions {
  readonly clock: Clock;
  readonly line: Pick<NodeLine, 'post'>;
  /** The id of the node that is asked. */
  readonly node: string;
  readonly url: () => string;
  readonly token: () => string;
  /** Of this run: see NodeQuestion. */
  readonly session: string;
  /** The node that asks. */
  readonly self: () => Pick<NodeQuestion, 'from' | 'config' | 'version'>;
  /** The node answered as it should; its clock is so much ahead of this one's. */
  readonly onAnswer: (aheadMs: number) => void;
  /** The node cannot be worked with: why, in words that follow its name. */
  readonly onTrouble: (why: string) => void;
}

/** The result of asking: a result, why there is none, or null, when nothing came in time. */
export type Reply = ProbeResult | Refusal | null;

export function resultIn(reply: Reply): ProbeResult | null {
  return typeof reply === 'string' ? null : reply;
}

/** What is wanted within so long goes together: a question costs as much as several checks in it (bench/nodes.ts). */
const gatherMs = 100;

/** An answer is held for no longer than `holdMs` over there. */
const patienceMs = holdMs + 3000;

/** How long a node that answered with nothing is not asked again. */
const emptyMs = 50;

/** How often checks that got no result in time are given up. */
const sweepMs = 250;

interface Awaited {
  readonly dueMs: number;
  readonly settle: (reply: Reply) => void;
}

export class NodeClient {
  private readonly options: NodeClientOptions;
  private readonly awaited = new Map<number, Awaited>();
  private queue: WantedCheck[] = [];
  private isGathering = false;
  private isSweeping = false;
  /** Questions that are open. */
  private open = 0;
  private last = 0;

  constructor(options: NodeClientOptions) {
    this.options = options;
  }

  /** Asks for one check of a monitor, without retries. Never rejects. */
  ask(id: string, withinMs: number): Promise<Reply> {
    const { clock } = this.options;
    this.last += 1;
    const n = this.last;
    this.queue.push({ n, id });
    if (!this.isGathering) {
      this.isGathering = true;
      callAfter(clock, gatherMs, () => {
        this.isGathering = false;
        unattended(
          () => this.question(),
          (error) => {
            this.giveUp(error);
          },
        );
      });
    }
    return new Promise((settle) => {
      this.awaited.set(n, { dueMs: clock.monotonic() + withinMs, settle });
      this.sweep();
    });
  }

  /** Whether it answers as a node should. */
  async greet(): Promise<boolean> {
    return this.understood(await this.post([])) !== null;
  }

  /** What is asked for has no answer any more. */
  drop(): void {
    this.queue = [];
    for (const n of [...this.awaited.keys()]) this.settle(n, null);
  }

  /** A fault in the exchange with one node leaves that node out, and has its checks made elsewhere. */
  private giveUp(error: unknown): void {
    this.options.onTrouble(`cannot be asked: ${error instanceof Error ? error.message : String(error)}`);
    this.drop();
  }

  private async question(): Promise<void> {
    // Checks that are wanted while others gather go with them; while a result is awaited, a question is open.
    while ((this.queue.length > 0 && !this.isGathering) || (this.open === 0 && this.asked > 0)) {
      const checks = this.queue.splice(0, mostInQuestion);
      const answer = this.understood(await this.post(checks));
      if (answer === null) this.drop();
      else for (const finding of answer.findings) this.take(finding);
      // A node that answers at once with nothing would be asked without end.
      if (answer?.findings.length === 0) await this.options.clock.sleep(emptyMs);
    }
  }

  /** How many checks were asked for and have no result yet. */
  private get asked(): number {
    return this.awaited.size - this.queue.length;
  }

  private async post(checks: readonly WantedCheck[]): Promise<Posted> {
    const { line, url, token, session, self } = this.options;
    const question: NodeQuestion = { ...self(), session, checks };
    this.open += 1;
    const body = JSON.stringify(question);
    try {
      return await line.post({ url: url(), token: token(), body, timeoutMs: patienceMs });
    } finally {
      this.open -= 1;
    }
  }

  /** Null when it is no valid answer; then the reason is reported. */
  private understood({ status, text }: Posted): NodeAnswer | null {
    const { node, onAnswer, onTrouble, clock } = this.options;
    const answer = status === 200 ? readAnswer(text) : null;
    if (answer === null) {
      onTrouble(troubleOf(status, text));
      return null;
    }
    if (answer.node !== node) {
      // Its address leads elsewhere, to the one that asks perhaps: what is seen from there is not seen from here.
      onTrouble(`gave an address at which ${answer.node} answers: node.url has to lead to it`);
      return null;
    }
    onAnswer(answer.at - clock.now());
    return answer;
  }

  private take(finding: NodeFinding): void {
    this.settle(finding.n, 'result' in finding ? finding.result : finding.refusal);
  }

  private settle(n: number, reply: Reply): void {
    const awaited = this.awaited.get(n);
    this.awaited.delete(n);
    awaited?.settle(reply);
  }

  private sweep(): void {
    if (this.isSweeping) return;
    this.isSweeping = true;
    const { clock, onTrouble } = this.options;
    callAfter(clock, sweepMs, () => {
      this.isSweeping = false;
      const nowMs = clock.monotonic();
      const late = [...this.awaited].filter(([, { dueMs }]) => dueMs <= nowMs);
      if (late.length > 0) onTrouble('does not answer in time');
      for (const [n] of late) this.settle(n, null);
      this.queue = this.queue.filter(({ n }) => this.awaited.has(n));
      if (this.awaited.size > 0) this.sweep();
    });
  }
}

/** What is said of a node, after its name. */
function troubleOf(status: number, text: string): string {
  switch (status) {
    case 0:
      return `does not answer: ${text}`;
    case 200:
      return 'answers what no node does';
    case 401:
      return 'refuses the token: node.token has to be the same on all nodes';
    case 409:
      return 'runs on another configuration or version';
    case 404:
      return 'takes no checks: it shares no database, or is of another version';
    default:
      return `answers with status ${status}`;
  }
}
