/** Puts a new snapshot in the place of the last one while the store goes on. */
import { StatusdError } from '../../../engine/core/errors.ts';
import { reasonOf, systemCode, writeFault } from '../../store/files/faults.ts';
import type { Files } from '../../store/files/files.ts';
import type { Names } from '../../store/files/names.ts';
import type { WalApplier } from '../applier.ts';
import type { WalCommitter } from '../committer.ts';
import type { WalWriter } from '../writer.ts';
import type { PendingWrites } from '../pending-writes.ts';
import type { Replica } from '../../store/replica.ts';
import { readTrailer } from '../../store/snapshot/read.ts';
import { publishSnapshot, writeSnapshot } from '../../store/snapshot/write.ts';
import type { BuildSnapshot } from './build.ts';

export interface CheckpointerOptions {
  readonly files: Files;
  readonly names: Names;
  readonly committer: WalCommitter;
  readonly log: WalWriter;
  readonly queue: PendingWrites;
  readonly applier: WalApplier;
  readonly replica: Replica;
  readonly build: BuildSnapshot;
  /** Whether `statusd.db` is whole, as far as is known. */
  readonly isSnapshotGood: boolean;
  /** How many records `statusd.db` holds. */
  readonly sequence: number;
  /** Only the holder of the lock may touch the snapshots. */
  readonly isLockHeld: () => Promise<boolean>;
  /** Gives a damaged file a second name, so that it outlives its replacement. */
  readonly keepCopy: (path: string) => Promise<void>;
  readonly onWarning: (message: string) => void;
}

/** Where the new snapshot is taken from. Memory is exact but stalls the caller; files are read in the background. */
export type SnapshotSource = 'files' | 'memory';

export class Checkpointer {
  /** How many records the last snapshot holds. */
  sequence: number;
  /** Not before this moment of the monotonic clock, since the last one failed. */
  retryAt = 0;
  private isSnapshotGood: boolean;
  private running: Promise<void> | null = null;
  private readonly options: CheckpointerOptions;

  constructor(options: CheckpointerOptions) {
    this.options = options;
    this.isSnapshotGood = options.isSnapshotGood;
    this.sequence = options.sequence;
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Of the last snapshot; 0 where its file does not say. */
  async snapshotBytes(): Promise<number> {
    const { files, names } = this.options;
    const facts = await files.facts(names.snapshot).catch(() => null);
    return facts?.size ?? 0;
  }

  /** One at a time: a call during a checkpoint gets the one under way. */
  run(source: SnapshotSource): Promise<void> {
    this.running ??= this.once(source).finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Resolves when no checkpoint runs, whatever became of the last one. */
  async ended(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  private async once(source: SnapshotSource): Promise<void> {
    const { files, names, committer } = this.options;
    const temporary = names.temporary();
    try {
      const isBuilt = source === 'files' && !committer.isMemoryAhead && (await this.fromFiles(temporary));
      if (!isBuilt) await this.fromMemory(temporary);
      await this.publish(temporary);
    } catch (error) {
      await files.remove(temporary).catch(() => undefined);
      throw writeFault(error, names.snapshot);
    }
    await this.removeOldLogs();
  }

  private async fromFiles(temporary: string): Promise<boolean> {
    const { files, names, committer, log, replica, build, onWarning } = this.options;
    const cut = await committer.exclusive(async () => {
      await log.rotate();
      return { log: log.tail.number, sequence: replica.sequence };
    });
    const { databaseId } = replica;
    const result = await build({ file: names.snapshot, temporary, databaseId, ...cut }).catch(asResult);
    if (result.is === 'built') {
      this.sequence = cut.sequence;
      return true;
    }
    // A thread that died may have left a part of its file.
    await files.remove(temporary);
    onWarning(`the new ${names.snapshot} was made from memory: ${result.why}`);
    if (result.is === 'different') this.isSnapshotGood = false;
    return false;
  }

  private async fromMemory(temporary: string): Promise<void> {
    const { files, committer, log, queue, applier, replica } = this.options;
    const cut = await committer.exclusive(async () => {
      await log.rotate();
      committer.isMemoryAhead = false;
      applier.applyLate();
      const pages = replica.exportPages(queue.closeApplied());
      return { pages, log: log.tail.number, sequence: replica.sequence };
    });
    try {
      await writeSnapshot(files, temporary, {
        pages: cut.pages,
        databaseId: replica.databaseId,
        log: cut.log,
      });
    } catch (error) {
      committer.isMemoryAhead = true;
      throw error;
    }
    this.sequence = cut.sequence;
  }

  private async publish(temporary: string): Promise<void> {
    const { files, names, isLockHeld, keepCopy } = this.options;
    if (!(await isLockHeld())) {
      throw new StatusdError('store_in_use', `another statusd took over the database ${names.snapshot}`);
    }
    if (!this.isSnapshotGood) await keepCopy(names.snapshot);
    await publishSnapshot(files, names, { temporary, isLastGood: this.isSnapshotGood });
    this.isSnapshotGood = true;
  }

  /** The logs after the snapshot before this one stay: should this one be damaged, that one still has everything. */
  private async removeOldLogs(): Promise<void> {
    const { files, names, replica } = this.options;
    try {
      const previous = await readTrailer(files, names.previous);
      if (previous?.databaseId !== replica.databaseId) return;
      const numbers = names.logNumbers(await files.list(names.directory));
      for (const number of numbers) if (number < previous.log) await files.remove(names.log(number));
    } catch (error) {
      // They are removed with the next checkpoint.
      if (systemCode(error) === null) throw error;
    }
  }
}

/** What the disk refuses, it refuses to memory too; any other failure of the build is not the snapshot's fault. */
function asResult(error: unknown): { readonly is: 'failed'; readonly why: string } {
  if (systemCode(error) !== null) throw error;
  return { is: 'failed', why: reasonOf(error) };
}
