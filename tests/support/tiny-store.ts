/** Stores over the small schema of the tests: on a real disk, or on one in memory. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/engine/core/clock.ts';
import type { Files } from '../../src/db/store/files/files.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import type { Role, Store } from '../../src/db/store/store.ts';
import { realClock } from './real-clock.ts';
import { openRealStore } from './real-store.ts';
import { tinySchema } from './tiny-schema.ts';

export interface TinyOptions {
  readonly role: Role;
  readonly version?: number;
  readonly files?: Files;
  readonly clock?: Clock;
}

/** Opens `file` on the real disk. */
export function openTiny(
  file: string,
  { role, version = 1, files = nodeFiles, clock = realClock }: TinyOptions,
): Promise<Store> {
  return openRealStore(file, { role, files, clock, schema: tinySchema(version) });
}

/** The same disk, mounted read-only: whatever would change it fails with EROFS. */
export function readOnly(files: Files): Files {
  const refuse = (path: string) =>
    Promise.reject(Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path }));
  return {
    ...files,
    open: (path, mode) => (mode === 'read' ? files.open(path, mode) : refuse(path)),
    link: refuse,
    rename: refuse,
    restrict: refuse,
    remove: async (path) => {
      // Removing what is not there is not refused.
      if ((await files.facts(path)) !== null) await refuse(path);
    },
  };
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
