/** Appends to the log, follows it, and rotates it: the one place that knows what the disk has stored. */
import { StatusdError } from '../../engine/core/errors.ts';
import { writeFault } from '../store/files/faults.ts';
import type { WalApplier } from './applier.ts';
import type { CommitLog } from './committer.ts';
import { encodeFrame } from './frame.ts';
import type { AnyWalTail } from './tail.ts';
import type { PendingEntry, PendingWrites } from './pending-writes.ts';

export interface WalWriterOptions {
  readonly tail: AnyWalTail;
  readonly queue: PendingWrites;
  readonly applier: WalApplier;
  /** Makes log `number`, empty, durably. */
  readonly makeLog: (number: number) => Promise<void>;
  /** Everything anew from the files; answers the new tail. */
  readonly reload: () => Promise<AnyWalTail>;
}

/** Writes that are cut short before the disk is called failing. */
const appendAttempts = 4;

/** Not to be used by two callers at once. */
export class WalWriter implements CommitLog {
  tail: AnyWalTail;
  private readonly options: WalWriterOptions;

  constructor(options: WalWriterOptions) {
    this.options = options;
    this.tail = options.tail;
  }

  get isSuspect(): boolean {
    return this.tail.isSuspect;
  }

  set isSuspect(isSuspect: boolean) {
    this.tail.isSuspect = isSuspect;
  }

  /** Goes on with another view of the log, read as far as this one. */
  async adopt(tail: AnyWalTail): Promise<void> {
    const old = this.tail;
    this.tail = tail;
    await old.close();
  }

  advance(): Promise<void> {
    return this.takeIn(null);
  }

  async persist(batch: readonly PendingEntry[]): Promise<void> {
    for (const entry of batch) entry.isBeingWritten = true;
    try {
      await this.write(batch);
    } finally {
      for (const entry of batch) entry.isBeingWritten = false;
    }
  }

  private async write(batch: readonly PendingEntry[]): Promise<void> {
    const { queue } = this.options;
    for (let attempt = 1; attempt <= appendAttempts; ) {
      const { number } = this.tail;
      const waiting = batch.filter(({ state }) => state === 'waiting');
      const { seed } = this.tail;
      const bytes = Buffer.concat(queue.encode(waiting).map((record) => encodeFrame(record, seed)));
      const taken = bytes.length === 0 ? 0 : await this.append(bytes);
      const isLast = taken > 0 && taken === bytes.length && this.tail.passOwn(taken);
      // What the disk is doing and what the processor is doing need not wait for each other.
      const syncing = isLast && this.tail.isSafe ? undefined : this.tail.sync();
      const advancing = this.takeIn(isLast ? waiting : null);
      await Promise.allSettled([syncing, advancing]);
      await syncing;
      await advancing;
      for (const entry of batch) if (entry.state === 'logged') entry.state = 'durable';
      if (batch.every(({ state }) => state === 'durable')) return;
      // The log went on before it: that says nothing of the disk, however often it happens.
      if (this.tail.number === number) attempt += 1;
    }
    throw cutShort();
  }

  private async append(bytes: Uint8Array): Promise<number> {
    try {
      return await this.tail.append(bytes);
    } catch (error) {
      // What came into the log all the same is there for others, so it is for this process, too.
      if (this.tail.isSuspect) await this.takeIn(null).catch(() => undefined);
      throw error;
    }
  }

  /** Brings what is new in the log into memory: records of this process that are all of it, or what reading it shows. */
  private async takeIn(own: readonly PendingEntry[] | null): Promise<void> {
    const { applier, queue } = this.options;
    if (own === null) await this.readOn();
    else
      applier.onRecords(
        own.map(({ kind, counter, operations }) => ({ kind, writer: queue.writer, counter, operations })),
      );
    applier.applyReady(false);
  }

  private async readOn(): Promise<void> {
    const { applier, reload } = this.options;
    if ((await this.tail.advance(applier)) !== 'superseded') return;
    const old = this.tail;
    this.tail = await reload();
    await old.close();
  }

  /** Everything that is not known to be safe in a suspect log is written again, into a new one. */
  recover(): Promise<void> {
    return this.tail.isSuspect ? this.rotate() : this.advance();
  }

  faultOf(error: unknown): StatusdError {
    const { path } = this.tail;
    if (error !== null) return writeFault(error, path);
    return new StatusdError('store_failing', `cannot write ${path}: the disk does not answer`, {
      hint: 'Check the kernel log; the disk, or the network behind it, may be failing.',
    });
  }

  close(): Promise<void> {
    return this.tail.close();
  }

  /**
   * Ends the current log and goes on to the next one. The next one is there before the seal is, so a crash in
   * between leaves nothing to repair.
   */
  async rotate(): Promise<void> {
    const { number } = this.tail;
    // An earlier attempt may have come as far as the seal.
    await this.advance();
    if (this.tail.number > number) return;
    await this.options.makeLog(number + 1);
    for (let attempt = 1; attempt <= appendAttempts; attempt += 1) {
      const seal = { kind: 'seal', writer: this.options.queue.writer, counter: 0, payload: '' } as const;
      const bytes = encodeFrame(seal, this.tail.seed);
      const taken = await this.tail.append(bytes);
      await this.advance();
      if (this.tail.number > number) return;
      // Others go on in a log whose seal was cut short.
      if (taken < bytes.length) continue;
      // Of a log that was cut off behind our back nothing can be read at the place where it ended.
      if (!this.tail.isSuspect) continue;
      this.tail.endHere();
      await this.advance();
      return;
    }
    throw cutShort();
  }
}

function cutShort(): Error {
  return Object.assign(new Error('writes are cut short'), { code: 'EIO' });
}
