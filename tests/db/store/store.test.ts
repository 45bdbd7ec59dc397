import assert from 'node:assert/strict';
import {
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  lstatSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreChange } from '../../../src/db/wal/applier.ts';
import type { Files } from '../../../src/db/store/files/files.ts';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import type { Store } from '../../../src/db/store/store.ts';
import { counter, notes, sampleCount } from '../../support/tiny-schema.ts';
import { makeFolder, openTiny } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

const limitMs = 15_000;

async function until(isTime: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!isTime() && performance.now() - startedAt < limitMs) await sleep(5);
  assert.ok(isTime(), `not within ${limitMs} ms`);
}

const contents = (store: Store) => notes(store.sql).map(({ content }) => content);

describe('a store', () => {
  it('answers what each operation of a transaction answered, and keeps it', async () => {
    const file = folder.at('first.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    assert.deepEqual(
      await daemon.write([
        ['note', 'one'],
        ['count', 'all', 3],
      ]),
      [1, 3],
    );
    assert.deepEqual(await daemon.write([['note', 'two']]), [2]);
    await daemon.close();
    const reader = await openTiny(file, { role: 'reader' });
    assert.deepEqual(contents(reader), ['one', 'two']);
    assert.deepEqual(reader.warnings(), []);
    await reader.close();
  });

  it('does nothing of a transaction that fails, and passes its error on', async () => {
    const daemon = await openTiny(folder.at('fails.db'), { role: 'daemon' });
    await assert.rejects(
      daemon.write([
        ['note', 'gone'],
        ['refuse', 'not today'],
      ]),
      /not today/,
    );
    assert.deepEqual(contents(daemon), []);
    assert.deepEqual(await daemon.write([['note', 'first']]), [1]);
    await daemon.close();
  });

  it('refuses unknown operations', async () => {
    const daemon = await openTiny(folder.at('unknown.db'), { role: 'daemon' });
    await assert.rejects(daemon.write([['no such thing']]), /no operation 'no such thing'/);
    assert.throws(() => {
      daemon.record([['no such thing']]);
    }, /no operation/);
    await daemon.close();
  });

  it('shows samples at once and brings them to the disk by itself', async () => {
    const file = folder.at('samples.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    for (let index = 0; index < 50; index += 1) daemon.record([['sample', index, index]]);
    assert.equal(sampleCount(daemon.sql), 50);
    const onDisk = async () => {
      const reader = await openTiny(file, { role: 'reader' });
      const count = sampleCount(reader.sql);
      await reader.close();
      return count;
    };
    for (let tries = 0; tries < 150 && (await onDisk()) < 50; tries += 1) await sleep(100);
    assert.equal(await onDisk(), 50);
    await daemon.close();
  });

  it('shows the write of a command to the daemon by itself, and to a follower of the daemon', async () => {
    const file = folder.at('seen.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    const follower = await openTiny(file, { role: 'reader' });
    const changes: StoreChange[] = [];
    const seen: StoreChange[] = [];
    daemon.onChange((change) => changes.push(change));
    const stop = follower.onChange((change) => seen.push(change));
    const command = await openTiny(file, { role: 'writer' });
    assert.deepEqual(await command.write([['note', 'from outside']]), [1]);
    await command.close();
    await until(() => changes.length > 0);
    assert.deepEqual(changes, [{ operations: [['note', 'from outside']], isForeign: true }]);
    assert.deepEqual(await daemon.write([['note', 'from inside']]), [2]);
    assert.equal(changes.at(-1)?.isForeign, false);
    await daemon.checkpoint();
    await daemon.write([['note', 'after a rotation']]);
    await until(() => contents(follower).length === 3);
    stop();
    await follower.close();
    await daemon.close();
  });

  it('writes although the log is sealed before it each time it tries, as often as that happens', async () => {
    const file = folder.at('sealed.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    await daemon.write([['note', 'first']]);
    let sealed = 0;
    const outrun: Files = {
      ...nodeFiles,
      open: async (path, mode) => {
        const opened = await nodeFiles.open(path, mode);
        const write = async (bytes: Uint8Array) => {
          if (sealed < 8) {
            sealed += 1;
            await daemon.checkpoint();
          }
          return opened.write(bytes);
        };
        return { ...opened, write };
      },
    };
    const command = await openTiny(file, { role: 'writer', files: outrun });
    await command.write([['note', 'from outside']], { mustBeDurable: true });
    assert.equal(sealed, 8);
    await command.close();
    await until(() => contents(daemon).length === 2);
    assert.deepEqual(contents(daemon), ['first', 'from outside']);
    await daemon.close();
  });

  it('keeps ids in the order of the log when a daemon and commands write at once', async () => {
    const file = folder.at('order.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    const commands = [await openTiny(file, { role: 'writer' }), await openTiny(file, { role: 'writer' })];
    const notified: [number, string][] = [];
    const several = async (store: Store, name: string) => {
      for (let index = 0; index < 40; index += 1) {
        const content = `${name} ${index}`;
        const [id] = await store.write([['note', content]], { mustBeDurable: true });
        notified.push([Number(id), content]);
      }
    };
    const rotations = async () => {
      for (let index = 0; index < 5; index += 1) await daemon.checkpoint();
    };
    await Promise.all([
      several(daemon, 'daemon'),
      rotations(),
      ...commands.map((one, index) => several(one, `${index}`)),
    ]);
    for (const command of commands) await command.close();
    await daemon.close();
    const reader = await openTiny(file, { role: 'reader' });
    const byId = new Map(notes(reader.sql).map(({ id, content }) => [id, content]));
    assert.equal(notified.length, 120);
    for (const [id, content] of notified) assert.equal(byId.get(id), content);
    await reader.close();
  });

  it('is made by a command too, and refuses to be read before it is there', async () => {
    const file = folder.at('by-command.db');
    await assert.rejects(openTiny(file, { role: 'reader' }), {
      code: 'store_unusable',
      message: `there is no database at ${file}`,
    });
    const [one, other] = await Promise.all([
      openTiny(file, { role: 'writer' }),
      openTiny(file, { role: 'writer' }),
    ]);
    await one.write([['note', 'one']]);
    await other.write([['note', 'other']]);
    await one.close();
    await other.close();
    const daemon = await openTiny(file, { role: 'daemon' });
    assert.deepEqual(contents(daemon), ['one', 'other']);
    await daemon.close();
  });

  it('finishes what was asked for before it is closed', async () => {
    const file = folder.at('closing.db');
    const writer = await openTiny(file, { role: 'writer' });
    const pending = [writer.write([['note', 'a']]), writer.write([['note', 'b']])];
    await writer.close();
    assert.deepEqual(await Promise.all(pending), [[1], [2]]);
    const daemon = await openTiny(file, { role: 'daemon' });
    const last = daemon.write([['note', 'c']]);
    daemon.record([['sample', 1, 1]]);
    await daemon.close();
    assert.deepEqual(await last, [3]);
    const reader = await openTiny(file, { role: 'reader' });
    assert.deepEqual(contents(reader), ['a', 'b', 'c']);
    assert.equal(sampleCount(reader.sql), 1);
    await reader.close();
  });

  it('refuses writes once it is closed', async () => {
    const daemon = await openTiny(folder.at('closed.db'), { role: 'daemon' });
    await daemon.close();
    await assert.rejects(daemon.write([['note', 'late']]), { code: 'store_failing' });
    assert.throws(() => {
      daemon.record([['sample', 1, 1]]);
    }, /closed/);
  });
});

describe('the files of a store', () => {
  it('are readable by their owner only, every one that ever was', async () => {
    const before = process.umask(0);
    const seen = new Map<string, number>();
    const look = () => {
      for (const name of readdirSync(folder.path)) {
        try {
          seen.set(name, statSync(folder.at(name)).mode & 0o777);
        } catch {
          // It was a temporary file, and is gone.
        }
      }
    };
    const looking = setInterval(look, 1);
    try {
      const file = folder.at('private.db');
      const daemon = await openTiny(file, { role: 'daemon' });
      for (let index = 0; index < 3; index += 1) {
        await daemon.write([['note', 'x']]);
        await daemon.checkpoint();
      }
      await daemon.close();
      look();
    } finally {
      clearInterval(looking);
      process.umask(before);
    }
    for (const [name, mode] of seen) assert.equal(mode, 0o600, name);
    assert.ok(
      [...seen.keys()].some((name) => name.includes('-tmp.')),
      'no temporary file was seen',
    );
  });

  it('are beside what a symbolic link points to, and the link stays', async () => {
    symlinkSync('real-place.db', folder.at('link.db'));
    const daemon = await openTiny(folder.at('link.db'), { role: 'daemon' });
    await daemon.write([['note', 'x']]);
    await daemon.close();
    assert.ok(lstatSync(folder.at('link.db')).isSymbolicLink());
    assert.ok(lstatSync(folder.at('real-place.db')).isFile());
    assert.equal(
      readdirSync(folder.path).some((name) => name.startsWith('link.db-')),
      false,
    );
    const reader = await openTiny(folder.at('real-place.db'), { role: 'reader' });
    assert.deepEqual(contents(reader), ['x']);
    await reader.close();
  });

  it('of two databases in one folder do not mix', async () => {
    const stores = await Promise.all(
      ['twin.db', 'twin.db-b', 'b.twin.db'].map((name) => openTiny(folder.at(name), { role: 'daemon' })),
    );
    for (const [index, store] of stores.entries()) await store.write([['note', `store ${index}`]]);
    for (const store of stores) await store.checkpoint();
    assert.deepEqual(stores.map(contents), [['store 0'], ['store 1'], ['store 2']]);
    for (const store of stores) await store.close();
  });

  it('are few after many checkpoints, and no descriptor is left open', async () => {
    const file = folder.at('few.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    const descriptors = () => readdirSync('/proc/self/fd').length;
    await daemon.write([['note', 'x']]);
    await daemon.checkpoint();
    const before = descriptors();
    for (let index = 0; index < 5; index += 1) {
      await daemon.write([['note', 'x']]);
      await daemon.checkpoint();
      const command = await openTiny(file, { role: 'writer' });
      await command.write([['note', 'y']]);
      await command.close();
      await (await openTiny(file, { role: 'reader' })).close();
    }
    assert.equal(descriptors(), before);
    const names = readdirSync(folder.path).filter((name) => name.startsWith('few.db'));
    assert.deepEqual(names.length, 5, names.join(' '));
    await daemon.close();
  });

  it('may be taken away or cut off while the daemon runs: it makes new ones and loses nothing', async () => {
    for (const spoil of [
      (path: string) => {
        unlinkSync(path);
      },
      (path: string) => {
        truncateSync(path, 20);
      },
    ]) {
      const file = folder.at(`spoiled-${spoil.length}-${Math.random()}.db`);
      const daemon = await openTiny(file, { role: 'daemon' });
      await daemon.write([['note', 'before']]);
      const notified: boolean[] = [];
      daemon.onHealth(({ isDurable }) => notified.push(isDurable));
      spoil(`${file}-log.2`);
      await until(() => notified.includes(true));
      assert.equal(notified[0], false);
      await daemon.write([['note', 'after']], { mustBeDurable: true });
      const readNow = async () => {
        const reader = await openTiny(file, { role: 'reader' });
        const found = contents(reader);
        await reader.close();
        return found;
      };
      for (let tries = 0; tries < 150 && (await readNow()).length < 2; tries += 1) await sleep(100);
      assert.deepEqual(await readNow(), ['before', 'after']);
      await daemon.close();
    }
  });
});

describe('versions', () => {
  it('a newer daemon brings the database to its version; older programs then refuse it', async () => {
    const file = folder.at('upgrade.db');
    const old = await openTiny(file, { role: 'daemon' });
    await old.write([['note', 'old']]);
    await assert.rejects(openTiny(file, { role: 'writer', version: 2 }), {
      code: 'store_unusable',
      message: 'the running daemon is another version of statusd',
    });
    const early = await openTiny(file, { role: 'writer' });
    await old.close();
    const daemon = await openTiny(file, { role: 'daemon', version: 2 });
    await daemon.write([['note', 'new']]);
    assert.deepEqual(contents(daemon), ['old', 'new']);
    await assert.rejects(early.write([['note', 'too late']]), {
      code: 'store_unusable',
      message: /newer version/,
    });
    await early.close();
    for (const role of ['writer', 'reader'] as const) {
      await assert.rejects(openTiny(file, { role }), { code: 'store_unusable', message: /newer version/ });
    }
    await daemon.close();
    await assert.rejects(openTiny(file, { role: 'daemon' }), {
      code: 'store_unusable',
      message: /newer version/,
    });
    const reader = await openTiny(file, { role: 'reader', version: 2 });
    assert.deepEqual(contents(reader), ['old', 'new']);
    await reader.close();
  });

  it('an upgrade after a kill replays the old log over the new tables', async () => {
    const file = folder.at('upgrade-killed.db');
    const command = await openTiny(file, { role: 'writer' });
    await command.write([
      ['note', 'old'],
      ['count', 'all', 1],
    ]);
    await command.close();
    const daemon = await openTiny(file, { role: 'daemon', version: 2 });
    assert.deepEqual(contents(daemon), ['old']);
    assert.equal(counter(daemon.sql, 'all'), 1);
    await daemon.close();
    assert.equal(readFileSync(file).readInt32BE(60), 2);
  });
});
