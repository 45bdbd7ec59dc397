/** Opens the store of the benchmarks as the daemon would. */
import { setTimeout as pause } from 'node:timers/promises';
import { checkpointEntry, inThread } from '../../src/db/wal/checkpoint/thread.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import { systemProcesses } from '../../src/db/store/lock/processes.ts';
import { schema } from '../../src/db/tables/schema/schema.ts';
import { type Store } from '../../src/db/store/store.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import type { Clock } from '../../src/engine/core/clock.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => pause(ms, undefined, { signal }),
};

export function openDaemonStore(file: string): Promise<Store> {
  return openStore({
    role: 'daemon',
    file,
    schema,
    files: nodeFiles,
    clock,
    processes: systemProcesses,
    build: inThread(checkpointEntry),
  });
}

/** Opens it as a command that only reads. */
export function openReaderStore(file: string): Promise<Store> {
  return openStore({ role: 'reader', file, schema, files: nodeFiles, clock });
}
