/** The store of a command beside the nodes: opened to read or write, then closed. */
import { HistoryTable } from './history-table.ts';
import { createLink } from './link.ts';
import { partsOf, refuseUnknown } from '../store/session.ts';
import type { Store } from '../store/store.ts';
import {
  loadSharedDatabase,
  otherVersion,
  sharedDatabaseAt,
  type SharedDatabaseOptions,
  readStanding,
  whyRefused,
} from './database.ts';
import { SharedWriter } from './writer.ts';

export interface SharedClientOptions extends Omit<SharedDatabaseOptions, 'deadlineMs'> {
  readonly role: 'reader' | 'writer';
}

/** Others' writes are seen within this time. */
const lookMs = 250;

/** Somebody waits at a terminal. */
const deadlineMs = 10_000;

/** Throws `store_unusable`. */
export async function openSharedClient(options: SharedClientOptions): Promise<Store> {
  const { clock, schema, role } = options;
  const place = sharedDatabaseAt({ ...options, deadlineMs });
  const reading = { schema, deadlineMs };
  try {
    const standing = await readStanding(place, reading);
    if (role === 'writer' && standing.schema !== schema.version) throw otherVersion();
    const { replica, end } = await loadSharedDatabase(place, reading);
    const { committer, sql, changes, healthChanges, health } = partsOf({
      replica,
      clock,
      isPersistent: () => false,
      onFinding: () => undefined,
      onRefused: () => undefined,
      logOf: (parts) =>
        new SharedWriter({
          ...parts,
          log: place.log,
          end,
          lease: null,
          mayReload: () => true,
          refused: async (why, { seq }) => why ?? (await whyRefused(place, { ...reading, seq })),
          reload: async () => {
            const world = await loadSharedDatabase(place, reading);
            parts.applier.become(world.replica);
            return world.end;
          },
        }),
    });
    const stopping = new AbortController();
    const { signal } = stopping;
    let following: Promise<void> | null = null;
    const follow = async () => {
      for (;;) {
        await clock.sleep(lookMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        await committer.catchUp();
      }
    };
    const historyLink = createLink(options.url, clock);
    return {
      sql,
      archive: new HistoryTable({ link: historyLink, statements: place.statements, epoch: () => null }),
      warnings: () => [],
      write: async (operations) => {
        if (role === 'reader') throw new Error('a reader does not write');
        refuseUnknown(replica, operations);
        return committer.write(operations, { mustBeDurable: true });
      },
      record: () => {
        throw new Error('only a node that leads records samples');
      },
      refresh: () => committer.refresh(),
      onChange: (listener) => {
        following ??= follow();
        return changes.add(listener);
      },
      onHealth: (listener) => healthChanges.add(listener),
      health,
      lost: new Promise(() => undefined),
      checkpoint: () => Promise.reject(new Error('only a node that leads makes snapshots')),
      close: async () => {
        stopping.abort(new Error('the store is closed'));
        committer.stop();
        await committer.flush();
        await following;
        await Promise.all([place.link.close(), historyLink.close()]);
        replica.sql.close();
      },
    };
  } catch (error) {
    await place.link.close();
    throw error;
  }
}
