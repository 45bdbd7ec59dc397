/** The store of the daemon: holds the lock, repairs, checkpoints, and goes on in memory while the disk fails. */
import { quarantineCopy, quarantine } from './quarantine.ts';
import { Checkpointer } from '../wal/checkpoint/checkpointer.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { Attachment, diskRefusal, readOnlyLoad, type DaemonPlace } from './detached.ts';
import { openFault } from './files/faults.ts';
import { FolderNews } from './folder-news.ts';
import type { Names } from './files/names.ts';
import type { WalCommitter } from '../wal/committer.ts';
import { orDiscard, type LoadedDatabase } from './load.ts';
import { acquireLock, type DatabaseLock } from './lock/lock.ts';
import { makeNextLog, openFiles } from './open.ts';
import { repair } from './repair.ts';
import { nothingArchived } from './history.ts';
import { refusalOfUnknown, refuseUnknown, startSession } from './session.ts';
import type { FileFinding } from './snapshot/base.ts';
import type { DaemonStoreOptions, Store } from './store.ts';
import { watch } from './watch.ts';

export async function openDaemon(options: DaemonStoreOptions, names: Names): Promise<Store> {
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
async function openAttached(
  options: DaemonStoreOptions,
  place: DaemonPlace,
  lock: DatabaseLock,
): Promise<Store> {
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
  options: DaemonStoreOptions,
  place: DaemonPlace,
  { error, lock }: { readonly error: StatusdError; readonly lock: DatabaseLock | null },
): Promise<Store> {
  const opened = await readOnlyLoad(place);
  const attachment = new Attachment(place, opened, lock);
  const starting = serve(options, { place, held: attachment, opened, detached: { error, attachment } });
  return orDiscard(opened, starting);
}

interface Serving {
  readonly place: DaemonPlace;
  readonly held: DatabaseLock;
  readonly opened: LoadedDatabase;
  /** Whether the files may stay as they are. */
  readonly isInOrder?: boolean;
  readonly detached?: { readonly error: StatusdError; readonly attachment: Attachment };
}

async function serve(
  options: DaemonStoreOptions,
  { place, held: lock, opened, isInOrder = true, detached }: Serving,
): Promise<Store> {
  const { files, clock, build } = options;
  const { names } = place;
  const { replica, current } = opened;
  if (current === null && detached === undefined) throw new Error('a log is made where there is none');
  const duties = {
    makeLog: (number: number) => makeNextLog(place, { database: replica.databaseId, number }),
    reopen: () => Promise.reject(takenOver(names)),
    onFinding: (finding: FileFinding) => {
      // Not within what found it, which may be about to write itself.
      queueMicrotask(() => void keepLosses([finding]).catch(() => undefined));
      // A disk that takes nothing takes no second name either; the log is read again when it does.
      void quarantine(place, [finding]).catch(() => undefined);
    },
    ...(detached === undefined ? {} : { detached: detachedDuty(detached) }),
  };
  const session = startSession({ store: options, names, duties }, opened, current);
  const { committer, log, queue, applier, findings } = session;
  const keepLosses = async (found: readonly FileFinding[]) => {
    const messages = found.filter(({ isLoss }) => isLoss === true).map(({ message }) => message);
    const operations = options.schema.keepLosses?.(replica.sql, messages, clock.now()) ?? [];
    if (operations.length > 0) await committer.write(operations, { mustBeDurable: false });
  };
  const warn = (message: string, file = names.snapshot) => findings.push({ file, message, keep: 'none' });
  const checkpointer = new Checkpointer({
    files,
    names,
    committer,
    log,
    queue,
    applier,
    replica,
    build,
    isSnapshotGood: opened.isSnapshotGood,
    sequence: opened.savedSequence,
    isLockHeld: () => lock.renew(),
    keepCopy: (path) => quarantineCopy(place, path),
    onWarning: warn,
  });
  // What was read may still be on its way to the disk, and from now on it is served to users.
  if (detached === undefined)
    await log.tail.sync().catch((error: unknown) => {
      committer.suspect(error);
    });
  // Before the checkpoint, after which nothing shows any more what is missing.
  await keepLosses(findings);
  if (!isInOrder) {
    await checkpointer.run('memory').catch((error: unknown) => {
      committer.suspect(error);
    });
  }
  const stopping = new AbortController();
  const watching = watch({
    clock,
    committer,
    log,
    replica,
    lock,
    news: new FolderNews(files, names.directory),
    checkpointer,
    signal: stopping.signal,
    onWarning: warn,
  });
  const lost = watching.then(async (end) => {
    if (end === 'stopped') return new Promise<never>(() => undefined);
    const error = detached?.attachment.lost ?? takenOver(names);
    await committer.abandon(error).catch(() => undefined);
    return error;
  });

  return {
    sql: session.sql,
    archive: nothingArchived,
    warnings: () => findings,
    write: (operations, how = { mustBeDurable: true }) => {
      const refusal = refusalOfUnknown(replica, operations);
      return refusal === null ? committer.write(operations, how) : Promise.reject(refusal);
    },
    record: (operations) => {
      refuseUnknown(replica, operations);
      committer.record(operations);
    },
    refresh: () => committer.refresh(),
    onChange: (listener) => session.changes.add(listener),
    onHealth: (listener) => session.healthChanges.add(listener),
    health: session.health,
    lost,
    checkpoint: () =>
      committer.isDetached ? Promise.reject(cannotWrite(committer, names)) : checkpointer.run('files'),
    close: async () => {
      stopping.abort(new Error('the store is closed'));
      // A hanging disk is not waited for: the next holder finds this process dead.
      if (committer.isHanging) {
        committer.stop();
        return;
      }
      if ((await watching) === 'stopped') {
        committer.stop();
        await committer.flush();
        // One that runs already was begun before the last writes.
        await checkpointer.ended();
        // Nobody waits for this thread any more, so memory is the shortest way to a snapshot.
        if (!committer.isDetached && replica.sequence !== checkpointer.sequence)
          await checkpointer.run('memory').catch(() => undefined);
        await committer.close();
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

function cannotWrite({ trouble }: WalCommitter, names: Names): StatusdError {
  return trouble?.error ?? new StatusdError('store_failing', `cannot write ${names.snapshot}`);
}

function takenOver(names: Names): StatusdError {
  return new StatusdError('store_in_use', `another statusd took over the database ${names.snapshot}`);
}
