/** The store: a snapshot file, a log of records after it, and the database they make in memory. */
import type { Clock } from '../../engine/core/clock.ts';
import type { StatusdError } from '../../engine/core/errors.ts';
import type { BuildSnapshot } from '../wal/checkpoint/build.ts';
import { openFault } from './files/faults.ts';
import type { SampleArchive } from './history.ts';
import type { Files } from './files/files.ts';
import type { StoreChange } from '../wal/applier.ts';
import type { Processes } from './lock/processes.ts';
import type { Json, Operation, StoreSchema } from './operation.ts';
import type { SqlReader } from './sql.ts';

/** `daemon` holds the lock and checkpoints; `writer` appends and leaves; `reader` changes nothing on the disk. */
export type Role = 'daemon' | 'writer' | 'reader';

interface CommonOptions {
  /** The path of the database file; the other files are beside it under the same name. */
  readonly file: string;
  readonly schema: StoreSchema;
  readonly files: Files;
  readonly clock: Clock;
}

export interface ClientSessionOptions extends CommonOptions {
  readonly role: Exclude<Role, 'daemon'>;
}

export interface DaemonStoreOptions extends CommonOptions {
  readonly role: 'daemon';
  /** Finds out whether the holder of the lock is alive. */
  readonly processes: Processes;
  /** Builds a snapshot from the files, away from this thread. */
  readonly build: BuildSnapshot;
}

export type StoreOptions = ClientSessionOptions | DaemonStoreOptions;

export interface WriteOptions {
  /**
   * True (the default, and always so outside the daemon): the write rejects with `store_full` or `store_failing`
   * while the disk cannot keep it, and nothing of it happens. False: then it is applied in memory, kept, and written
   * when the disk recovers; only for what was acknowledged to nobody outside, in tables that no other process writes.
   */
  readonly mustBeDurable: boolean;
  /**
   * True, only with `mustBeDurable`: operations that are independent of each other, as those of `record`, and only for
   * tables that no other process writes. What is asked for at the same time goes into one record, and settles with it,
   * without what the operations answer: they are in memory for whoever reads, but may be applied later, with others.
   */
  readonly sharesRecord?: boolean;
}

export interface StoreHealth {
  readonly isDurable: boolean;
  /** Why not, in words for the operator; null when it is ok. */
  readonly reason: string | null;
  /** What to do about it, where that is known. */
  readonly hint?: string | null;
  /** Since when, epoch ms. */
  readonly since: number | null;
}

interface StoreWarning {
  readonly file: string;
  /** A sentence that names the file. */
  readonly message: string;
}

export interface Store {
  /** The facts, as of the last record seen. The same object for the life of the store. */
  readonly sql: SqlReader;
  /** Samples that are not in memory any more. */
  readonly archive: SampleArchive;
  /** What was found wrong when opening and since: damage, unfinished writes, missing logs. */
  readonly warnings: () => readonly StoreWarning[];
  /** One transaction. Resolves with what each operation answered, once it is durable (unless its options say otherwise). */
  readonly write: (operations: readonly Operation[], options?: WriteOptions) => Promise<readonly Json[]>;
  /**
   * Independent operations (samples): for readers at once, on the disk within a second. Only for tables
   * that no other process writes; only in the daemon.
   */
  readonly record: (operations: readonly Operation[]) => void;
  /**
   * Reads what other processes wrote until now, which a store otherwise sees within a second. Resolves after a second
   * at the latest, also when the disk does not answer. Never rejects.
   */
  readonly refresh: () => Promise<void>;
  /** Calls `listener` after each change, of this process or another; answers how to stop. */
  readonly onChange: (listener: (change: StoreChange) => void) => () => void;
  readonly onHealth: (listener: (health: StoreHealth) => void) => () => void;
  readonly health: () => StoreHealth;
  /** Resolves when another daemon took the database over, which may happen to one that was stopped for long. */
  readonly lost: Promise<StatusdError>;
  /** Writes a new snapshot now (daemon only). */
  readonly checkpoint: () => Promise<void>;
  /** Writes what is left, checkpoints (daemon), releases the lock and the files. */
  readonly close: () => Promise<void>;
}

export async function resolved({ files, file }: StoreOptions): Promise<string> {
  try {
    return await files.resolve(file);
  } catch (error) {
    throw openFault(error, file);
  }
}
