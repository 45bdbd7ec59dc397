/** Stores over the small schema of the tests: on a real disk, or on one in memory. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSnapshot } from '../../src/db/checkpoint/build.ts';
import { nodeFiles } from '../../src/db/files/node.ts';
import { systemProcesses } from '../../src/db/lock/processes.ts';
import { openStore, type Role, type Store } from '../../src/db/store.ts';
import { realClock } from './real-clock.ts';
import { tinySchema } from './tiny-schema.ts';

export interface TinyOptions {
  readonly role: Role;
  readonly version?: number;
}

/** Opens `file` on the real disk. */
export function openTiny(file: string, { role, version = 1 }: TinyOptions): Promise<Store> {
  const schema = tinySchema(version);
  const common = { file, schema, files: nodeFiles, clock: realClock };
  return role === 'daemon'
    ? openStore({
        ...common,
        role,
        processes: systemProcesses,
        build: (job) => buildSnapshot(job, nodeFiles, schema),
      })
    : openStore({ ...common, role });
}

export interface Folder {
  readonly path: string;
  readonly at: (name: string) => string;
  readonly remove: () => void;
}

/** A folder of its own for one test file. */
export function makeFolder(): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'statusd-store-')));
  return {
    path,
    at: (name) => join(path, name),
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
