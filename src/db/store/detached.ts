/** Starts a daemon on a disk that refuses writes: reads what is there, and writes once the disk recovers. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { systemCode, writeFault } from './files/faults.ts';
import type { Files } from './files/files.ts';
import type { Names } from './files/names.ts';
import { load, orDiscard, type LoadedDatabase } from './load.ts';
import { acquireLock, type DatabaseLock } from './lock/lock.ts';
import type { Processes } from './lock/processes.ts';
import { openFiles } from './open.ts';
import type { StoreSchema } from './operation.ts';
import { repair } from './repair.ts';
import { openReplica, type Replica } from './replica.ts';

/** Where the files of a daemon are, and what it needs to claim them. */
export interface DaemonPlace {
  readonly files: Files;
  readonly names: Names;
  readonly schema: StoreSchema;
  readonly clock: Clock;
  readonly processes: Processes;
}

/** What a disk answers that can be read and not be written. Anything else is wrong with the files or their place. */
const refusals: readonly (string | null)[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO'];

/** The refusal of a disk that takes nothing, as the error of a write; null when `error` is another one. */
export function diskRefusal(error: unknown, names: Names): StatusdError | null {
  const cause: unknown = error instanceof StatusdError ? error.cause : error;
  return refusals.includes(systemCode(cause)) ? writeFault(cause, names.snapshot) : null;
}

/** What can be read of the database, or an empty one where there is none. Throws `store_unusable`. */
export async function readOnlyLoad({ files, names, schema, clock }: DaemonPlace): Promise<LoadedDatabase> {
  const pause = () => clock.sleep(readPauseMs);
  const loaded = await load({ files, names, schema, mode: 'read', pause });
  if (loaded !== null) return loaded;
  const replica = await openReplica(null, schema, randomUUID());
  const message = `there is no database yet: ${names.snapshot} cannot be made, and nothing is kept until the disk takes it`;
  return {
    replica,
    current: null,
    isSnapshotGood: false,
    savedSequence: 0,
    findings: [{ file: names.snapshot, message, keep: 'none' }],
  };
}

const readPauseMs = 20;

export interface AttachedStore {
  /** As it is on the disk, to be written from now on. Its database in memory is closed. */
  readonly opened: LoadedDatabase;
  /** False: a new log and a new snapshot are to be made. */
  readonly isInOrder: boolean;
}

/** Turns a database in memory into the one on the disk, as soon as the disk takes something. */
export class Attachment implements DatabaseLock {
  /** Why this process must end: another daemon has the database, or had it meanwhile. */
  lost: StatusdError | null = null;
  private readonly place: DaemonPlace;
  private readonly replica: Replica;
  private readonly wasThere: boolean;
  private lock: DatabaseLock | null;

  /** `loaded`: what this process goes on from. `lock`: when the disk took that at least. */
  constructor(place: DaemonPlace, loaded: LoadedDatabase, lock: DatabaseLock | null) {
    this.place = place;
    this.lock = lock;
    this.replica = loaded.replica;
    this.wasThere = loaded.current !== null || loaded.savedSequence > 0 || loaded.isSnapshotGood;
  }

  /** Whether no other daemon has the database, as far as can be known without a lock. */
  readonly renew = async (): Promise<boolean> => {
    if (this.lost !== null) return false;
    return this.lock === null || this.lock.renew();
  };

  readonly release = async (): Promise<void> => {
    await this.lock?.release();
  };

  /**
   * Takes the lock and opens the files for writing. `advance` reads what others wrote into the log until now.
   * Rejects while the disk refuses, and for good when another daemon has the database or had it meanwhile.
   */
  async attach(advance: () => Promise<void>): Promise<AttachedStore> {
    const { files, names, schema, clock, processes } = this.place;
    try {
      this.lock ??= await acquireLock({ files, names, clock, processes });
      await advance();
      const opened = await openFiles({ files, names, schema, clock, mode: 'append', isOwner: true });
      const isInOrder = await orDiscard(opened, this.takeOver(opened));
      opened.replica.sql.close();
      return { opened, isInOrder };
    } catch (error) {
      if (error instanceof StatusdError && error.code === 'store_in_use') this.lost = error;
      throw error;
    }
  }

  private async takeOver(opened: LoadedDatabase): Promise<boolean> {
    const { names } = this.place;
    const { replica } = this;
    const found = opened.replica;
    if (
      this.wasThere
        ? found.databaseId !== replica.databaseId || found.log !== replica.log
        : found.sequence > 0
    )
      throw new StatusdError(
        'store_in_use',
        `another statusd wrote the database ${names.snapshot} meanwhile`,
        {
          hint: 'Start this one again: it then continues from what the other one wrote.',
        },
      );
    // A command wrote into the log while it was being opened: the next attempt reads that first.
    if (found.sequence !== replica.sequence)
      throw new StatusdError('store_failing', `${names.snapshot} changes while it is opened`);
    replica.databaseId = found.databaseId;
    return repair(this.place, opened);
  }
}
