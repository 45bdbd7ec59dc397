/** What a node says of itself in the database that it shares with others, and how it opens that. */
import { openNode } from '../../db/shared/node.ts';
import type { NodeStore, NodeStoreOptions } from '../../db/shared/node-store.ts';
import type { NodeRow } from '../../db/shared/statements.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import { checkpointEntry, inProcess } from '../../db/wal/checkpoint/thread.ts';
import type { Config, StorageSettings } from '../../engine/config/config.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import type { Context } from '../context.ts';
import { configDigestOf } from '../nodes/config-digest.ts';
import { nodeIdOf } from '../nodes/perform.ts';
import { version } from '../version.ts';
import { runningStorage } from './restart-needed.ts';
import { anyReaches } from './standby.ts';

interface NodeDatabaseOptions
  extends Required<Pick<NodeStoreOptions, 'self' | 'headStartMs' | 'mayMake' | 'onWentBack'>> {
  readonly loaded: () => LoadedConfig;
  readonly storage: StorageSettings;
  readonly trust: Trust;
  readonly log: Log;
  readonly context: Pick<Context, 'clock'>;
}

/** Rejects with `store_unusable`; its cause says when the server was only not reached. */
export function openNodeDatabase(options: NodeDatabaseOptions): Promise<NodeStore> {
  const { loaded, storage, trust, log, context, self, headStartMs, mayMake, onWentBack } = options;
  return openNode({
    url: () => (runningStorage(storage, loaded().config.storage) ?? storage).url.reveal(),
    space: storage.schema,
    leaseMs: storage.lease_secs * 1000,
    schema,
    clock: context.clock,
    build: inProcess(checkpointEntry),
    mayMake,
    askOthers: (urls, patienceMs) => anyReaches(urls, { patienceMs, trust }),
    self,
    headStartMs,
    onWentBack,
    onWarning: (message) => {
      log({ level: 'warning', event: 'store.warning', message: loaded().redact(message) });
    },
  });
}

/** `url`: where the node is reached, unless its configuration says so. */
export function nodeRowOf(
  config: Config,
  { url, probesPerSec }: Pick<NodeRow, 'url' | 'probesPerSec'>,
): NodeRow {
  return {
    id: nodeIdOf(config),
    url: config.node.url ?? url,
    version: version(),
    config: configDigestOf(config),
    isProbing: config.node.probe && config.node.token !== null,
    probesPerSec,
  };
}
