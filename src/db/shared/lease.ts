/** The lease of the leader: one node at a time, with an epoch that is higher for every later leader. */
import type { Clock } from '../../engine/core/clock.ts';
import { type DatabaseLink, EmptyPlace, LinkError, readOnlyState, type Statement } from './link.ts';
import type { Fence, Statements } from './statements.ts';

export interface LeaseOptions {
  readonly link: DatabaseLink;
  readonly statements: Statements;
  /** One that goes on while the machine sleeps. */
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** The name of this node. */
  readonly holder: string;
  readonly leaseMs: number;
  /** For how many ms others go first: a free lease is taken only when nobody else has taken it for so long. Default: 0. */
  readonly headStartMs?: () => number;
  /** Whether this node could lead at once; one that cannot takes no lease. */
  readonly isReady?: () => boolean;
  /** Told the time of the server, epoch ms, as of the middle of a question that took so long. */
  readonly onTime?: (at: number, tookMs: number) => void;
}

/** `standby`: another node leads, or none yet. `leads`: this one does. `deposed`: it did, and another has taken over. */
export type LeaseState = 'standby' | 'leads' | 'deposed';

/** The lease of another as it was last renewed, since when every step has found it so (monotonic), and how long it is. */
interface SeenLease {
  readonly epoch: number;
  readonly renewed: string;
  readonly sinceMs: number;
  readonly lengthMs: number;
}

/** What the database says of a lease. */
interface FoundLease {
  readonly epoch: number;
  readonly renewed: string;
  readonly isOver: boolean;
  readonly leftMs: number;
}

/** How long after its end a lease is certainly over. */
const afterEndMs = 10;

/** No lease is longer, whatever the settings of its holder (`storage.lease_secs`, fill.ts). */
const longestLeaseMs = 120_000;

/** What the server says of a row that another session has locked. */
const lockedState = '55P03';

/** How often a lease is tried to be taken that another session has locked. */
const locked = { tries: 10, pauseMs: 20 };

/** A step is due so many times within a lease, and so much of it is left out of what is trusted. */
const stepsPerLease = 5;

export class Lease {
  private readonly options: LeaseOptions;
  private epoch: number | null = null;
  private trustedUntilMs = -Infinity;
  /** This node led, and does not any more: nothing that it decided counts from then on. */
  isOver = false;
  /** Who leads, as of the last step; null: nobody. */
  leader: string | null = null;
  /** The version of the tables, as of the last step of a node that does not lead: a later one is led by its nodes alone. */
  schemaVersion = 0;
  /** Which lease (`renewed` of the place) was to be taken without an answer; null: none, or it was renewed or taken since. */
  private stuckAt: string | null = null;
  /** When the lease of another ends, as of the last step; nobody has one: never. */
  private endsInMs = Infinity;
  /** Since when every step has found nobody leading, on the monotonic clock. */
  private freeSinceMs: number | null = null;
  /** The lease of another as of the last step; null: the database was not reached then. */
  private seen: SeenLease | null = null;
  /** Since when every step has reached the database, and when the last one did, on the monotonic clock. */
  private reached: { readonly sinceMs: number; readonly lastMs: number } | null = null;

  constructor(options: LeaseOptions) {
    this.options = options;
  }

  /** How often a step is due, and how long a statement may take. */
  get everyMs(): number {
    return this.options.leaseMs / stepsPerLease;
  }

  /** In how many ms the next step is due, after one that took so long: sooner when the lease of another ends before. */
  restMs(tookMs: number): number {
    return Math.max(0, Math.min(this.everyMs - tookMs, this.endsInMs));
  }

  /** The clock that the lease is measured on. */
  get nowMs(): number {
    return this.options.clock.monotonic();
  }

  /** What an append of the leader carries; null: this node does not lead. */
  get fence(): Fence {
    return this.epoch === null ? null : { epoch: this.epoch, leaseMs: this.options.leaseMs };
  }

  /**
   * For how many ms no other node can lead: counted from before the database was asked, and a step short of the lease.
   * Not more than 0: another may. It says nothing of whether one does.
   */
  get trustedMs(): number {
    return this.epoch === null ? 0 : this.trustedUntilMs - this.options.clock.monotonic();
  }

  /**
   * Renews the lease, or takes one: at once when it was given back, and when it ran out once the database was reached for
   * the length of a lease without a break.
   * Rejects with LinkError: nothing is known then, and a leader remains one as long as it is trusted.
   */
  async step(): Promise<LeaseState> {
    const { clock } = this.options;
    const startedMs = clock.monotonic();
    this.endsInMs = Infinity;
    try {
      const state =
        this.epoch === null ? await this.takeIfFree(startedMs) : await this.renew(this.epoch, startedMs);
      this.noteReached(startedMs);
      return state;
    } catch (error) {
      if (error instanceof LinkError) {
        this.reached = null;
        this.seen = null;
      }
      throw error;
    }
  }

  /** An append that began at `startedMs` was kept: it renewed the lease. */
  noteAppended(startedMs: number): void {
    this.trustedUntilMs = Math.max(this.trustedUntilMs, startedMs + this.options.leaseMs - this.everyMs);
  }

  /** This node no longer leads, whatever the database says. */
  stepDown(): void {
    this.isOver ||= this.epoch !== null;
    this.epoch = null;
    this.trustedUntilMs = -Infinity;
  }

  /** The same, and the next node leads at once. Rejects with LinkError: then it waits for the end of the lease. */
  async release(): Promise<void> {
    const { link, statements } = this.options;
    const { epoch } = this;
    this.stepDown();
    if (epoch !== null) await link.run(statements.release(epoch), this.everyMs);
  }

  /**
   * Whose lease it is by what the database says, which does not take a renewal now. Rejects with LinkError: it is not reached
   * either, or is a server that takes no writes.
   */
  async ownership(): Promise<'own' | 'gone'> {
    const place = await this.readPlace();
    return this.epoch !== null && Number(place['epoch']) === this.epoch && place['holder'] !== null
      ? 'own'
      : 'gone';
  }

  /** Whether the server did not answer when a lease was to be taken that is over, and nothing has become of it since. */
  get isStuck(): boolean {
    return this.stuckAt !== null;
  }

  /** What is reached takes no writes: this node could not lead, and is to reach it for a whole lease anew before it does. */
  noteUnwritten(): void {
    this.reached = null;
  }

  private async readPlace(): Promise<Readonly<Record<string, unknown>>> {
    const { link, statements } = this.options;
    const [place] = await link.run(statements.place, this.everyMs);
    if (place === undefined) throw new EmptyPlace();
    // It could be taken by nobody here, whoever has it.
    if (place['is_read_only'] === true)
      throw new LinkError('refused', readOnlyState, new Error('the server takes no writes'));
    return place;
  }

  private async takeIfFree(startedMs: number): Promise<LeaseState> {
    const { statements, holder, leaseMs } = this.options;
    const place = await this.readPlace();
    this.noteTime(place, startedMs);
    this.schemaVersion = Number(place['schema']);
    const isGivenBack = place['holder'] === null;
    const renewed = String(place['renewed']);
    if (renewed !== this.stuckAt) this.stuckAt = null;
    // It is taken once it could have been for a whole lease, in which its leader has renewed it, if there is one.
    if (this.stuckAt !== null) await this.unlessLocked(statements.mayTake);
    const found = {
      epoch: Number(place['epoch']),
      renewed,
      isOver: place['is_free'] === true,
      leftMs: Number(place['left_ms']),
    };
    const endsInMs = isGivenBack ? 0 : this.endOf(found, startedMs);
    const isFree = endsInMs <= 0;
    this.leader = isFree ? null : (place['holder'] as string | null);
    if (!isFree) this.endsInMs = endsInMs;
    // A lease that was given back is taken by the first that comes; one that ran out may have run out for want of the database.
    const isLeft = isGivenBack || this.hasReached(startedMs);
    this.freeSinceMs = isFree ? (this.freeSinceMs ?? startedMs) : null;
    if (this.freeSinceMs === null || !isLeft || this.options.isReady?.() === false) return 'standby';
    const leftMs = (this.options.headStartMs?.() ?? 0) - (startedMs - this.freeSinceMs);
    if (leftMs > 0) {
      this.endsInMs = leftMs;
      return 'standby';
    }
    const takenMs = this.options.clock.monotonic();
    this.stuckAt = renewed;
    const row = await this.unlessLocked(statements.take(holder, leaseMs, renewed));
    this.stuckAt = null;
    if (row === undefined) return 'standby';
    this.epoch = Number(row['epoch']);
    this.leader = holder;
    this.noteAppended(takenMs);
    return 'leads';
  }

  /**
   * Who has the place locked renews or takes the lease in this moment, or makes all writes hang. In neither case is it waited
   * for: once it is over, the leader that has waited to write goes first, or what it alone knows would be lost with its lease.
   */
  private async unlessLocked(statement: Statement): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { link, clock } = this.options;
    for (let tries = 1; ; tries += 1) {
      try {
        const [row] = await link.run(statement, this.everyMs);
        return row;
      } catch (error) {
        const isLocked = error instanceof LinkError && error.sqlState === lockedState;
        if (!isLocked || tries === locked.tries) throw error;
        await clock.sleep(locked.pauseMs);
      }
    }
  }

  /**
   * In how many ms nobody holds the lease of another any more. The clock of the server says so, unless it was set: a lease that
   * was renewed within half of its length has a holder, however far that clock went forward, and one that was not renewed for
   * twice its length has none, however far it went back. (The holder trusts it for less than its length, by its own clock.)
   */
  private endOf(found: FoundLease, nowMs: number): number {
    const { renewed, isOver, leftMs } = found;
    const seen =
      this.seen?.renewed === renewed
        ? this.seen
        : { epoch: found.epoch, renewed, sinceMs: nowMs, lengthMs: this.lengthOf(found) };
    this.seen = seen;
    const sameMs = nowMs - seen.sinceMs;
    return isOver ? seen.lengthMs / 2 - sameMs : Math.min(leftMs + afterEndMs, 2 * seen.lengthMs - sameMs);
  }

  /**
   * How long a lease is that was just renewed: a holder with other settings has another length. What the clock of the server
   * says of it is held against what it said when its holder renewed it before.
   */
  private lengthOf({ epoch, isOver, leftMs }: FoundLease): number {
    const before = this.seen?.epoch === epoch ? this.seen.lengthMs : null;
    const longestMs = before === null ? longestLeaseMs : Math.min(longestLeaseMs, 2 * before);
    return Math.max(this.options.leaseMs, isOver && before !== null ? before : Math.min(leftMs, longestMs));
  }

  private async renew(epoch: number, startedMs: number): Promise<LeaseState> {
    const { link, statements, leaseMs } = this.options;
    const [row] = await link.run(statements.renew(epoch, leaseMs), this.everyMs);
    if (row === undefined) {
      // Whatever else the database says of it by now: this node has lost it.
      const fault: unknown = await this.readPlace().catch((error: unknown) => error);
      if (fault instanceof EmptyPlace) throw fault;
      this.stepDown();
      return 'deposed';
    }
    this.noteTime(row, startedMs);
    this.noteAppended(startedMs);
    return 'leads';
  }

  private noteTime(row: Readonly<Record<string, unknown>>, startedMs: number): void {
    this.options.onTime?.(Number(row['now']), this.options.clock.monotonic() - startedMs);
  }

  private noteReached(startedMs: number): void {
    const { reached } = this;
    const isUnbroken = reached !== null && startedMs - reached.lastMs <= 2 * this.everyMs;
    this.reached = { sinceMs: isUnbroken ? reached.sinceMs : startedMs, lastMs: startedMs };
  }

  private hasReached(nowMs: number): boolean {
    const { reached } = this;
    return (
      reached !== null &&
      nowMs - reached.lastMs <= 2 * this.everyMs &&
      nowMs - reached.sinceMs >= this.options.leaseMs
    );
  }
}
