/** The store of the daemon: holds the lock, repairs, checkpoints, keeps going when the disk does not. */
import { keepCopy, setAside } from './aside.ts';
import { Checkpointer } from './checkpoint/checkpointer.ts';
import { StatusdError } from '../engine/core/errors.ts';
import { Attachment, diskRefusal, readOnlyLoad, type DaemonPlace } from './detached.ts';
import { openFault } from './files/faults.ts';
import type { Names } from './files/names.ts';
import type { Journal } from './journal.ts';
import { orDiscard, type Loaded } from './load.ts';
import { acquireLock, type Lock } from './lock/lock.ts';
import { makeNextLog, openFiles } from './open.ts';
import { repair } from './repair.ts';
import { refuseUnknown, startSession } from './session.ts';
import type { Finding } from './snapshot/base.ts';
import type { DaemonOptions, Store } from './store.ts';
import { watch } from './watch.ts';

export async function openDaemon(options: DaemonOptions, names: Names): Promise<Store> {
  const { files, schema, clock, processes } = options;
  const place = { files, names, schema, clock, processes };
  const lock = await acquireLock(place).catch((error: unknown) => lockRefusal(error, names));
  try {
    if (lock instanceof StatusdError) return await openDetached(options, place, { error: lock, lock: null });
    return await openAttached(options, place, lock).catch((error: unknown) => {
      const refusal = diskRefusal(error, names);
      if (refusal === null) throw error;
      return openDetached(options, place, { error: refusal, lock });
    });
  } catch (error) {
    if (!(lock instanceof StatusdError)) await lock.withdraw().catch(() => undefined);
    throw openFault(error, names.snapshot);
  }
}

function lockRefusal(error: unknown, names: Names): StatusdError {
  const refusal = diskRefusal(error, names);
  if (refusal === null) throw openFault(error, names.snapshot);
  return refusal;
}

/** On a disk that can be written. */
async function openAttached(options: DaemonOptions, place: DaemonPlace, lock: Lock): Promise<Store> {
  const opened = await openFiles({ ...place, mode: 'append', isOwner: true });
  const starting = async () =>
    serve(options, { place, held: lock, opened, isInOrder: await repair(place, opened) });
  return orDiscard(opened, starting());
}

/**
 * On a disk that takes nothing: from what can be read, in memory. A lock that could not be written is taken when the
 * disk takes it; until then a second daemon does not notice this one, and the one that is later then ends.
 */
async function openDetached(
  options: DaemonOptions,
  place: DaemonPlace,
  { error, lock }: { readonly error: StatusdError; readonly lock: Lock | null },
): Promise<Store> {
  const opened = await readOnlyLoad(place);
  const attachment = new Attachment(place, opened, lock);
  const starting = serve(options, { place, held: attachment, opened, detached: { error, attachment } });
  return orDiscard(opened, starting);
}

interface Serving {
  readonly place: DaemonPlace;
  readonly held: Lock;
  readonly opened: Loaded;
  /** Whether the files may stay as they are. */
  readonly isInOrder?: boolean;
  readonly detached?: { readonly error: StatusdError; readonly attachment: Attachment };
}

async function serve(
  options: DaemonOptions,
  { place, held: lock, opened, isInOrder = true, detached }: Serving,
): Promise<Store> {
  const { files, clock, build } = options;
  const { names } = place;
  const { replica, current } = opened;
  if (current === null && detached === undefined) throw new Error('a log is made where there is none');
  const duties = {
    makeLog: (number: number) => makeNextLog(place, { database: replica.databaseId, number }),
    reopen: () => Promise.reject(takenOver(names)),
    onFinding: (finding: Finding) => {
      // A disk that takes nothing takes no second name either; the log is read again when it does.
      void setAside(place, [finding]).catch(() => undefined);
    },
    ...(detached === undefined ? {} : { detached: detachedDuty(detached) }),
  };
  const session = startSession({ store: options, names, duties }, opened, current);
  const { journal, queue, findings } = session;
  const warn = (message: string, file = names.snapshot) => findings.push({ file, message, keep: 'none' });
  const checkpointer = new Checkpointer({
    files,
    names,
    journal,
    queue,
    replica,
    build,
    isSnapshotGood: opened.isSnapshotGood,
    sequence: opened.savedSequence,
    isLockHeld: () => lock.tend(),
    keepCopy: (path) => keepCopy(place, path),
    onWarning: warn,
  });
  // What was read may still be on its way to the disk, and from now on people are told of it.
  if (detached === undefined)
    await journal.log.tail.sync().catch((error: unknown) => {
      journal.suspect(error);
    });
  if (!isInOrder) {
    await checkpointer.run('memory').catch((error: unknown) => {
      journal.suspect(error);
    });
  }
  const stopping = new AbortController();
  const watching = watch({
    clock,
    journal,
    replica,
    lock,
    checkpointer,
    signal: stopping.signal,
    onWarning: warn,
  });
  const lost = watching.then(async (end) => {
    if (end === 'stopped') return new Promise<never>(() => undefined);
    const error = detached?.attachment.lost ?? takenOver(names);
    await journal.abandon(error).catch(() => undefined);
    return error;
  });

  return {
    sql: replica.sql,
    warnings: () => findings,
    write: async (operations, { mustBeDurable } = { mustBeDurable: true }) => {
      refuseUnknown(replica, operations);
      return journal.write(operations, mustBeDurable);
    },
    record: (operations) => {
      refuseUnknown(replica, operations);
      journal.record(operations);
    },
    refresh: () => journal.refresh(),
    onChange: (listener) => session.changes.add(listener),
    onHealth: (listener) => session.healthChanges.add(listener),
    health: session.health,
    lost,
    checkpoint: () =>
      journal.isDetached ? Promise.reject(cannotWrite(journal, names)) : checkpointer.run('files'),
    close: async () => {
      stopping.abort(new Error('the store is closed'));
      // For a disk that hangs nobody waits: whoever comes next finds this process dead.
      if (journal.isHanging) {
        journal.stop();
        return;
      }
      if ((await watching) === 'stopped') {
        journal.stop();
        await journal.flush();
        // One that runs already was begun before the last writes.
        await checkpointer.ended();
        // Nobody waits for this thread any more, so memory is the shortest way to a snapshot.
        if (!journal.isDetached && replica.sequence !== checkpointer.sequence)
          await checkpointer.run('memory').catch(() => undefined);
        await journal.close();
        await lock.release().catch(() => undefined);
      }
      replica.sql.close();
    },
  };
}

function detachedDuty({ error, attachment }: NonNullable<Serving['detached']>) {
  return {
    error,
    attach: async (advance: () => Promise<void>) => {
      const { opened, isInOrder } = await attachment.attach(advance);
      if (opened.current === null) throw new Error('a log is made where there is none');
      return { current: opened.current, isInOrder };
    },
  };
}

function cannotWrite({ trouble }: Journal, names: Names): StatusdError {
  return trouble?.error ?? new StatusdError('store_failing', `cannot write ${names.snapshot}`);
}

function takenOver(names: Names): StatusdError {
  return new StatusdError('store_in_use', `another statusd took over the database ${names.snapshot}`);
}
