/** The nodes that share the database, as last seen. */
import type { Clock } from '../../engine/core/clock.ts';
import type { DatabaseLink } from './link.ts';
import type { NodeRow, Statements } from './statements.ts';
import { agedBy, type SeenNode, seenNode } from './survey.ts';

export interface KnownNodesOptions {
  readonly link: DatabaseLink;
  readonly statements: Pick<Statements, 'announce' | 'nodes'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly leaseMs: number;
  /** For each statement; a meeting is due so much before the end of a lease, too. */
  readonly everyMs: number;
  readonly self: () => NodeRow;
  readonly onWarning: (message: string) => void;
}

export class KnownNodes {
  private readonly options: KnownNodesOptions;
  private found: readonly SeenNode[] = [];
  /** When they were read, and when this node said last that it is there, too, on the monotonic clock. */
  private readMs = -Infinity;
  private metMs = -Infinity;
  /** Whether the server answered when this node said last that it is there: otherwise it may note that at any time. */
  private isAnswered = false;
  private isNameShared = false;

  constructor(options: KnownNodesOptions) {
    this.options = options;
  }

  /** Those of the last day. */
  all(): readonly SeenNode[] {
    return agedBy(this.found, this.options.clock.monotonic() - this.readMs);
  }

  /** Where the others are reached. */
  urls(): readonly string[] {
    const { id: self } = this.options.self();
    return this.found.filter(({ id }) => id !== self).map(({ url }) => url);
  }

  /** Where a node is reached; '' as long as that is not known. */
  urlOf(id: string): string {
    return [this.options.self(), ...this.found].find((node) => node.id === id)?.url ?? '';
  }

  /** Learns who else is there. Rejects with LinkError. */
  async read(): Promise<void> {
    const { link, statements, clock, everyMs } = this.options;
    this.found = (await link.run(statements.nodes, everyMs)).map(seenNode);
    this.readMs = clock.monotonic();
  }

  /** Once a lease: says that this node is there, and learns who else is. Rejects with LinkError. */
  async meet(): Promise<void> {
    const { link, statements, clock, leaseMs, everyMs, self } = this.options;
    const sinceMs = clock.monotonic() - this.metMs;
    if (sinceMs < leaseMs - everyMs / 2) return;
    await this.read();
    if (this.isAnswered) this.lookForNamesake(sinceMs);
    this.isAnswered = false;
    await link.run(statements.announce(self()), everyMs);
    this.isAnswered = true;
    this.metMs = clock.monotonic();
  }

  /** Another node said in the name of this one that it is there, after this one did. */
  private lookForNamesake(sinceMs: number): void {
    const { self, everyMs, onWarning } = this.options;
    const { id } = self();
    const own = this.found.find((node) => node.id === id);
    if (this.isNameShared || own === undefined || own.ageMs > sinceMs - everyMs) return;
    this.isNameShared = true;
    onWarning(
      `another node is called ${id}, too: heartbeats are not handed on between them, and one cannot ask the other whether it ` +
        'reaches the database. Give each a name of its own: node.id',
    );
  }
}
