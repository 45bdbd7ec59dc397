import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkpointEntry, inThread } from '../../../../src/db/wal/checkpoint/thread.ts';
import type { BuildSnapshot } from '../../../../src/db/wal/checkpoint/build.ts';
import { nodeFiles } from '../../../../src/db/store/files/node.ts';
import { systemProcesses } from '../../../../src/db/store/lock/processes.ts';
import { schema } from '../../../../src/db/tables/schema/schema.ts';
import { openStore } from '../../../../src/db/store/open-store.ts';
import { meta } from '../../../../src/db/tables/meta.ts';
import { realClock } from '../../../support/real-clock.ts';

const built = new URL('../../../../dist/checkpoint-worker.js', import.meta.url);

describe('a checkpoint in a thread of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-thread-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const openDaemon = (file: string, build: BuildSnapshot) =>
    openStore({
      role: 'daemon',
      file,
      schema,
      files: nodeFiles,
      clock: realClock,
      processes: systemProcesses,
      build,
    });

  const holds = async (name: string, entry: URL) => {
    const file = join(folder, name);
    const store = await openDaemon(file, inThread(entry));
    await store.write([meta.set({ name: 'colour', value: 'green' })]);
    await store.checkpoint();
    await store.close();
    assert.deepEqual(store.warnings(), []);
    const reader = await openStore({ role: 'reader', file, schema, files: nodeFiles, clock: realClock });
    assert.equal(meta.get(reader.sql, 'colour'), 'green');
    await reader.close();
  };

  it('works from the sources', () => holds('sources.db', checkpointEntry));

  it('works from the package', { skip: existsSync(built) ? false : 'the package is not built' }, () =>
    holds('package.db', built),
  );

  it('falls back to memory when the thread cannot start, and says so', async () => {
    const store = await openDaemon(
      join(folder, 'broken.db'),
      inThread(new URL('../../checkpoint/nothing.js', import.meta.url)),
    );
    await store.write([meta.set({ name: 'colour', value: 'green' })]);
    await store.checkpoint();
    assert.match(store.warnings()[0]?.message ?? '', /made from memory: Cannot find module/);
    await store.close();
  });
});
