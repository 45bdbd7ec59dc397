/** The store of a node: follows the shared log, and leads while it holds the lease. */
import { deferred } from '../../engine/core/deferred.ts';
import type { StatusdError } from '../../engine/core/errors.ts';
import { type Parts, partsOf, refuseUnknown } from '../store/session.ts';
import { HistoryTable } from './history-table.ts';
import { KnownNodes } from './known-nodes.ts';
import { Lease } from './lease.ts';
import { createLink, type DatabaseLink, LinkError } from './link.ts';
import { isWentBack, type LogPlace } from './log.ts';
import {
  ledElsewhere,
  loadSharedDatabase,
  createSharedDatabase,
  newerVersion,
  mustAnswer,
  sharedDatabaseAt,
  type SharedDatabase,
  standsBy,
  whyRefused,
  writeFault,
} from './database.ts';
import { Readiness } from './readiness.ts';
import { ServerTime } from './server-time.ts';
import type { LeaseStanding, NodeStore, NodeStoreOptions } from './node-store.ts';
import { SnapshotKeeper } from './snapshot-keeper.ts';
import { SharedWriter } from './writer.ts';

/** A standby reads so often what the leader wrote, and the leader what others did. */
const lookMs = { standby: 250, leader: 500 };

/** Nothing is sent with less of the lease left than this part of it: sending takes a while. */
const sendingShare = 2 / 5;

/**
 * Opens the shared database and begins to follow it; resolves after the first try for the lease. Throws
 * `store_unusable`; the `cause` says when the server was only not reached.
 */
export async function openNode(options: NodeStoreOptions): Promise<NodeStore> {
  const { url, clock, leaseMs, schema } = options;
  // While it opens it holds no lease: a server that is slow to answer is no reason to give up.
  const openingMs = Math.max(leaseMs / 5, 10_000);
  const place = sharedDatabaseAt({ ...options, deadlineMs: leaseMs / 5 });
  // Renewing a lease waits for nothing.
  const leaseLink = createLink(url, clock);
  try {
    if (options.mayMake !== false) await createSharedDatabase(place, openingMs);
    await mustAnswer(leaseLink, place, openingMs);
    const { replica, end } = await loadSharedDatabase(place, { schema, deadlineMs: openingMs });
    const node = new SharedNode({ ...options, place, leaseLink, replica, end });
    await node.start();
    return node.store;
  } catch (error) {
    await Promise.all([leaseLink.close(), place.link.close()]);
    throw error;
  }
}

interface SharedNodeOptions extends NodeStoreOptions {
  readonly place: SharedDatabase;
  readonly leaseLink: DatabaseLink;
  readonly replica: Parts<SharedWriter>['replica'];
  readonly end: LogPlace;
}

class SharedNode {
  readonly store: NodeStore;
  private readonly options: SharedNodeOptions;
  private readonly lease: Lease;
  private readonly parts: Parts<SharedWriter>;
  private readonly time: ServerTime;
  private readonly stopping = new AbortController();
  private readonly led = deferred<null>();
  private readonly lost = deferred<StatusdError>();
  private isLeading = false;
  private readonly readiness: Readiness;
  /** Since when it holds the lease, on the clock of the lease. */
  private heldSinceMs: number | null = null;
  private reachedMs: number;
  /** Until then no other node is known to reach the database, on the clock of the lease. */
  private aloneUntilMs = -Infinity;
  private readonly known: KnownNodes;
  private readonly keeper: SnapshotKeeper;
  /** Connects when something is moved, or old samples are read. */
  private readonly historyLink: DatabaseLink;
  private loops: Promise<unknown> = Promise.resolve();

  constructor(options: SharedNodeOptions) {
    const { place, leaseLink, replica, end, clock, self } = options;
    this.options = options;
    this.time = new ServerTime(clock);
    this.reachedMs = clock.monotonic();
    this.lease = new Lease({
      ...options,
      link: leaseLink,
      statements: place.statements,
      // A machine that slept has lost its lease.
      clock: { monotonic: clock.uptime ?? clock.monotonic, sleep: clock.sleep },
      holder: self().id,
      headStartMs: () => options.headStartMs?.(this.store) ?? 0,
      isReady: () => this.parts.committer.trouble === null,
      onTime: (at, tookMs) => {
        this.time.note(at, tookMs);
      },
    });
    this.parts = partsOf({
      replica,
      clock: this.time.clock,
      // Until it leads what it cannot read is read with the next look: it has nothing to keep.
      isPersistent: () => this.isLeading && this.lease.fence !== null,
      onFinding: () => undefined,
      onRefused: (why) => {
        options.onWarning(`a heartbeat is not in the database: ${why}`);
      },
      logOf: (parts) =>
        new SharedWriter({
          ...parts,
          log: place.log,
          end,
          lease: this.lease,
          mayReload: () => !this.isLeading,
          refused: async (why) => {
            // Whatever the reason: what carries the fence of this node is refused from now on, and another may lead.
            void this.lease.release().catch(() => undefined);
            const error = why ?? (await this.whyRefused());
            if (this.lease.isOver) void this.lose(error);
            return error;
          },
          reload: async (why) => {
            if (isWentBack(why)) options.onWentBack(why);
            const world = await loadSharedDatabase(place, this.place);
            parts.applier.become(world.replica);
            return world.end;
          },
        }),
    });
    this.readiness = new Readiness({ ...options, clock: this.time.clock });
    const { statements } = place;
    this.known = new KnownNodes({ ...options, link: leaseLink, statements, everyMs: this.lease.everyMs });
    this.keeper = new SnapshotKeeper({ ...options, parts: this.parts });
    this.historyLink = createLink(options.url, clock);
    this.store = this.makeStore();
  }

  async start(): Promise<void> {
    // Who else is there says whether others go first.
    await this.known.read().catch(() => undefined);
    await this.step();
    this.loops = Promise.all([this.renewLease(), this.follow()]);
  }

  private get place() {
    const { schema, leaseMs } = this.options;
    return { schema, deadlineMs: leaseMs / 5 };
  }

  private makeStore(): NodeStore {
    const { committer, sql, changes, healthChanges, health, replica } = this.parts;
    return {
      sql,
      archive: new HistoryTable({
        link: this.historyLink,
        statements: this.options.place.statements,
        epoch: () => (this.isLeading ? (this.lease.fence?.epoch ?? null) : null),
      }),
      clock: this.time.clock,
      leads: this.led.promise.then(() => undefined),
      lost: this.lost.promise,
      warnings: () => [],
      write: async (operations, how = { mustBeDurable: true }) => {
        refuseUnknown(replica, operations);
        // What needs not be durable is for the leader to write.
        if (!how.mustBeDurable && !this.isLeading) throw standsBy();
        return committer.write(operations, how);
      },
      record: (operations) => {
        refuseUnknown(replica, operations);
        if (!this.isLeading) throw standsBy();
        committer.record(operations);
      },
      refresh: () => committer.refresh(),
      onChange: (listener) => changes.add(listener),
      onHealth: (listener) => healthChanges.add(listener),
      health: () => this.readiness.health(health()),
      checkpoint: () => this.snapshot(),
      standing: () => this.standing(),
      nodes: () => this.known.all(),
      untilTrusted: (signal) => this.untilTrusted(signal),
      close: () => this.close(),
    };
  }

  private standing(): LeaseStanding {
    const { clock } = this.options;
    const id = this.lease.leader;
    const leader = id === null ? null : { id, url: this.known.urlOf(id) };
    const behindMs = this.isLeading ? 0 : Math.max(0, clock.monotonic() - this.reachedMs - lookMs.standby);
    const role = this.isLeading ? 'leader' : 'standby';
    return { role, leader, behindMs };
  }

  private get maySend(): boolean {
    const { leaseMs } = this.options;
    const { trouble } = this.parts.committer;
    if (!this.isLeading || this.lease.fence === null) return false;
    if (this.lease.nowMs < this.aloneUntilMs) return true;
    // What is not written down would be sent again by the next leader: it waits until there can be none.
    const isWritten = trouble === null || this.time.clock.now() - trouble.since > leaseMs;
    return isWritten && this.lease.trustedMs >= leaseMs * sendingShare;
  }

  private async untilTrusted(signal: AbortSignal): Promise<void> {
    while (!this.maySend && !signal.aborted)
      await this.options.clock.sleep(trustLookMs, signal).catch(() => undefined);
  }

  /** Renews the lease, or looks whether it is free. */
  private async renewLease(): Promise<void> {
    const { clock } = this.options;
    const { signal } = this.stopping;
    for (let tookMs = 0; !this.lease.isOver; ) {
      await clock.sleep(this.lease.restMs(tookMs), signal).catch(() => undefined);
      if (signal.aborted) return;
      const startedMs = clock.monotonic();
      await this.step();
      tookMs = clock.monotonic() - startedMs;
    }
  }

  private async step(): Promise<void> {
    const { committer } = this.parts;
    try {
      const state = await this.lease.step();
      this.aloneUntilMs = -Infinity;
      if (state === 'deposed') {
        await this.lose(await this.whyRefused());
        return;
      }
      await this.known.meet();
      const isOutdated = state === 'standby' && this.lease.schemaVersion > this.options.schema.version;
      if (isOutdated) this.readiness.note(newerVersion());
      else if (!this.lease.isStuck) this.readiness.clear();
      if (state !== 'leads' || this.isLeading) return;
      // Everything that the one before wrote is read before anything is decided.
      this.heldSinceMs ??= this.lease.nowMs;
      await committer.catchUp();
      if (committer.trouble !== null) {
        await this.handBackIfLate(committer.trouble.error);
        return;
      }
      this.isLeading = true;
      this.led.resolve(null);
    } catch (error) {
      if (!this.isLeading) this.noteUnanswered(error);
      else if (this.lease.trustedMs <= 0) await this.askOtherNodes();
    }
  }

  /** Whatever it was: where reading goes on all the same, this node could not take the lease. */
  private noteUnanswered(error: unknown): void {
    this.lease.noteUnwritten();
    if (error instanceof LinkError) this.readiness.note(writeFault(error));
  }

  /** It holds the lease and cannot read what the one before wrote: another node may be able to. */
  private async handBackIfLate(error: StatusdError): Promise<void> {
    if (this.lease.nowMs - (this.heldSinceMs ?? Infinity) < this.options.leaseMs) return;
    await this.lease.release().catch(() => undefined);
    await this.lose(error);
  }

  /**
   * Another may lead by now. The database says it, where it can still be read: as long as it has this node for its leader,
   * writes hang there, for everyone. Otherwise whether another node can lead is asked of those who know.
   */
  private async askOtherNodes(): Promise<void> {
    const { everyMs, nowMs } = this.lease;
    const ownership = await this.lease.ownership().catch(() => null);
    const mayBeLed = () => this.options.askOthers(this.known.urls(), everyMs).catch(() => false);
    if (ownership === 'gone' || (ownership === null && (await mayBeLed()))) {
      this.lease.stepDown();
      return this.lose(ledElsewhere(null));
    }
    // Who could write there would have taken the lease by then.
    if (ownership === 'own' && this.lease.trustedMs > -2 * everyMs) return;
    // Who does not reach it now has to reach it for a whole lease before it leads.
    this.aloneUntilMs = nowMs + 4 * everyMs;
  }

  private whyRefused(): Promise<StatusdError> {
    return whyRefused(this.options.place, { ...this.place, seq: this.parts.log.end.seq });
  }

  private async lose(error: StatusdError): Promise<void> {
    await this.parts.committer.abandon(error).catch(() => undefined);
    this.lost.resolve(error);
  }

  /** Reads what others wrote, and keeps the log short. */
  private async follow(): Promise<void> {
    const { clock } = this.options;
    const { committer } = this.parts;
    const { signal } = this.stopping;
    for (;;) {
      await clock.sleep(this.isLeading ? lookMs.leader : lookMs.standby, signal).catch(() => undefined);
      if (signal.aborted || this.lease.isOver) return;
      // A leader in trouble tries again by itself.
      if (!this.isLeading || committer.trouble === null) await committer.catchUp();
      if (committer.trouble !== null) continue;
      this.reachedMs = clock.monotonic();
      if (this.isLeading && this.keeper.isDue) void this.snapshot().catch(() => undefined);
    }
  }

  private snapshot(): Promise<void> {
    const epoch = this.lease.fence?.epoch;
    return epoch === undefined ? Promise.reject(standsBy()) : this.keeper.keep(epoch);
  }

  private async close(): Promise<void> {
    const { place, leaseLink } = this.options;
    const { committer, replica } = this.parts;
    this.stopping.abort(new Error('the store is closed'));
    await this.loops;
    committer.stop();
    if (!committer.isHanging && committer.trouble === null && !this.lease.isOver) await committer.flush();
    this.isLeading = false;
    await this.lease.release().catch(() => undefined);
    await Promise.all([leaseLink.close(), place.link.close(), this.historyLink.close()]);
    replica.sql.close();
  }
}

/** How often what waits to be sent looks whether it may be. */
const trustLookMs = 100;
