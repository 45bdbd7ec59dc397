/** The parts of every open store: the database in memory, the queue of writes, the log. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Names } from './files/names.ts';
import { type CommitLog, type DetachedStart, type Trouble, WalCommitter } from '../wal/committer.ts';
import { WalApplier, type StoreChange } from '../wal/applier.ts';
import { Listeners } from './listeners.ts';
import type { CurrentLog } from '../wal/replay.ts';
import { discard, type LoadedDatabase } from './load.ts';
import { MissingWal } from '../wal/missing-wal.ts';
import { WalTail, type AnyWalTail } from '../wal/tail.ts';
import { WalWriter } from '../wal/writer.ts';
import type { Operation } from './operation.ts';
import { PendingWrites } from '../wal/pending-writes.ts';
import type { Replica } from './replica.ts';
import type { SqlReader } from './sql.ts';
import { isNews, type FileFinding } from './snapshot/base.ts';
import type { StoreHealth, StoreOptions } from './store.ts';

/** What every open store has, whatever its log is. */
export interface Parts<Log> {
  readonly replica: Replica;
  /** What is in memory, with the samples that came last. */
  readonly sql: SqlReader;
  readonly queue: PendingWrites;
  readonly applier: WalApplier;
  readonly committer: WalCommitter;
  readonly log: Log;
  readonly changes: Listeners<StoreChange>;
  readonly healthChanges: Listeners<StoreHealth>;
  readonly health: () => StoreHealth;
}

export interface Session extends Parts<WalWriter> {
  readonly findings: FileFinding[];
}

interface PartsOptions<Log> {
  readonly replica: Replica;
  readonly clock: Clock;
  readonly isPersistent: () => boolean;
  readonly onFinding: (finding: FileFinding) => void;
  readonly onRefused: (why: string) => void;
  readonly logOf: (parts: Pick<Parts<Log>, 'queue' | 'applier'>) => Log;
  readonly detachedOf?: (log: Log) => DetachedStart | null;
}

export function partsOf<Log extends CommitLog>(options: PartsOptions<Log>): Parts<Log> {
  const { replica, clock, isPersistent, onFinding, onRefused, logOf, detachedOf } = options;
  const queue = new PendingWrites(randomBytes(8).toString('hex'));
  const changes = new Listeners<StoreChange>();
  const healthChanges = new Listeners<StoreHealth>();
  const applier = new WalApplier({ replica, queue, onChange: changes.report, onFinding, onRefused });
  const log = logOf({ queue, applier });
  const committer = new WalCommitter({
    log,
    queue,
    applier,
    clock,
    isPersistent,
    detached: detachedOf?.(log) ?? null,
    onTrouble: () => {
      healthChanges.report(health());
    },
  });
  const health = () => healthIn(committer.trouble);
  const sql: SqlReader = {
    get: (query, params, read) => {
      applier.applyLate();
      return replica.sql.get(query, params, read);
    },
    all: (query, params, read) => {
      applier.applyLate();
      return replica.sql.all(query, params, read);
    },
  };
  return { replica, sql, queue, applier, committer, log, changes, healthChanges, health };
}

export function healthIn(trouble: Trouble | null): StoreHealth {
  if (trouble === null) return { isDurable: true, reason: null, since: null };
  const { error, since } = trouble;
  return { isDurable: false, reason: error.message, hint: error.hint, since };
}

export interface SessionDuties {
  /** Makes log `number`; a client session never has to. */
  readonly makeLog: (number: number) => Promise<void>;
  /** Damage that comes to light while the store is open. */
  readonly onFinding?: (finding: FileFinding) => void;
  /** The database anew, after a checkpoint took the log away that this process was about to read. */
  readonly reopen: () => Promise<LoadedDatabase>;
  /** For a store on a disk that takes nothing: what it said, and what opens the log for writing later. */
  readonly detached?: {
    readonly error: StatusdError;
    readonly attach: (
      advance: () => Promise<void>,
    ) => Promise<{ readonly current: CurrentLog; readonly isInOrder: boolean }>;
  };
}

/** `current` is the log to go on with; null only for a store that is detached. */
export function startSession(
  options: { readonly store: StoreOptions; readonly names: Names; readonly duties: SessionDuties },
  opened: LoadedDatabase,
  current: CurrentLog | null,
): Session {
  const { store, names, duties } = options;
  const { replica } = opened;
  const { detached } = duties;
  const findings: FileFinding[] = [...opened.findings];
  const ownMode = store.role === 'reader' ? 'read' : 'append';
  const tailOf = (log: CurrentLog, number: number, mode: 'read' | 'append' = ownMode) =>
    new WalTail(
      {
        files: store.files,
        names,
        mode,
        schema: store.schema.version,
        databaseId: replica.databaseId,
      },
      { ...log, number },
    );
  const first = (): AnyWalTail => {
    if (current !== null) return tailOf(current, replica.log, detached === undefined ? ownMode : 'read');
    return new MissingWal({ number: replica.log, path: names.log(replica.log) });
  };
  const onFinding = (finding: FileFinding) => {
    if (!isNews(finding, findings)) return;
    findings.push(finding);
    duties.onFinding?.(finding);
  };
  const parts = partsOf<WalWriter>({
    replica,
    clock: store.clock,
    isPersistent: () => store.role === 'daemon',
    onFinding,
    onRefused: (why) => {
      onFinding({
        file: names.snapshot,
        message: `a heartbeat is not in ${names.snapshot}: ${why}`,
        keep: 'none',
      });
    },
    logOf: ({ queue, applier }) =>
      new WalWriter({
        tail: first(),
        queue,
        applier,
        makeLog: duties.makeLog,
        reload: async () => {
          const again = await duties.reopen();
          if (again.current === null || again.replica.databaseId !== replica.databaseId) {
            await discard(again);
            throw new StatusdError(
              'store_unusable',
              `the database ${names.snapshot} was replaced by another one`,
            );
          }
          applier.become(again.replica);
          return tailOf(again.current, replica.log);
        },
      }),
    detachedOf: (log) =>
      detached === undefined
        ? null
        : {
            error: detached.error,
            attach: async () => {
              const attached = await detached.attach(() => log.advance());
              const tail = tailOf(attached.current, replica.log);
              // What was read is written anew, and not into a log that is to be replaced.
              tail.isSuspect = !attached.isInOrder;
              await log.adopt(tail);
            },
          },
  });
  return { ...parts, findings };
}

/** Throws for an operation that no reader of the log would know. */
export function refuseUnknown(replica: Replica, operations: readonly Operation[]): void {
  const refusal = refusalOfUnknown(replica, operations);
  if (refusal !== null) throw refusal;
}

/** The same as what it would throw; null: every operation is known. */
export function refusalOfUnknown(replica: Replica, operations: readonly Operation[]): Error | null {
  const name = replica.unknownName(operations);
  return name === null ? null : new Error(`there is no operation '${name}'`);
}
