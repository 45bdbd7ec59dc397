/** The store of a node of nodes that share a database. */
import { buildShared } from '../../src/db/shared/build.ts';
import { openNode } from '../../src/db/shared/node.ts';
import type { NodeStore, NodeStoreOptions } from '../../src/db/shared/node-store.ts';
import { realClock } from './real-clock.ts';

/** No other node reaches the database, and warnings are not looked at, unless `more` says so. */
export function openTestNode(
  id: string,
  more: Pick<NodeStoreOptions, 'url' | 'schema' | 'leaseMs'> & Partial<NodeStoreOptions>,
): Promise<NodeStore> {
  return openNode({
    space: 'statusd',
    clock: realClock,
    self: () => ({
      id,
      url: `http://${id}.example`,
      version: '1',
      config: '',
      isProbing: true,
      probesPerSec: 0,
    }),
    askOthers: () => Promise.resolve(false),
    build: (job) => buildShared(job, more.schema),
    onWarning: () => undefined,
    onWentBack: () => undefined,
    ...more,
  });
}
