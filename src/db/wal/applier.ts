/** Keeps the database in memory in step with the log and with what this process is about to write into it. */
import { StatusdError } from '../../engine/core/errors.ts';
import { gapMessage } from './replay.ts';
import type { WalGap, WalRecord } from './reader.ts';
import type { WalTailListener } from './tail.ts';
import type { Operation } from '../store/operation.ts';
import { applyEntry, isApplied, type PendingWrites } from './pending-writes.ts';
import type { Replica } from '../store/replica.ts';
import type { FileFinding } from '../store/snapshot/base.ts';

/** What was just changed in memory. */
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
}

export class WalApplier implements WalTailListener {
  private readonly replica: Replica;
  private readonly pendingWrites: PendingWrites;
  private readonly options: WalApplierOptions;

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
    this.replica.batch(() => {
      for (const record of records) {
        const operations = this.enter(record);
        if (operations.length > 0)
          changes.push({ operations, isForeign: record.writer !== this.pendingWrites.writer });
      }
    });
    changes.forEach(this.options.onChange);
  }

  onNextLog(isSuspect: boolean): void {
    this.replica.nextLog();
    if (isSuspect) this.pendingWrites.distrustLog();
  }

  onGap(file: string, gap: WalGap): void {
    this.options.onFinding({ file, message: gapMessage(file, gap), keep: gap.isCutOff ? 'none' : 'copy' });
  }

  /**
   * Applies what waits in the queue and need not wait for its turn: samples whenever nothing is queued before them,
   * everything while the disk is failing. Tables that only this process writes do not care for the order.
   */
  applyReady(isDiskFailing: boolean): void {
    for (const entry of this.pendingWrites.all()) {
      if (isApplied(entry)) continue;
      if (entry.kind === 'transaction' && !isDiskFailing) return;
      this.options.onChange({ operations: applyEntry(entry, this.replica), isForeign: false });
    }
  }

  /** Answers the operations that are new to the database in memory. */
  private enter(record: WalRecord): readonly Operation[] {
    const isNew = this.replica.note(record);
    const own = record.writer === this.pendingWrites.writer ? this.pendingWrites.find(record.counter) : null;
    if (own !== null) {
      own.state = 'logged';
      return applyEntry(own, this.replica);
    }
    if (!isNew) return [];
    this.replica.apply(record.kind, record.operations);
    return record.operations;
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
