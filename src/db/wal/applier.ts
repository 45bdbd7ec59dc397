/** Keeps the database in memory in step with the log and with the pending writes of this process. */
import { StatusdError } from '../../engine/core/errors.ts';
import { gapFinding } from './replay.ts';
import type { WalGap, WalRecord } from './reader.ts';
import type { WalTailListener } from './tail.ts';
import type { Operation } from '../store/operation.ts';
import { type PendingEntry, isApplied, type PendingWrites } from './pending-writes.ts';
import type { RecordOutcome, Replica } from '../store/replica.ts';
import type { FileFinding } from '../store/snapshot/base.ts';

/** What was just changed, for everyone who reads. */
export interface StoreChange {
  readonly operations: readonly Operation[];
  /** Written by another process. */
  readonly isForeign: boolean;
}

export interface WalApplierOptions {
  readonly replica: Replica;
  readonly queue: PendingWrites;
  readonly onChange: (change: StoreChange) => void;
  readonly onFinding: (finding: FileFinding) => void;
  /** A heartbeat that was answered is in the log, but not in the database: an error of the program. */
  readonly onRefused: (why: string) => void;
}

/** How many samples share one transaction in memory: a single one costs as much again, and more would take long. */
const mostLate = 32;

/** How many heartbeats are many. It takes two or three milliseconds to bring them into memory. */
const manyLogged = 256;

export class WalApplier implements WalTailListener {
  private readonly replica: Replica;
  private readonly pendingWrites: PendingWrites;
  private readonly options: WalApplierOptions;
  /** How many samples that wait for the disk may not be in memory yet. */
  private late = 0;
  /** Heartbeats of this process that are in the log and not yet in memory, in the order of the log. */
  private logged: Operation[] = [];

  constructor(options: WalApplierOptions) {
    this.options = options;
    this.replica = options.replica;
    this.pendingWrites = options.queue;
  }

  /** Applies what others wrote, and what this process wrote when its turn in the log has come. */
  onRecords(records: readonly WalRecord[]): void {
    const unknown = records
      .filter(({ writer }) => writer !== this.pendingWrites.writer)
      .map(({ operations }) => this.replica.unknownName(operations))
      .find((name) => name !== null);
    if (unknown !== undefined) throw unknownOperation(unknown);
    const changes: StoreChange[] = [];
    const enterAll = () => {
      for (const record of records) changes.push(...this.enter(record));
    };
    // A single one is a transaction of its own, or none yet.
    if (records.length === 1) enterAll();
    else this.replica.batch(enterAll);
    changes.forEach(this.options.onChange);
  }

  onNextLog(isSuspect: boolean): void {
    this.replica.nextLog();
    if (isSuspect) this.pendingWrites.distrustLog();
  }

  onGap(file: string, gap: WalGap): void {
    this.options.onFinding(gapFinding(file, gap));
  }

  /** Takes over what was read anew, which has what is in the log. */
  become(other: Replica): void {
    this.logged = [];
    this.replica.become(other);
    this.options.onChange({ operations: [], isForeign: true });
  }

  /** Takes samples that joined the queue: they come into memory with others, or with the next read. */
  take(samples: readonly Operation[]): void {
    this.late += samples.length;
    this.options.onChange({ operations: samples, isForeign: false });
    if (this.late >= mostLate) this.applyLate();
  }

  /** Brings samples into memory that are not there yet: to be called before anything is read. */
  applyLate(): void {
    this.applyLogged();
    if (this.late > 0) this.applyReady(false);
  }

  /** Brings heartbeats into memory once there are many: to be called while the disk has something to do. */
  applyMany(): void {
    if (this.logged.length >= manyLogged) this.applyLogged();
  }

  /**
   * Applies what waits in the queue and need not wait for its turn: samples that nobody waits for, whenever nothing is
   * queued before them; everything while the disk is failing. Tables that only this process writes do not care for the
   * order.
   */
  applyReady(isDiskFailing: boolean): void {
    for (const entry of this.pendingWrites.all()) {
      if (isApplied(entry)) continue;
      if ((entry.kind === 'transaction' || entry.mustBeDurable) && !isDiskFailing) return;
      this.applyOwn(entry).forEach(this.options.onChange);
    }
    this.late = 0;
  }

  /** Answers the change to be reported: none for samples that were when they came. */
  private applyOwn(entry: PendingEntry): StoreChange[] {
    if (isApplied(entry)) return [];
    this.applyLogged();
    const operations = entry.operations.slice(entry.appliedCount);
    const outcome = this.apply(entry.kind, operations);
    entry.appliedCount = entry.operations.length;
    if (entry.kind === 'transaction' || entry.mustBeDurable) entry.outcome = outcome;
    const isReported = entry.kind === 'samples' && !entry.mustBeDurable;
    return isReported || operations.length === 0 ? [] : [{ operations, isForeign: false }];
  }

  /** Takes heartbeats for applied: they come into memory before anything else does, and before anything is read. */
  private postpone(entry: PendingEntry): StoreChange[] {
    if (isApplied(entry)) return [];
    const operations = entry.operations.slice(entry.appliedCount);
    entry.appliedCount = entry.operations.length;
    entry.outcome = { results: [] };
    this.logged.push(...operations);
    return [{ operations, isForeign: false }];
  }

  private applyLogged(): void {
    if (this.logged.length === 0) return;
    const operations = this.logged;
    this.logged = [];
    const outcome = this.apply('samples', operations);
    if (!('error' in outcome)) return;
    const { error } = outcome;
    this.options.onRefused(error instanceof Error ? error.message : String(error));
  }

  /** All of it, or of samples what can be, as readers of the log do; the outcome says if that is not all. */
  private apply(kind: PendingEntry['kind'], operations: readonly Operation[]): RecordOutcome {
    const outcome = this.replica.apply('transaction', operations);
    if (kind === 'samples' && 'error' in outcome) this.replica.apply('samples', operations);
    return outcome;
  }

  /** Answers what is to be reported: nothing where it was. */
  private enter(record: WalRecord): readonly StoreChange[] {
    const isNew = this.replica.note(record);
    const own = record.writer === this.pendingWrites.writer ? this.pendingWrites.find(record.counter) : null;
    if (own !== null) {
      own.state = 'logged';
      return own.settled === null ? this.applyOwn(own) : this.postpone(own);
    }
    const { kind, operations, writer } = record;
    if (!isNew) return [];
    this.applyLogged();
    this.replica.apply(kind, operations);
    return operations.length === 0 ? [] : [{ operations, isForeign: writer !== this.pendingWrites.writer }];
  }
}

function unknownOperation(name: string): StatusdError {
  return new StatusdError(
    'store_failing',
    `another process wrote a change '${name}' that this version does not know`,
    {
      hint: 'Restart the daemon, so that all are the same version.',
    },
  );
}
