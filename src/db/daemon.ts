/** The store of the daemon: holds the lock, repairs, checkpoints, keeps going when the disk does not. */
import { keepCopy } from './aside.ts';
import { Checkpointer } from './checkpoint/checkpointer.ts';
import { StatusdError } from '../engine/core/errors.ts';
import { openFault } from './files/faults.ts';
import type { Names } from './files/names.ts';
import { orDiscard, type Loaded } from './load.ts';
import { acquireLock, type Lock } from './lock/lock.ts';
import { makeNextLog, openFiles } from './open.ts';
import { repair } from './repair.ts';
import { refuseUnknown, startSession } from './session.ts';
import type { DaemonOptions, Store } from './store.ts';
import { watch } from './watch.ts';

export async function openDaemon(options: DaemonOptions, names: Names): Promise<Store> {
  const { files, schema, clock, processes } = options;
  try {
    const lock = await acquireLock({ files, names, clock, processes });
    try {
      const place = { files, names, schema, clock };
      const opened = await openFiles({ ...place, mode: 'append', isOwner: true });
      return await orDiscard(opened, serve(options, { names, lock, opened }));
    } catch (error) {
      await lock.release().catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw openFault(error, names.snapshot);
  }
}

async function serve(
  options: DaemonOptions,
  { names, lock, opened }: { readonly names: Names; readonly lock: Lock; readonly opened: Loaded },
): Promise<Store> {
  const { files, schema, clock, build } = options;
  const place = { files, names, schema, clock };
  const { replica, current } = opened;
  if (current === null) throw new Error('a log is made where there is none');
  const isInOrder = await repair(place, opened);
  const duties = {
    makeLog: (number: number) => makeNextLog(place, { database: replica.databaseId, number }),
    reopen: () => Promise.reject(takenOver(names)),
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
  await journal.log.tail.sync();
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
    const error = takenOver(names);
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
    onChange: (listener) => session.changes.add(listener),
    onHealth: (listener) => session.healthChanges.add(listener),
    health: session.health,
    lost,
    checkpoint: () => checkpointer.run('files'),
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
        if (replica.sequence !== checkpointer.sequence)
          await checkpointer.run('memory').catch(() => undefined);
        await journal.close();
        await lock.release().catch(() => undefined);
      }
      replica.sql.close();
    },
  };
}

function takenOver(names: Names): StatusdError {
  return new StatusdError('store_in_use', `another statusd took over the database ${names.snapshot}`);
}
