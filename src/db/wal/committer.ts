/**
 * Makes writes durable: writes of the same moment share a record, and while the disk or server fails, only durable
 * writes are refused.
 */
import { type Clock, waitAtMost } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { HangGuard } from '../store/hang-guard.ts';
import type { WalApplier } from './applier.ts';
import type { Json, Operation } from '../store/operation.ts';
import type { WriteOptions } from '../store/store.ts';
import type { PendingEntry, PendingWrites } from './pending-writes.ts';
import { Mutex } from '../../engine/core/mutex.ts';
import { yieldToEventLoop } from '../../engine/core/yielding.ts';

/** Why nothing can be made durable at the moment. */
export interface Trouble {
  readonly error: StatusdError;
  /** Epoch ms. */
  readonly since: number;
}

/** What changes are written to: log files, or the log of a database server. Not to be used by two callers at once. */
export interface CommitLog {
  /** It may have lost what was written: everything is written again. */
  isSuspect: boolean;
  /** Reads what is new, own records and others'. */
  readonly advance: () => Promise<void>;
  /** Durable, all of `batch`, when it resolves. */
  readonly persist: (batch: readonly PendingEntry[]) => Promise<void>;
  /** Makes it fit to be written to again. Rejects while it is not. */
  readonly recover: () => Promise<void>;
  /** An error of the calls above in words for the operator; `null`: it does not answer. */
  readonly faultOf: (error: unknown) => StatusdError;
  readonly close: () => Promise<void>;
}

/** A store that was opened while the disk refuses writes. */
export interface DetachedStart {
  /** The error of the disk. */
  readonly error: StatusdError;
  /** Opens the log for writing, once the disk takes something; rejects until then. */
  readonly attach: () => Promise<void>;
}

export interface WalCommitterOptions {
  readonly log: CommitLog;
  readonly queue: PendingWrites;
  readonly applier: WalApplier;
  readonly clock: Clock;
  /** Whether refused writes are kept in memory and retried. */
  readonly isPersistent: () => boolean;
  /** Null: the log was opened for writing. */
  readonly detached: DetachedStart | null;
  readonly onTrouble: (trouble: Trouble | null) => void;
}

const samplesDelayMs = 500;
/** Samples that fill this much do not wait for more. */
const samplesCharacters = 64 * 1024;
/** How much shares a write: a longer batch looks like a disk that hangs, and it is applied in one turn. */
const batchCharacters = 64 * 1024;
/** Reading the end of a log takes a fraction of a millisecond. */
const refreshMs = 1000;
const backoffMs = { first: 250, most: 5000 };

export class WalCommitter {
  trouble: Trouble | null = null;
  private readonly options: WalCommitterOptions;
  private readonly log: CommitLog;
  private readonly stopping = new AbortController();
  private readonly mutex = new Mutex();
  private readonly guard: HangGuard;
  private detachedStart: DetachedStart | null;
  private isCommitting = false;
  private isTimerSet = false;

  /** The disk may hold less than memory: the next checkpoint is made from memory. */
  get isMemoryAhead(): boolean {
    return this.options.queue.isMemoryAhead;
  }

  set isMemoryAhead(isAhead: boolean) {
    this.options.queue.isMemoryAhead = isAhead;
  }

  constructor(options: WalCommitterOptions) {
    this.options = options;
    this.log = options.log;
    this.detachedStart = options.detached;
    this.guard = new HangGuard({
      mutex: this.mutex,
      clock: options.clock,
      signal: this.stopping.signal,
      isAnyWaiting: () => !options.queue.isEmpty,
      isGivenUp: () => this.isWaiting,
      onHang: () => {
        this.fail(null);
      },
    });
    if (this.detachedStart === null) return;
    this.trouble = { error: this.detachedStart.error, since: options.clock.now() };
    void this.keepTrying();
  }

  /** The files were never opened for writing, so no checkpoint can be made. */
  get isDetached(): boolean {
    return this.detachedStart !== null;
  }

  /** A write to the disk has not returned for a long time. */
  get isHanging(): boolean {
    return this.guard.isHanging;
  }

  /** One transaction; resolves with what its operations answered once it is durable. */
  write(
    operations: readonly Operation[],
    { mustBeDurable, sharesRecord = false }: WriteOptions,
  ): Promise<readonly Json[]> {
    const { queue } = this.options;
    if (mustBeDurable && sharesRecord) return this.writeWithOthers(operations);
    return new Promise((resolve, reject) => {
      const refusal = this.refusal(mustBeDurable);
      if (refusal !== null) {
        reject(refusal);
        return;
      }
      const entry = queue.addTransaction(operations, mustBeDurable, { resolve, reject });
      this.guard.watch();
      if (this.trouble === null || !this.options.isPersistent()) this.commitSoon();
      else this.keepInMemory([entry]);
    });
  }

  /** Independent operations: resolves with the record that they share with others of the moment. */
  private writeWithOthers(operations: readonly Operation[]): Promise<readonly Json[]> {
    const refusal = this.refusal(true);
    if (refusal !== null) return Promise.reject(refusal);
    const settled = this.options.queue.addWaitedSamples(operations);
    this.guard.watch();
    this.commitSoon();
    return settled;
  }

  /** Samples: for readers at once, on the disk a little later, together. */
  record(operations: readonly Operation[]): void {
    const { queue, applier } = this.options;
    const refusal = this.refusal(false);
    if (refusal !== null) throw refusal;
    applier.take(queue.addSamples(operations));
    this.guard.watch();
    if (this.trouble !== null) this.keepInMemory([]);
    else if (this.isUrgent) this.commitSoon();
    else void this.commitLater();
  }

  /** Reads what other processes wrote. */
  async catchUp(): Promise<void> {
    await this.exclusive(async () => {
      try {
        await this.log.advance();
        if (!this.options.isPersistent()) this.heal();
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** The same, without waiting for a disk that does not answer. */
  async refresh(): Promise<void> {
    if (this.isHanging) return;
    await waitAtMost(this.options.clock, refreshMs, this.catchUp());
  }

  /** Runs `work` while nothing else touches the log. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.mutex.take(work);
  }

  /** The current log has lost bytes or its name, or cannot be trusted to keep what it was given. */
  suspect(error: unknown): void {
    this.log.isSuspect = true;
    this.fail(error);
  }

  /** Writes what waits, as far as the disk lets it. */
  async flush(): Promise<void> {
    if (this.isWaiting) await this.recover();
    while (!this.options.queue.isEmpty && !this.isWaiting) await this.commit();
  }

  /** Ends for good; later calls reject with the reason. */
  async abandon(error: StatusdError): Promise<void> {
    this.fail(error);
    await this.close();
  }

  /** Takes nothing new from now on; what waits can still be flushed. */
  stop(): void {
    this.stopping.abort(new Error('the store is closed'));
  }

  async close(): Promise<void> {
    this.stop();
    await this.exclusive(() => this.log.close());
  }

  private refusal(mustBeDurable: boolean): StatusdError | null {
    if (this.stopping.signal.aborted) return this.trouble?.error ?? closed();
    return mustBeDurable && this.options.isPersistent() ? (this.trouble?.error ?? null) : null;
  }

  /** Whether writes wait for the disk to recover. */
  private get isWaiting(): boolean {
    return this.trouble !== null && this.options.isPersistent();
  }

  /** Samples alone wait for their timer. */
  private get isUrgent(): boolean {
    const { queue } = this.options;
    return queue.hasUrgent || queue.size > samplesCharacters;
  }

  /** Everything asked for before the current turn of the event loop ends shares one write. */
  private commitSoon(): void {
    if (!this.isCommitting) void this.commit();
  }

  private async commitLater(): Promise<void> {
    if (this.isTimerSet) return;
    this.isTimerSet = true;
    await this.options.clock.sleep(samplesDelayMs, this.stopping.signal).catch(() => undefined);
    this.isTimerSet = false;
    if (!this.stopping.signal.aborted && this.trouble === null) this.commitSoon();
  }

  private async commit(): Promise<void> {
    const { queue } = this.options;
    this.isCommitting = true;
    try {
      do {
        // Writes of the same turn go along.
        await yieldToEventLoop();
        await this.exclusive(async () => {
          const batch = queue.take(batchCharacters);
          if (batch.length === 0 || this.isWaiting) return;
          try {
            const persisting = this.log.persist(batch);
            this.options.applier.applyMany();
            await persisting;
            this.settle(batch);
          } catch (error) {
            this.fail(error);
          }
        });
      } while (this.isUrgent && !this.isWaiting);
    } finally {
      this.isCommitting = false;
    }
  }

  private settle(entries: readonly PendingEntry[]): void {
    this.options.queue.remove(entries);
    for (const entry of entries) answer(entry);
  }

  /** From now on durable writes are refused, and the others go on in memory. */
  private fail(error: unknown): void {
    const { queue, clock } = this.options;
    const isPersistent = this.options.isPersistent();
    const fault = this.log.faultOf(error);
    this.settle(queue.all().filter(({ state }) => state === 'durable'));
    for (const entry of queue.all()) {
      if (isPersistent && !entry.mustBeDurable) continue;
      entry.settle?.reject(fault);
      entry.settle = null;
    }
    const isNew = this.trouble === null;
    this.trouble = { error: fault, since: this.trouble?.since ?? clock.now() };
    if (!isPersistent) {
      queue.remove(queue.all());
      this.log.isSuspect = false;
      this.options.onTrouble(this.trouble);
      return;
    }
    // What others can see in the log already is to be made durable with the rest, although nobody waits for it.
    const refused = queue.all().filter((entry) => entry.mustBeDurable && entry.outcome === null);
    // If the write that hangs returns, they come into memory behind what is kept there until then; in the log they are
    // in front of it.
    if (error === null && refused.length > 0) queue.isMemoryAhead = true;
    // A write that hangs may have them in its hands, and is not to bring them again.
    for (const entry of refused) entry.state = 'durable';
    queue.remove(refused);
    this.keepInMemory(queue.all());
    this.options.onTrouble(this.trouble);
    if (isNew) void this.keepTrying();
  }

  private heal(): void {
    // A store that was abandoned stays so: code that still uses it must not take it for healthy.
    if (this.trouble === null || this.stopping.signal.aborted) return;
    this.trouble = null;
    this.options.onTrouble(null);
  }

  private keepInMemory(entries: readonly PendingEntry[]): void {
    this.options.applier.applyReady(true);
    for (const entry of entries) answer(entry);
    this.options.queue.shed();
  }

  private async keepTrying(): Promise<void> {
    const { clock } = this.options;
    let waitMs = backoffMs.first;
    while (this.trouble !== null) {
      await clock.sleep(waitMs, this.stopping.signal).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      await this.recover();
      waitMs = Math.min(waitMs * 2, backoffMs.most);
    }
  }

  /** Writes everything that waits; a record without operations proves that the disk takes something. */
  private async recover(): Promise<void> {
    const { queue } = this.options;
    await this.exclusive(async () => {
      if (this.trouble === null) return;
      const { since } = this.trouble;
      if (queue.isEmpty) queue.addSamples([]);
      try {
        if (this.detachedStart !== null) {
          await this.detachedStart.attach();
          this.detachedStart = null;
        }
        await this.log.recover();
        while (!queue.isEmpty) {
          const batch = queue.take(batchCharacters);
          await this.log.persist(batch);
          this.settle(batch);
        }
        this.trouble = null;
      } catch (error) {
        this.trouble = { since, error: this.log.faultOf(error) };
      }
      this.options.onTrouble(this.trouble);
    });
  }
}

function closed(): StatusdError {
  return new StatusdError('store_failing', 'the database is closed');
}

/** Resolves the callers that wait for `entry` with what it did. */
function answer(entry: PendingEntry): void {
  const { outcome, settle } = entry;
  entry.settle = null;
  if (settle === null || outcome === null) return;
  if ('error' in outcome) settle.reject(outcome.error);
  else settle.resolve(outcome.results);
}
