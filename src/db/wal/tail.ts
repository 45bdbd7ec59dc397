/** Follows the end of the log, through rotations, for as long as a store is open. */
import { StatusdError } from '../../engine/core/errors.ts';
import type { Files } from '../store/files/files.ts';
import type { Names } from '../store/files/names.ts';
import { isSuperseded } from '../store/snapshot/superseded.ts';
import { logSeed } from './frame.ts';
import type { WalHeader } from './header.ts';
import { openWal } from './open.ts';
import type { WalGap, WalReader, WalRecord } from './reader.ts';

export interface WalTailOptions {
  readonly files: Files;
  readonly names: Names;
  readonly mode: 'read' | 'append';
  readonly schema: number;
  readonly databaseId: string;
}

/** What a tail reports while it reads. */
export interface WalTailListener {
  /** Records in the order of the log. */
  readonly onRecords: (records: readonly WalRecord[]) => void;
  /** `isSuspect`: the log that ended may have lost some of what was written to it. */
  readonly onNextLog: (isSuspect: boolean) => void;
  readonly onGap: (path: string, gap: WalGap) => void;
}

/** What is asked of the log that a store goes on with. */
export type AnyWalTail = Pick<WalTail, keyof WalTail>;

export class WalTail {
  /** The log that is read and appended to. */
  number: number;
  header: WalHeader | null;
  /** Since a sync failed: the kernel may have dropped the pages it could not write, and reports it only once. */
  isSuspect = false;
  private reader: WalReader;
  /** Of the file that is read; null: not looked up yet. */
  private inode: number | null = null;
  private isSealed = false;
  private reportedGaps = 0;
  private syncing: Promise<void> = Promise.resolve();
  /** Everything before it is on the disk. */
  private safeTo: number;
  private readonly options: WalTailOptions;

  constructor(
    options: WalTailOptions,
    current: { readonly number: number; readonly reader: WalReader; readonly header: WalHeader | null },
  ) {
    this.options = options;
    this.number = current.number;
    this.reader = current.reader;
    this.header = current.header;
    this.safeTo = current.reader.begin;
    this.reportedGaps = current.reader.gaps.length;
  }

  get path(): string {
    return this.options.names.log(this.number);
  }

  get seed(): number {
    return logSeed(this.options.databaseId, this.number);
  }

  /** How many bytes of the current log have been read. */
  get offset(): number {
    return this.reader.offset;
  }

  /** Whether all that was read is on the disk, without a sync. */
  get isSafe(): boolean {
    return this.safeTo === this.offset;
  }

  /** Answers how many bytes were taken. Where it rejects and the log is suspect, some of them may be in the log. */
  async append(bytes: Uint8Array): Promise<number> {
    const { file } = this.reader;
    const before = file.sizeNow?.();
    try {
      return await file.write(bytes);
    } catch (error) {
      if (file.isWriteThrough === true && file.sizeNow?.() !== before) this.isSuspect = true;
      throw error;
    }
  }

  /**
   * Takes `bytes` that were just appended as read: false, and nothing is taken, unless the log surely ends with them and
   * nothing else came into it since the last read.
   */
  passOwn(bytes: number): boolean {
    const { file, offset } = this.reader;
    if (this.isSealed || file.sizeNow?.() !== offset + bytes) return false;
    this.reader.passOver(bytes);
    if (file.isWriteThrough === true && this.safeTo === offset) this.safeTo = this.offset;
    return true;
  }

  sync(): Promise<void> {
    const { file, offset } = this.reader;
    const syncing = file.sync().then(
      () => {
        if (this.reader.file === file) this.safeTo = Math.max(this.safeTo, offset);
      },
      (error: unknown) => {
        this.isSuspect = true;
        throw error;
      },
    );
    this.syncing = Promise.allSettled([this.syncing, syncing]).then(() => undefined);
    return syncing;
  }

  /** Whether there is more to read, or the file that is read has lost its name or some of its bytes. */
  async look(): Promise<'same' | 'more' | 'lost'> {
    const named = await this.options.files.facts(this.path);
    if (named?.inode !== this.inode) this.inode = (await this.reader.file.facts()).inode;
    if (named?.inode !== this.inode || named.size < this.offset) return 'lost';
    return named.size > this.offset || this.isSealed ? 'more' : 'same';
  }

  /**
   * Reads what is new, and goes on to the next log after a seal. Answers `superseded` when the next log is gone: a
   * checkpoint took it away before this process looked, so everything is to be read anew.
   */
  async advance(listener: WalTailListener): Promise<'current' | 'superseded'> {
    for (;;) {
      if (!this.isSealed) await this.readToEnd(listener);
      if (!this.isSealed) return 'current';
      if (!(await this.moveOn(listener))) return 'superseded';
    }
  }

  /** Takes the log as sealed at the place that was read up to. */
  endHere(): void {
    this.isSealed = true;
  }

  async close(): Promise<void> {
    await this.syncing;
    await this.reader.file.close();
  }

  private async readToEnd(listener: WalTailListener): Promise<void> {
    for (;;) {
      const { records, isSealed, isEnd } = await this.reader.read();
      this.isSealed = isSealed;
      if (records.length > 0) listener.onRecords(records);
      for (const gap of this.reader.gaps.slice(this.reportedGaps)) listener.onGap(this.path, gap);
      this.reportedGaps = this.reader.gaps.length;
      if (isEnd) return;
    }
  }

  private async moveOn(listener: WalTailListener): Promise<boolean> {
    const { files, names, mode, schema, databaseId } = this.options;
    // Nobody may write into the next log while a crash could still take the seal back: then the records after it,
    // which are void, would come to life again. Of a suspect log nothing is expected any more.
    if (mode === 'append' && !this.isSuspect) await this.sync();
    const number = this.number + 1;
    const next = await openWal(files, { path: names.log(number), databaseId, number }, { mode, schema });
    if (next.is !== 'open') return false;
    try {
      if (mode === 'append' && (await isSuperseded(this.options, { databaseId, log: number }))) {
        await next.reader.file.close();
        return false;
      }
    } catch (error) {
      await next.reader.file.close();
      throw error;
    }
    await this.close();
    this.number = number;
    this.reader = next.reader;
    this.inode = null;
    this.safeTo = next.reader.begin;
    this.header = next.header;
    this.isSealed = false;
    this.reportedGaps = 0;
    listener.onNextLog(this.isSuspect);
    this.isSuspect = false;
    return true;
  }
}

/** A process may append only to a log of its own version: the others would not understand it. */
export function refuseOtherVersion(header: WalHeader | null, schema: number): void {
  if (header === null || header.schema === schema) return;
  throw new StatusdError('store_unusable', 'the running daemon is another version of statusd', {
    hint: 'Restart the daemon, so that both are the same version.',
  });
}
