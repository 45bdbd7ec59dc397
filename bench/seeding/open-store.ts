/** The stores of the benchmarks, and the clock that they run by. */
import { setTimeout as pause } from 'node:timers/promises';
import { type BuildSnapshot, buildSnapshot } from '../../src/db/wal/checkpoint/build.ts';
import { checkpointEntry, inThread } from '../../src/db/wal/checkpoint/thread.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import { systemProcesses } from '../../src/db/store/lock/processes.ts';
import { schema } from '../../src/db/tables/schema/schema.ts';
import type { Store } from '../../src/db/store/store.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import type { Clock } from '../../src/engine/core/clock.ts';

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => pause(ms, undefined, { signal }),
};

/** Builds snapshots in this process: a benchmark that is bundled has no file for the thread. */
export const buildHere: BuildSnapshot = (job) => buildSnapshot(job, nodeFiles, schema);

/** Opens it as the daemon would. */
export function openDaemonStore(
  file: string,
  build: BuildSnapshot = inThread(checkpointEntry),
): Promise<Store> {
  return openStore({
    role: 'daemon',
    file,
    schema,
    files: nodeFiles,
    clock,
    processes: systemProcesses,
    build,
  });
}

/** Opens it as a command that only reads. */
export function openReaderStore(file: string): Promise<Store> {
  return openStore({ role: 'reader', file, schema, files: nodeFiles, clock });
}
