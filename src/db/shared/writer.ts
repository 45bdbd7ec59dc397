/** Appends to the log that nodes share and follows it, for the committer of one of them. */
import { StatusdError } from '../../engine/core/errors.ts';
import type { WalApplier } from '../wal/applier.ts';
import type { CommitLog } from '../wal/committer.ts';
import type { Entry, PendingWrites } from '../wal/pending-writes.ts';
import type { Lease } from './lease.ts';
import type { SharedLog } from './log.ts';
import { writeFault } from './place.ts';

export interface SharedWriterOptions {
  readonly log: SharedLog;
  /** The last record that is in memory. */
  readonly seq: number;
  readonly queue: PendingWrites;
  readonly applier: WalApplier;
  /** Null: this process never leads. */
  readonly lease: Lease | null;
  /** Says why the server took nothing: another node leads, or another version of the program. */
  readonly refusal: () => Promise<StatusdError>;
  /** Brings a newer snapshot into memory, after records that were to be read were taken away; answers its place. */
  readonly reload: () => Promise<number>;
}

export class SharedWriter implements CommitLog {
  /** A server keeps what it said that it kept. */
  isSuspect = false;
  /** The last record that is in memory. */
  seq: number;
  /** How many characters of records were appended by this process. */
  appended = 0;
  private readonly options: SharedWriterOptions;

  constructor(options: SharedWriterOptions) {
    this.options = options;
    this.seq = options.seq;
  }

  async advance(): Promise<void> {
    const { log, applier, reload } = this.options;
    for (;;) {
      const records = await log.readBehind(this.seq).catch((error: unknown) => {
        if (error instanceof StatusdError) return null;
        throw error;
      });
      if (records === null) {
        this.seq = await reload();
        continue;
      }
      const last = records.at(-1);
      if (last === undefined) break;
      applier.onRecords(records);
      this.seq = last.seq;
    }
    applier.applyReady(false);
  }

  async persist(batch: readonly Entry[]): Promise<void> {
    const { queue, log, lease } = this.options;
    const waiting = batch.filter(({ state }) => state === 'waiting');
    if (waiting.length > 0) {
      const records = queue.encode(waiting);
      const startedMs = lease?.nowMs ?? 0;
      const fence = lease?.fence ?? null;
      if (lease?.isOver === true) throw await this.refused();
      const end = await log.append(records, fence);
      if (end === null) throw await this.refused();
      if (fence !== null) lease?.noteAppended(startedMs);
      this.appended += records.reduce((sum, { payload }) => sum + payload.length, 0);
      if (end - records.length === this.seq) this.enter(waiting, end);
    }
    if (batch.some(({ state }) => state === 'waiting')) await this.advance();
    for (const entry of batch) if (entry.state === 'logged') entry.state = 'durable';
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

  /** Nobody else wrote in between: what was appended need not be read back. */
  private enter(entries: readonly Entry[], end: number): void {
    const { queue, applier } = this.options;
    applier.onRecords(
      entries.map(({ kind, counter, operations }) => ({ kind, writer: queue.writer, counter, operations })),
    );
    this.seq = end;
    applier.applyReady(false);
  }

  private async refused(): Promise<StatusdError> {
    const { lease, refusal } = this.options;
    // Whatever the reason: an append that carries the fence of this node is refused from now on.
    lease?.stepDown();
    return refusal();
  }
}
