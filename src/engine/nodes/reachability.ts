/** What each node reached of the hosts that are watched: whose silence is to be trusted, and whom to ask to find out. */
import type { Clock } from '../core/clock.ts';

/** The last answer that came to a node, and the last one of another host than that. Instants of the monotonic clock. */
interface LastReached {
  readonly host: string;
  readonly atMs: number;
  readonly other: { readonly host: string; readonly atMs: number } | null;
}

/** A monitor whose host answered. */
export interface ReferenceMonitor {
  readonly id: string;
  readonly host: string;
}

/** How many hosts that answered are remembered: the latest. */
const mostRemembered = 64;

export class Reachability {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly reached = new Map<string, LastReached>();
  /** By host, the latest last. */
  private readonly answering = new Map<string, string>();
  private latestMs = -Infinity;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock;
  }

  /** A host answered this node. */
  note(node: string, { id, host }: ReferenceMonitor): void {
    const atMs = this.clock.monotonic();
    this.latestMs = atMs;
    const before = this.reached.get(node);
    const other = before === undefined ? null : before.host === host ? before.other : before;
    this.reached.set(node, { host, atMs, other });
    this.answering.delete(host);
    this.answering.set(host, id);
    if (this.answering.size <= mostRemembered) return;
    for (const oldest of this.answering.keys()) {
      this.answering.delete(oldest);
      break;
    }
  }

  /** A host is silent: it says nothing of any node. */
  noteSilence(host: string): void {
    this.answering.delete(host);
  }

  /** Whether the node reached a host since then, one other than `host`. */
  hasReached(node: string, sinceMs: number, host: string | null): boolean {
    const last = this.reached.get(node);
    if (last === undefined) return false;
    const counts = last.host === host ? last.other : last;
    return counts !== null && counts.atMs >= sinceMs;
  }

  /** Whether any node reached anything since then. */
  isAnyReached(sinceMs: number): boolean {
    return this.latestMs >= sinceMs;
  }

  /** The monitors by which a node can be judged: of the hosts that answered last, the latest first. */
  references(except: string | null): readonly ReferenceMonitor[] {
    return [...this.answering].flatMap(([host, id]) => (host === except ? [] : [{ id, host }])).toReversed();
  }
}
