/** The nodes that make checks now: present, of the same configuration, and not left out for a fault. */
import type { Clock } from '../core/clock.ts';
import { durationText } from '../core/duration.ts';
import type { Log } from '../core/log.ts';
import { rankNodes } from './rank.ts';

/** A node as it was last read in the database. */
export interface PoolNode {
  readonly id: string;
  readonly url: string;
  readonly version: string;
  readonly config: string;
  /** Whether it makes checks. */
  readonly isProbing: boolean;
  /** Since it said that it is there. */
  readonly ageMs: number;
}

export interface NodePoolOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly self: () => Pick<PoolNode, 'id' | 'version' | 'config' | 'isProbing'>;
  /** All nodes that there are, this one perhaps among them. */
  readonly seen: () => readonly PoolNode[];
  /** Who was not there for longer is gone. */
  readonly liveMs: number;
}

/** Whether a node that is there to make checks is left out. */
export interface NodeStanding {
  readonly node: string;
  readonly isLeftOut: boolean;
}

/** Whom to ask about a monitor; the first one first. */
export interface ProbeOrder {
  readonly order: readonly string[];
  /** Who checks when none of them can: this node, where it may check the monitor at all. */
  readonly fallback: string | null;
}

interface Absence {
  readonly why: string;
  readonly isIsolated: boolean;
  /** On the monotonic clock. */
  readonly sinceMs: number;
  /** When it is tried again, on the monotonic clock. */
  untilMs: number;
  backoffMs: number;
  /** How often it was tried again in vain. */
  failures: number;
}

const firstBackoffMs = 5000;
const longestBackoffMs = 300_000;

/** Who works for so long begins with the first pause again. */
const backoffResetMs = 600_000;

/** Who is there changes slowly. */
const refreshMs = 500;

export class NodePool {
  private readonly options: NodePoolOptions;
  private readonly absent = new Map<string, Absence>();
  /** The last pause of a node, and since when it works again. */
  private readonly past = new Map<string, { readonly backoffMs: number; readonly sinceMs: number }>();
  /** When a node last answered, on the monotonic clock: the database may be what is gone. */
  private readonly answeredMs = new Map<string, number>();
  /** The other nodes that are there to make checks, and those of them that are alike. */
  private there: readonly PoolNode[] = [];
  private nodes: readonly PoolNode[] = [];
  /** Nodes on another configuration or version: since when, on the monotonic clock, and whether the log says so. */
  private readonly different = new Map<string, { readonly sinceMs: number; isLogged: boolean }>();
  private refreshedMs = -Infinity;
  private well: readonly string[] = [];
  private ranked = new Map<string, ProbeOrder>();

  constructor(options: NodePoolOptions) {
    this.options = options;
  }

  /** The other nodes that check, by id. */
  others(): readonly PoolNode[] {
    this.refresh();
    return this.nodes;
  }

  /** All that are there to make checks. Those on another configuration or version are left out, too. */
  standings(): readonly NodeStanding[] {
    this.refresh();
    const { id: self, isProbing } = this.options.self();
    return [
      ...(isProbing ? [{ node: self, isLeftOut: this.absent.has(self) }] : []),
      ...this.there.map((node) => ({
        node: node.id,
        isLeftOut: this.absent.has(node.id) || !this.nodes.includes(node),
      })),
    ];
  }

  /** Who checks a monitor that `allowed` may check (none: any). */
  orderOf(monitor: string, allowed: readonly string[]): ProbeOrder {
    this.refresh();
    let turns = this.ranked.get(monitor);
    if (turns === undefined) {
      const self = this.options.self();
      const may = (id: string) => allowed.length === 0 || allowed.includes(id);
      const all = [...this.nodes.map(({ id }) => id), ...(self.isProbing ? [self.id] : [])].filter(may);
      const well = all.filter((id) => this.well.includes(id));
      const order = rankNodes(monitor, well.length > 0 ? well : all.filter((id) => this.isIsolated(id)));
      turns = { order, fallback: may(self.id) ? self.id : null };
      this.ranked.set(monitor, turns);
    }
    return turns;
  }

  /** Checks go elsewhere until it was tried again. `isIsolated`: it can be worked with, but reaches nothing. */
  leaveOut(id: string, why: string, { isIsolated = false } = {}): void {
    if (this.absent.has(id)) return;
    const { clock, log } = this.options;
    const nowMs = clock.monotonic();
    const past = this.past.get(id);
    const again = past !== undefined && nowMs - past.sinceMs < backoffResetMs;
    const backoffMs = again ? Math.min(longestBackoffMs, past.backoffMs * 2) : firstBackoffMs;
    this.absent.set(id, {
      why,
      isIsolated,
      sinceMs: nowMs,
      untilMs: nowMs + backoffMs,
      backoffMs,
      failures: 0,
    });
    this.forget();
    logLeftOut(log, id, why);
  }

  noteAnswer(id: string): void {
    this.answeredMs.set(id, this.options.clock.monotonic());
  }

  /** Those that are to be tried again now. */
  due(): readonly { readonly id: string; readonly isIsolated: boolean }[] {
    const nowMs = this.options.clock.monotonic();
    this.refresh();
    const { id: self } = this.options.self();
    for (const id of this.absent.keys())
      if (id !== self && !this.nodes.some((node) => node.id === id)) this.absent.delete(id);
    return [...this.absent].flatMap(([id, { untilMs, isIsolated }]) =>
      untilMs <= nowMs ? [{ id, isIsolated }] : [],
    );
  }

  /** It was tried again. */
  tried(id: string, isWell: boolean): void {
    const absence = this.absent.get(id);
    if (absence === undefined) return;
    const nowMs = this.options.clock.monotonic();
    if (!isWell) {
      absence.failures += 1;
      absence.backoffMs = Math.min(longestBackoffMs, absence.backoffMs * 2);
      absence.untilMs = nowMs + absence.backoffMs;
      return;
    }
    this.absent.delete(id);
    this.past.set(id, { backoffMs: absence.backoffMs, sinceMs: nowMs });
    this.forget();
    logBack(this.options.log, id);
  }

  /** Since when a node reaches nothing, in ms of the monotonic clock, once it was tried again twice; null: it is not so. */
  isolatedSinceMs(id: string): number | null {
    const absence = this.absent.get(id);
    return absence?.isIsolated === true && absence.failures >= 2 ? absence.sinceMs : null;
  }

  isLeftOut(id: string): boolean {
    return this.absent.has(id);
  }

  private isIsolated(id: string): boolean {
    return this.absent.get(id)?.isIsolated ?? true;
  }

  private forget(): void {
    this.refreshedMs = -Infinity;
  }

  private refresh(): void {
    const { clock, self, seen, liveMs } = this.options;
    const nowMs = clock.monotonic();
    if (nowMs - this.refreshedMs < refreshMs) return;
    this.refreshedMs = nowMs;
    const own = self();
    this.there = seen().filter(
      ({ id, url, isProbing, ageMs }) =>
        id !== own.id &&
        url !== '' &&
        isProbing &&
        (ageMs <= liveMs || nowMs - (this.answeredMs.get(id) ?? -Infinity) <= liveMs),
    );
    this.nodes = this.there.filter(({ version, config }) => version === own.version && config === own.config);
    this.noteDifferent(own.version);
    this.well = [...this.nodes.map(({ id }) => id), own.id].filter((id) => !this.absent.has(id));
    this.ranked = new Map();
  }

  /** Says of each that stays on another configuration or version that it is left out, once; a rollout takes a while. */
  private noteDifferent(version: string): void {
    const { clock, log, liveMs } = this.options;
    const nowMs = clock.monotonic();
    for (const node of this.there) {
      const { id } = node;
      const known = this.different.get(id);
      if (this.nodes.includes(node)) {
        if (known?.isLogged === true) logBack(log, id);
        this.different.delete(id);
      } else if (known === undefined) {
        this.different.set(id, { sinceMs: nowMs, isLogged: this.absent.has(id) });
      } else if (!known.isLogged && nowMs - known.sinceMs >= liveMs) {
        known.isLogged = true;
        logLeftOut(log, id, node.version === version ? 'has another configuration' : 'is of another version');
      }
    }
    for (const id of this.different.keys())
      if (!this.there.some((node) => node.id === id)) this.different.delete(id);
  }
}

function logLeftOut(log: Log, id: string, why: string): void {
  log({
    level: 'warning',
    event: 'node.left_out',
    message: `${id} ${why}: other nodes make its checks`,
    fields: { node: id, why },
  });
}

function logBack(log: Log, id: string): void {
  log({
    level: 'info',
    event: 'node.back',
    message: `${id} makes checks again`,
    fields: { node: id },
  });
}

/** How far apart the clocks of two nodes may be: certificates are judged by them. */
export const toleratedSkewMs = 300_000;

/** What is said of a node whose clock is so much ahead. */
export function skewInWords(aheadMs: number): string {
  const way = aheadMs > 0 ? 'ahead' : 'behind';
  return `has a clock that is ${durationText(Math.round(Math.abs(aheadMs) / 1000) * 1000)} ${way}`;
}
