/** Opens a database as the daemon, as a reader or as a writer. */
import { openClientSession } from './client-session.ts';
import { openDaemon } from './daemon-session.ts';
import { namesOf } from './files/names.ts';
import { resolved, type Store, type StoreOptions } from './store.ts';

/**
 * Opens the database at `file`; a daemon or a writer makes one where there is none.
 * Throws `store_unusable` when it is damaged beyond repair, foreign, newer or unreadable, `store_in_use` when
 * another daemon has it.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const names = namesOf(await resolved(options));
  return options.role === 'daemon' ? openDaemon(options, names) : openClientSession(options, names);
}
