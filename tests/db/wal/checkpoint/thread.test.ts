import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointEntry, inThread } from '../../../../src/db/wal/checkpoint/thread.ts';
import type { BuildSnapshot } from '../../../../src/db/wal/checkpoint/build.ts';
import { meta } from '../../../../src/db/tables/meta.ts';
import { openRealStore } from '../../../support/real-store.ts';

const dist = new URL('../../../../dist/', import.meta.url);

/** The module as the built program names it, from where it does; null: nothing is built. */
function builtEntry(): URL | null {
  const names = existsSync(dist) ? readdirSync(dist, { recursive: true, encoding: 'utf8' }) : [];
  const module = './checkpoint-worker.js';
  const naming = names
    .filter((name) => /\.c?js$/.test(name))
    .find((name) => readFileSync(new URL(name, dist), 'utf8').includes(module));
  return naming === undefined ? null : new URL(module, new URL(naming, dist));
}

/** Of each thread of this process (proc(5): the 17th field after its name). One that ends meanwhile is left out. */
function niceValues(): ReadonlyMap<number, number> {
  const values = new Map<number, number>();
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
      values.set(Number(thread), Number(stat.split(') ').at(-1)?.split(' ')[16]));
    } catch (error) {
      assert.match(String(error), /ENOENT|ESRCH/);
    }
  }
  return values;
}

/** Answers the number of its thread; dies of the job `die`. */
const numbering = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', ({ file }) => {
      if (file === 'die') process.exit(3);
      parentPort.postMessage({ result: { is: 'different', why: String(threadId) } });
    });`)}`,
);

const job = { file: 'file', temporary: 'temporary', databaseId: 'id', log: 1, sequence: 0 };

async function threadOf(build: BuildSnapshot): Promise<string> {
  const result = await build(job);
  return result.is === 'different' ? result.why : result.is;
}

describe('a checkpoint in a thread of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-thread-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const openDaemon = (file: string, build: BuildSnapshot) => openRealStore(file, { role: 'daemon', build });

  const holds = async (name: string, entry: URL) => {
    const file = join(folder, name);
    const store = await openDaemon(file, inThread(entry));
    await store.write([meta.set({ name: 'colour', value: 'green' })]);
    await store.checkpoint();
    await store.close();
    assert.deepEqual(store.warnings(), []);
    const reader = await openRealStore(file, { role: 'reader' });
    assert.equal(meta.get(reader.sql, 'colour'), 'green');
    await reader.close();
  };

  it('works from the sources', () => holds('sources.db', checkpointEntry));

  const built = builtEntry();
  it('works from the package', { skip: built === null && 'the package is not built' }, () =>
    holds('package.db', built ?? assert.fail('nothing is built')),
  );

  it('goes after what answers requests', { skip: process.platform !== 'linux' && 'not Linux' }, async () => {
    const store = await openDaemon(join(folder, 'nice.db'), inThread(checkpointEntry));
    await store.write([meta.set({ name: 'colour', value: 'green' })]);
    const before = niceValues();
    const progress = { isMade: false };
    const making = store.checkpoint().finally(() => {
      progress.isMade = true;
    });
    const seen = new Set<number>();
    while (!progress.isMade) {
      for (const [thread, nice] of niceValues()) if (before.get(thread) !== nice) seen.add(nice);
      await sleep(1);
    }
    await making;
    await store.close();
    assert.ok(seen.has(10), `threads beside: ${[...seen].join(', ')}`);
    assert.equal(niceValues().get(process.pid), before.get(process.pid));
  });

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

  it('ends the thread with its job, and keeps it where the next job follows soon', async () => {
    const build = inThread(numbering);
    const [first, second, third] = [await threadOf(build), await threadOf(build), await threadOf(build)];
    assert.notEqual(second, first);
    assert.equal(third, second);
    assert.ok(!process.getActiveResourcesInfo().includes('MessagePort'), 'the thread keeps the process');
    await assert.rejects(build({ ...job, file: 'die' }), /the checkpoint's thread ended with code 3/);
    assert.notEqual(await threadOf(build), second);
  });

  it('takes another thread after one that died while it waited', async () => {
    const build = inThread(
      new URL(
        numbering.href.replace('process.exit(3)', 'undefined') +
          encodeURIComponent('parentPort.once("message", () => setTimeout(() => process.exit(3), 50));'),
      ),
    );
    await threadOf(build);
    const second = await threadOf(build);
    await sleep(500);
    assert.notEqual(await threadOf(build), second);
  });
});
