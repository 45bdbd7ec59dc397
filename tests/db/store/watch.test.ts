import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Files } from '../../../src/db/store/files/files.ts';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import { makeFolder, openTiny } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

const mebibyte = 1024 * 1024;
const content = 'x'.repeat(mebibyte / 8);

/** The disk, on which the database is as large as is said here. */
const withDatabaseOf = (size: number, file: string): Files => ({
  ...nodeFiles,
  facts: async (path) => {
    const facts = await nodeFiles.facts(path);
    return facts === null || path !== file ? facts : { ...facts, size };
  },
});

/** A daemon on a database that is said to have `size` bytes. */
async function openedOn(name: string, size: number) {
  const file = folder.at(name);
  const store = await openTiny(file, { role: 'daemon', files: withDatabaseOf(size, file) });
  await store.write([['note', 'first']]);
  await store.checkpoint();
  const inode = () => statSync(file).ino;
  const made = inode();
  return {
    /** Adds so many bytes to the log. */
    grow: async (bytes: number) => {
      for (let left = bytes; left > 0; left -= content.length) await store.write([['note', content]]);
    },
    /** Whether a checkpoint is made within so many ms. */
    isReplacedIn: async (ms: number) => {
      for (const endMs = performance.now() + ms; inode() === made && performance.now() < endMs; )
        await sleep(20);
      return inode() !== made;
    },
    close: async () => {
      await store.close();
      assert.deepEqual(store.warnings(), []);
    },
  };
}

/** Three looks at the log. */
const soonMs = 1700;
const limitMs = 15_000;

describe('a checkpoint', () => {
  it('is made once the log has 2 MiB', async () => {
    const small = await openedOn('small.db', mebibyte);
    await small.grow(mebibyte * 1.5);
    assert.equal(await small.isReplacedIn(soonMs), false);
    await small.grow(mebibyte);
    assert.equal(await small.isReplacedIn(limitMs), true);
    await small.close();
  });

  it('waits for a 32nd of a large database, which it writes anew', async () => {
    const large = await openedOn('large.db', 96 * mebibyte);
    await large.grow(mebibyte * 2.5);
    assert.equal(await large.isReplacedIn(soonMs), false);
    await large.grow(mebibyte);
    assert.equal(await large.isReplacedIn(limitMs), true);
    await large.close();
  });

  it('comes after 4 MiB however large the database, so that it is opened quickly', async () => {
    const huge = await openedOn('huge.db', 4096 * mebibyte);
    await huge.grow(mebibyte * 3.5);
    assert.equal(await huge.isReplacedIn(soonMs), false);
    await huge.grow(mebibyte);
    assert.equal(await huge.isReplacedIn(limitMs), true);
    await huge.close();
  });
});
