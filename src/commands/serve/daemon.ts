/** The daemon: the address it listens on, and everything that runs on its database. */
import { randomUUID } from 'node:crypto';
import { checkpointEntry, inThread } from '../../db/wal/checkpoint/thread.ts';
import { nodeFiles } from '../../db/store/files/node.ts';
import { systemProcesses } from '../../db/store/lock/processes.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import type { Store } from '../../db/store/store.ts';
import { openStore } from '../../db/store/open-store.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { StatusdError } from '../../engine/core/errors.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Engine, EngineChanges } from '../../engine/monitoring/engine.ts';
import { type Http, reserveAddress } from '../../serve/http.ts';
import type { Context } from '../context.ts';
import { refuseHeldDatabase } from '../daemon-of-database.ts';
import { storeEntry } from './opening.ts';
import { type StoppablePart, stopParts } from './ending.ts';
import { startLeading } from './leading.ts';

export interface DaemonOptions {
  readonly loaded: LoadedConfig;
  readonly log: Log;
  readonly context: Pick<Context, 'clock' | 'env'>;
  /** Calls the start off when it is aborted: what was made is stopped, and the start rejects as soon as it can. */
  readonly signal: AbortSignal;
}

export interface Daemon extends Pick<Engine, 'stateOf'> {
  /** Where it listens, as a URL. */
  readonly url: string;
  /** The configuration it runs on. */
  readonly loaded: () => LoadedConfig;
  /** Runs on this configuration from now on. */
  readonly reload: (loaded: LoadedConfig) => Promise<EngineChanges>;
  /** Whether the schedule has made progress since this was last asked. */
  readonly hasProgressed: () => boolean;
  /** Resolves when another daemon took the database. */
  readonly lost: Promise<StatusdError>;
  /** Ends everything within five seconds. Never rejects. */
  readonly stop: () => Promise<void>;
}

/** Rejects with what is in the way: `store_in_use`, `store_unusable`, an address that is taken. Nothing stays behind. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { log, context } = options;
  const { clock } = context;
  const parts: StoppablePart[] = [];
  const stop = () => stopParts(parts, { clock, log });
  try {
    return await start(options, { parts, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Stopping {
  /** What has been started, the last one first. */
  readonly parts: StoppablePart[];
  readonly stop: () => Promise<void>;
}

async function start(options: DaemonOptions, { parts, stop }: Stopping): Promise<Daemon> {
  const { log, context, signal } = options;
  const { clock } = context;
  let current = options.loaded;
  const loaded = () => current;
  const adopt = (next: LoadedConfig) => {
    current = next;
  };
  const newRequestId = () => randomUUID();
  // First of all: who cannot be reached checks nothing and leaves nothing behind.
  const reserved = await reserveAddress({ loaded, clock, log, newRequestId }).catch(
    async (error: unknown) => {
      if (current.config.storage === null) await refuseHeldDatabase(current.config);
      throw error;
    },
  );
  parts.unshift({ name: 'the address', stop: () => reserved.stop(0), patienceMs: 300 });
  signal.throwIfAborted();
  const place = { loaded, adopt, reserved, newRequestId, log, context };
  const url = urlOf(reserved.address);
  if (current.config.storage !== null) {
    const { startNode } = await import('./node.ts');
    const node = await startNode({ ...place, url, storage: current.config.storage, signal });
    parts.unshift({ name: 'the node', stop: node.stop, patienceMs: 4500 });
    return { ...node, url, loaded, stop };
  }
  const store = await openDatabase(current, context);
  parts.unshift({ name: 'the database', stop: store.close, patienceMs: 2500 });
  signal.throwIfAborted();
  log(storeEntry(current.config.server.database_path));
  watchStore(store, log);
  const untilTrusted = () => Promise.resolve();
  const leading = await startLeading({ ...place, store, clock, parts, untilTrusted });
  return {
    url,
    loaded,
    stateOf: leading.stateOf,
    lost: store.lost,
    stop,
    hasProgressed: leading.hasProgressed,
    reload: (next) =>
      leading.reload(next, () => {
        adopt(next);
      }),
  };
}

function openDatabase({ config }: LoadedConfig, { clock }: Pick<Context, 'clock'>): Promise<Store> {
  return openStore({
    role: 'daemon',
    file: config.server.database_path,
    schema,
    files: nodeFiles,
    clock,
    processes: systemProcesses,
    build: inThread(checkpointEntry),
  });
}

/** Nobody can connect to the addresses that stand for all of the host; loopback is one of them. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

function urlOf({ host, port }: Http['address']): string {
  return `http://${reachable[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}/`;
}

/** What was found when opening, and after that whatever the files come to show. */
function watchStore(store: Pick<Store, 'warnings' | 'onChange'>, log: Log): void {
  let notified = 0;
  const report = () => {
    const warnings = store.warnings();
    for (const { file, message } of warnings.slice(notified)) {
      log({ level: 'warning', event: 'store.warning', message, fields: { file } });
    }
    notified = warnings.length;
  };
  report();
  store.onChange(report);
}
