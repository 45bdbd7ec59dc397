/** Stores on the real disk and the real clock, opened in this process. */
import { type BuildSnapshot, buildSnapshot } from '../../src/db/wal/checkpoint/build.ts';
import type { Files } from '../../src/db/store/files/files.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import { systemProcesses } from '../../src/db/store/lock/processes.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import type { Clock } from '../../src/engine/core/clock.ts';
import type { StoreSchema } from '../../src/db/store/operation.ts';
import type { Role, Store } from '../../src/db/store/store.ts';
import { schema as wholeSchema } from '../../src/db/tables/schema/schema.ts';
import { realClock } from './real-clock.ts';

interface RealStoreOptions {
  readonly role: Role;
  /** That of the program, if there is none. */
  readonly schema?: StoreSchema;
  readonly files?: Files;
  readonly clock?: Clock;
  /** Builds the snapshots of a daemon; in this process, if there is none. */
  readonly build?: BuildSnapshot;
}

export function openRealStore(
  file: string,
  { role, schema = wholeSchema, files = nodeFiles, clock = realClock, build }: RealStoreOptions,
): Promise<Store> {
  const common = { file, schema, files, clock };
  return role === 'daemon'
    ? openStore({
        ...common,
        role,
        processes: systemProcesses,
        build: build ?? ((job) => buildSnapshot(job, files, schema)),
      })
    : openStore({ ...common, role });
}
