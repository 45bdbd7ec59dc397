/** Keeps the database in memory in step with the log and with what this process is about to write into it. */
import { StatusdError } from '../engine/core/errors.ts';
import { gapMessage } from './chain.ts';
import type { Gap, LogRecord } from './log/reader.ts';
import type { TailListener } from './log/tail.ts';
import type { Operation } from './operation.ts';
import { applyEntry, isApplied, type Queue } from './queue.ts';
import type { Replica } from './replica.ts';
import type { Finding } from './snapshot/base.ts';

/** What was just changed in memory. */
export interface Change {
  readonly operations: readonly Operation[];
  /** Written by another process. */
  readonly isForeign: boolean;
}

export interface LedgerOptions {
  readonly replica: Replica;
  readonly queue: Queue;
  readonly onChange: (change: Change) => void;
  readonly onFinding: (finding: Finding) => void;
}

export class Ledger implements TailListener {
  private readonly replica: Replica;
  private readonly queue: Queue;
  private readonly options: LedgerOptions;

  constructor(options: LedgerOptions) {
    this.options = options;
    this.replica = options.replica;
    this.queue = options.queue;
  }

  /** Applies what others wrote, and what this process wrote when its turn in the log has come. */
  onRecords(records: readonly LogRecord[]): void {
    const unknown = records
      .map(({ operations }) => this.replica.unknownName(operations))
      .find((name) => name !== null);
    if (unknown !== undefined) throw unknownOperation(unknown);
    const changes: Change[] = [];
    this.replica.batch(() => {
      for (const record of records) {
        const operations = this.enter(record);
        if (operations.length > 0)
          changes.push({ operations, isForeign: record.writer !== this.queue.writer });
      }
    });
    changes.forEach(this.options.onChange);
  }

  onNextLog(isSuspect: boolean): void {
    this.replica.nextLog();
    if (isSuspect) this.queue.distrustLog();
  }

  onGap(file: string, gap: Gap): void {
    this.options.onFinding({ file, message: gapMessage(file, gap), keep: gap.isCutOff ? 'none' : 'copy' });
  }

  /**
   * Applies what waits in the queue and need not wait for its turn: samples whenever nothing stands before them,
   * everything while the disk is failing. Tables that only this process writes do not care for the order.
   */
  applyReady(isDiskFailing: boolean): void {
    for (const entry of this.queue.all()) {
      if (isApplied(entry)) continue;
      if (entry.kind === 'transaction' && !isDiskFailing) return;
      this.options.onChange({ operations: applyEntry(entry, this.replica), isForeign: false });
    }
  }

  /** Answers the operations that are new to the database in memory. */
  private enter(record: LogRecord): readonly Operation[] {
    const isNew = this.replica.note(record);
    const own = record.writer === this.queue.writer ? this.queue.find(record.counter) : null;
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
