/** What every open store is made of: the database in memory, the queue to the disk, the log between them. */
import { randomBytes } from 'node:crypto';
import { StatusdError } from '../engine/core/errors.ts';
import type { Names } from './files/names.ts';
import { Journal } from './journal.ts';
import { Ledger, type Change } from './ledger.ts';
import { Listeners } from './listeners.ts';
import type { CurrentLog } from './chain.ts';
import { discard, type Loaded } from './load.ts';
import { NoLog } from './log/no-log.ts';
import { Tail, type LogTail } from './log/tail.ts';
import { LogWriter } from './log-writer.ts';
import type { Operation } from './operation.ts';
import { Queue } from './queue.ts';
import type { Replica } from './replica.ts';
import { isNews, type Finding } from './snapshot/base.ts';
import type { StoreHealth, StoreOptions } from './store.ts';

export interface Session {
  readonly replica: Replica;
  readonly queue: Queue;
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly findings: Finding[];
  readonly changes: Listeners<Change>;
  readonly healthChanges: Listeners<StoreHealth>;
  readonly health: () => StoreHealth;
}

export interface SessionDuties {
  /** Makes log `number`; a guest never has to. */
  readonly makeLog: (number: number) => Promise<void>;
  /** Damage that comes to light while the store is open. */
  readonly onFinding?: (finding: Finding) => void;
  /** The database anew, after a checkpoint took the log away that this process was about to read. */
  readonly reopen: () => Promise<Loaded>;
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
  opened: Loaded,
  current: CurrentLog | null,
): Session {
  const { store, names, duties } = options;
  const { replica } = opened;
  const { detached } = duties;
  const queue = new Queue(randomBytes(8).toString('hex'));
  const changes = new Listeners<Change>();
  const healthChanges = new Listeners<StoreHealth>();
  const findings: Finding[] = [...opened.findings];
  const ledger = new Ledger({
    replica,
    queue,
    onChange: changes.tell,
    onFinding: (finding) => {
      if (!isNews(finding, findings)) return;
      findings.push(finding);
      duties.onFinding?.(finding);
    },
  });
  const ownMode = store.role === 'reader' ? 'read' : 'append';
  const tailOf = (log: CurrentLog, number: number, mode: 'read' | 'append' = ownMode) =>
    new Tail(
      {
        files: store.files,
        names,
        mode,
        schema: store.schema.version,
        databaseId: replica.databaseId,
      },
      { ...log, number },
    );
  const first = (): LogTail => {
    if (current !== null) return tailOf(current, replica.log, detached === undefined ? ownMode : 'read');
    return new NoLog({ number: replica.log, path: names.log(replica.log) });
  };
  const log = new LogWriter({
    tail: first(),
    queue,
    ledger,
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
      replica.become(again.replica);
      changes.tell({ operations: [], isForeign: true });
      return tailOf(again.current, replica.log);
    },
  });
  const journal = new Journal({
    log,
    queue,
    ledger,
    clock: store.clock,
    isPersistent: store.role === 'daemon',
    detached:
      detached === undefined
        ? null
        : {
            error: detached.error,
            attach: async () => {
              const attached = await detached.attach(() => log.advance());
              const tail = tailOf(attached.current, replica.log);
              // What was read is written anew, and not into a log that is to be replaced.
              tail.isSuspect = !attached.isInOrder;
              return tail;
            },
          },
    onTrouble: () => {
      healthChanges.tell(health());
    },
  });
  const health = (): StoreHealth => {
    const { trouble } = journal;
    if (trouble === null) return { isDurable: true, reason: null, since: null };
    return { isDurable: false, reason: trouble.error.message, since: trouble.since };
  };
  return { replica, queue, ledger, journal, findings, changes, healthChanges, health };
}

/** Throws for an operation that would stand in the log without anybody knowing what it means. */
export function refuseUnknown(replica: Replica, operations: readonly Operation[]): void {
  const name = replica.unknownName(operations);
  if (name !== null) throw new Error(`there is no operation '${name}'`);
}
