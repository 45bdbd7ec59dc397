/** The store of a command beside the daemon: opened to read or write, then closed. */
import type { Names } from './files/names.ts';
import { discard } from './load.ts';
import { openFiles } from './open.ts';
import { refuseOtherVersion } from '../wal/tail.ts';
import { nothingArchived } from './history.ts';
import { refuseUnknown, startSession, type Session } from './session.ts';
import type { ClientSessionOptions, Store } from './store.ts';

/** Others' writes are seen within this time. */
const lookMs = 250;

export async function openClientSession(options: ClientSessionOptions, names: Names): Promise<Store> {
  const { files, schema, clock, role } = options;
  const isReader = role === 'reader';
  const open = () =>
    openFiles({ files, names, schema, clock, mode: isReader ? 'read' : 'append', isOwner: false });
  const opened = await open();
  const { replica, current } = opened;
  try {
    if (!isReader) refuseOtherVersion(current?.header ?? null, schema.version);
  } catch (error) {
    await discard(opened);
    throw error;
  }
  const duties = {
    makeLog: () => Promise.reject(new Error('only the daemon makes logs')),
    reopen: open,
  };
  const session = current === null ? null : startSession({ store: options, names, duties }, opened, current);
  // The log that was missing was made, so the daemon does not miss it any more.
  const lost = opened.findings.filter(({ isLoss, keep }) => isLoss === true && keep === 'none');
  const messages = lost.map(({ message }) => message);
  const operations = isReader ? [] : (schema.keepLosses?.(replica.sql, messages, clock.now()) ?? []);
  if (operations.length > 0) await session?.committer.write(operations, { mustBeDurable: true });
  const stopping = new AbortController();
  let isFollowing = false;

  const follow = async (following: Session) => {
    for (;;) {
      try {
        await clock.sleep(lookMs, stopping.signal);
      } catch {
        return;
      }
      await following.committer.catchUp();
    }
  };

  return {
    sql: replica.sql,
    archive: nothingArchived,
    warnings: () => (session ?? opened).findings,
    write: async (operations) => {
      if (isReader || session === null) throw new Error('a reader does not write');
      refuseUnknown(replica, operations);
      return session.committer.write(operations, { mustBeDurable: true });
    },
    record: () => {
      throw new Error('only the daemon records samples');
    },
    refresh: async () => session?.committer.refresh(),
    onChange: (listener) => {
      if (session === null) return () => undefined;
      if (!isFollowing) void follow(session);
      isFollowing = true;
      return session.changes.add(listener);
    },
    onHealth: (listener) => session?.healthChanges.add(listener) ?? (() => undefined),
    health: () => session?.health() ?? { isDurable: true, reason: null, since: null },
    lost: new Promise(() => undefined),
    checkpoint: () => Promise.reject(new Error('only the daemon makes checkpoints')),
    close: async () => {
      stopping.abort(new Error('the store is closed'));
      session?.committer.stop();
      // For a disk that hangs nobody waits.
      if (session?.committer.isHanging === true) return;
      await session?.committer.flush();
      await session?.committer.close();
      replica.sql.close();
    },
  };
}
