/** Appends to the shared log and follows it, for the committer of one node. */
import { StatusdError } from '../../engine/core/errors.ts';
import type { Operation } from '../store/operation.ts';
import type { WalApplier } from '../wal/applier.ts';
import type { CommitLog } from '../wal/committer.ts';
import type { PendingEntry, PendingWrites } from '../wal/pending-writes.ts';
import type { Lease } from './lease.ts';
import type { LogPlace, LogRecord, SharedLog } from './log.ts';
import { writeFault } from './database.ts';

/**
 * A transaction that changes nothing: the snapshot before it has what its writer let go of before it was in the log. Whoever
 * follows the log has to read that snapshot.
 */
export const memorySaved: readonly Operation[] = [];

export interface SharedWriterOptions {
  readonly log: SharedLog;
  /** The last record that is in memory. */
  readonly end: LogPlace;
  readonly queue: PendingWrites;
  readonly applier: WalApplier;
  /** Null: this process never leads. */
  readonly lease: Lease | null;
  /**
   * Nothing that this process decided counts any more, because of `why`; null: the server took nothing. Answers why that
   * is: another node leads, or another version of the program, or the log went back.
   */
  readonly refused: (why: StatusdError | null, end: LogPlace) => Promise<StatusdError>;
  /** Whether nobody has decided anything by what is in memory, so that it may become something else. */
  readonly mayReload: () => boolean;
  /** Reads all of it anew because of `why`; null: a snapshot says that it takes less memory so. Answers its place. */
  readonly reload: (why: StatusdError | null) => Promise<LogPlace>;
}

export class SharedWriter implements CommitLog {
  /** A server keeps what it said that it kept. */
  isSuspect = false;
  /** The last record that is in memory. */
  end: LogPlace;
  /** How many characters of records were appended by this process. */
  appended = 0;
  private readonly options: SharedWriterOptions;

  constructor(options: SharedWriterOptions) {
    this.options = options;
    this.end = options.end;
  }

  async advance(): Promise<void> {
    const { log, applier, mayReload, reload } = this.options;
    for (;;) {
      const page = await log.readBehind(this.end).catch((error: unknown) => this.readAnew(error));
      if (page === null) continue;
      if (page.records.length > 0) applier.onRecords(page.records);
      this.end = page.end;
      if (page.records.some((record) => this.saysMemorySaved(record)) && mayReload())
        this.end = await reload(null);
      if (page.records.length === 0) break;
    }
    applier.applyReady(false);
  }

  async persist(batch: readonly PendingEntry[]): Promise<void> {
    const { queue, log, lease, refused } = this.options;
    const waiting = batch.filter(({ state }) => state === 'waiting');
    if (waiting.length > 0) {
      const records = queue.encode(waiting);
      const startedMs = lease?.nowMs ?? 0;
      const fence = lease?.fence ?? null;
      if (lease?.isOver === true) throw await refused(null, this.end);
      const end = await log.append(records, fence, this.end.seq);
      if (end === null) throw await refused(null, this.end);
      if (fence !== null) lease?.noteAppended(startedMs);
      this.appended += records.reduce((sum, { payload }) => sum + payload.length, 0);
      if (end - records.length === this.end.seq) this.enter(waiting, end);
    }
    if (batch.some(({ state }) => state === 'waiting')) await this.advance();
    for (const entry of batch) if (entry.state === 'logged') entry.state = 'durable';
    // They came with all the rest, so what they did is not known.
    if (batch.some(({ state }) => state === 'waiting')) throw readAnewMeanwhile();
  }

  recover(): Promise<void> {
    return this.advance();
  }

  faultOf(error: unknown): StatusdError {
    return writeFault(error);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private saysMemorySaved({ kind, writer, operations }: LogRecord): boolean {
    return kind === 'transaction' && operations.length === 0 && writer !== this.options.queue.writer;
  }

  /** Nobody else wrote in between: what was appended need not be read back. */
  private enter(entries: readonly PendingEntry[], seq: number): void {
    const { queue, applier } = this.options;
    applier.onRecords(
      entries.map(({ kind, counter, operations }) => ({ kind, writer: queue.writer, counter, operations })),
    );
    const counter = entries.at(-1)?.counter ?? 0;
    this.end = { seq, last: { writer: queue.writer, counter } };
    applier.applyReady(false);
  }

  /** Records are missing, or the log is another one by now. */
  private async readAnew(error: unknown): Promise<null> {
    const { mayReload, reload, refused } = this.options;
    if (!(error instanceof StatusdError)) throw error;
    if (!mayReload()) throw await refused(error, this.end);
    this.end = await reload(error);
    return null;
  }
}

function readAnewMeanwhile(): StatusdError {
  return new StatusdError(
    'store_failing',
    'the change was written, but the database was read again meanwhile',
    {
      hint: 'Check whether it took effect before you try again.',
    },
  );
}
