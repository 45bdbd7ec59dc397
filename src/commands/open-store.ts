/** Opens the configured database beside the daemon, for as long as a command needs it. */
import { basename, dirname } from 'node:path';
import { nodeFiles } from '../db/store/files/node.ts';
import { namesOf } from '../db/store/files/names.ts';
import { schema } from '../db/tables/schema/schema.ts';
import { optimiseSqliteLate } from '../db/store/sql.ts';
import type { Store } from '../db/store/store.ts';
import { openStore } from '../db/store/open-store.ts';
import type { Config } from '../engine/config/config.ts';
import type { Redact } from '../engine/config/redact.ts';
import type { Clock } from '../engine/core/clock.ts';
import { StatusdError } from '../engine/core/errors.ts';
import { cleanLine } from '../engine/core/text.ts';
import type { Context } from './context.ts';
import { isDaemonRunning } from './daemon-of-database.ts';
import { openConfig } from './open-config.ts';

export interface StoreAccess {
  readonly configFile: string | null;
  /**
   * `read` changes nothing on the disk; `change` writes to a database that is there; `make` makes one where there
   * is none (a command with a `reach` only offline), so that something can be set before the first start.
   */
  readonly access: 'read' | 'change' | 'make';
  /** For what a daemon is to take up: says when none is running. Absent: it does not matter whether one is. */
  readonly reach?: DaemonReach;
}

/** How an operator wants a change to reach the daemon. */
export interface DaemonReach {
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
  readonly isQuiet: boolean;
}

export interface OpenedStore {
  readonly config: Config;
  /** Masks what an operator typed before it is stored: a pasted error may hold a secret, and notes are public. */
  readonly redact: Redact;
  readonly store: Pick<Store, 'sql' | 'write' | 'archive'>;
  /** The present, the same for the whole command. */
  readonly nowAt: number;
}

/** What is known before the database is opened. */
export type Ground = Pick<OpenedStore, 'config' | 'redact' | 'nowAt'>;

/** As `withPrepared`, with nothing to be prepared. */
export function withStore<T>(
  way: StoreAccess,
  context: Context,
  work: (openedStore: OpenedStore) => Promise<T>,
): Promise<T> {
  return withPrepared(way, context, { prepare: () => null, work });
}

/**
 * Prepares, so that what is wrong with the input is reported before a database is made for it; then does `work` on the
 * store and closes it again, whatever happens; reports on stderr what was found damaged.
 * Throws what openConfig throws, and `store_unusable` when there is no database to read or change, it is damaged, or
 * the daemon of the configuration uses another one.
 */
export async function withPrepared<Prepared, T>(
  { configFile, access, reach }: StoreAccess,
  context: Context,
  {
    prepare,
    work,
  }: {
    readonly prepare: (ground: Ground) => Promise<Prepared> | Prepared;
    readonly work: (openedStore: OpenedStore, prepared: Prepared) => Promise<T>;
  },
): Promise<T> {
  const { clock, stderr } = context;
  const { config, redact } = await openConfig(configFile, context);
  const nowAt = clock.now();
  const prepared = await prepare({ config, redact, nowAt });
  const canMake = access === 'make';
  if (access !== 'read' && !(canMake && reach?.isOffline !== false)) await refuseMissing(config, canMake);
  const hasDaemon = reach === undefined || reach.isOffline || (await isDaemonRunning(config));
  const store = await openConfigured(config, access === 'read' ? 'reader' : 'writer', clock);
  try {
    for (const { message } of store.warnings()) stderr.write(`statusd: warning: ${cleanLine(message)}\n`);
    const result = await work({ config, redact, store, nowAt }, prepared);
    if (!hasDaemon && !reach.isQuiet) stderr.write(noDaemonLine(databaseName(config)));
    return result;
  } finally {
    await store.close();
  }
}

/** Opens the database that the configuration names, beside the daemon and other commands. Throws `store_unusable`. */
export async function openConfigured(
  { storage, server }: Pick<Config, 'storage' | 'server'>,
  role: 'reader' | 'writer',
  clock: Clock,
): Promise<Store> {
  optimiseSqliteLate();
  if (storage === null)
    return openStore({ role, file: server.database_path, schema, files: nodeFiles, clock });
  const { openShared } = await import('./shared-database.ts');
  return openShared(storage, role, clock);
}

/** What people call the configured database. */
export function databaseName({ storage, server }: Pick<Config, 'storage' | 'server'>): string {
  return storage === null ? server.database_path : 'the database of [storage]';
}

/** A database is its snapshot, or before the first checkpoint a log alone. */
async function refuseMissing({ storage, server }: Config, canBeMade: boolean): Promise<void> {
  // That of a server is found missing when it is opened.
  if (storage !== null) return;
  const file = server.database_path;
  let entries: readonly string[];
  let path = file;
  try {
    path = await nodeFiles.resolve(file);
    entries = await nodeFiles.list(dirname(path));
  } catch {
    return;
  }
  if (entries.includes(basename(path)) || namesOf(path).logNumbers(entries).length > 0) return;
  throw new StatusdError('store_unusable', `there is no database at ${file}`, {
    hint: `Start \`statusd serve\` once, or correct server.database_path${canBeMade ? '; --offline makes it now' : ''}.`,
  });
}

function noDaemonLine(file: string): string {
  return `statusd: no daemon is running on ${cleanLine(file)}: the change takes effect when \`statusd serve\` starts\n`;
}
