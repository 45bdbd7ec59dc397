import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import {
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeFiles } from '../../../../src/db/store/files/node.ts';

const hash = promisify(pbkdf2);
const isLinux = process.platform === 'linux';

describe('nodeFiles', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'statusd-files-')));
  const at = (name: string) => join(folder, name);
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes files only the owner can read, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await (await nodeFiles.open(at('new'), 'create')).close();
    } finally {
      process.umask(before);
    }
    assert.equal(statSync(at('new')).mode & 0o777, 0o600);
    await assert.rejects(nodeFiles.open(at('new'), 'create'), { code: 'EEXIST' });
  });

  it('takes permissions away from a file that has too many', async () => {
    writeFileSync(at('open'), '');
    chmodSync(at('open'), 0o644);
    await nodeFiles.restrict(at('open'));
    assert.equal(statSync(at('open')).mode & 0o777, 0o600);
  });

  it('knows the size of a log at once, and syncs what is appended, where this kernel alone has the file system', {
    skip: !isLinux,
  }, async () => {
    const files = [await nodeFiles.open(at('sized'), 'create')];
    for (const mode of ['append', 'append', 'read'] as const)
      files.push(await nodeFiles.open(at('sized'), mode));
    // Contents of /proc are made by whoever is asked: it stands for a file that another machine keeps.
    files.push(await nodeFiles.open('/proc/self/comm', 'append'));
    await files[1]?.write(Buffer.from('ab'));
    await files[2]?.write(Buffer.from('c'));
    assert.deepEqual(
      files.map(({ sizeNow }) => sizeNow?.()),
      [undefined, 3, 3, undefined, undefined],
    );
    const { ino } = statSync(at('sized'));
    const descriptors = readdirSync('/proc/self/fd').filter(
      (fd) => statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.ino === ino,
    );
    const flags = descriptors.map(
      (fd) => /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1],
    );
    assert.equal(flags.filter((text = '') => (Number.parseInt(text, 8) & constants.O_DSYNC) !== 0).length, 2);
    assert.deepEqual(
      files.map(({ isWriteThrough }) => isWriteThrough),
      [undefined, true, true, undefined, undefined],
    );
    for (const file of files) await file.close();
  });

  it('opens a file that loses its name in the same moment, and leaves nothing open', async () => {
    const openNow = () => (isLinux ? readdirSync('/proc/self/fd').length : 0);
    for (const mode of ['create', 'append'] as const) {
      const path = at(`swept-${mode}`);
      if (mode === 'append') writeFileSync(path, '');
      const before = openNow();
      const opening = nodeFiles.open(path, mode);
      // All threads have something to do when the file is open.
      const busy = Promise.all(Array.from({ length: 8 }, () => hash('', '', 200_000, 32, 'sha256')));
      while (isLinux ? openNow() === before : !existsSync(path)) await immediately();
      rmSync(path);
      const file = await opening;
      await file.write(Buffer.from('a'));
      assert.equal((await file.facts()).size, 1);
      await file.close();
      await busy;
      assert.equal(openNow(), before);
    }
  });

  it('appends at the end, wherever others have moved it', async () => {
    await (await nodeFiles.open(at('log'), 'create')).close();
    const one = await nodeFiles.open(at('log'), 'append');
    const other = await nodeFiles.open(at('log'), 'append');
    await one.write(Buffer.from('a'));
    await other.write(Buffer.from('b'));
    await one.write(Buffer.from('c'));
    assert.equal(readFileSync(at('log'), 'utf8'), 'abc');
    const into = Buffer.alloc(10);
    assert.equal(await one.read(into, 1), 2);
    assert.equal((await one.facts()).size, 3);
    await one.close();
    await other.close();
  });

  it('never replaces a file by a link, and answers null for what is not there', async () => {
    writeFileSync(at('here'), 'here');
    writeFileSync(at('taken'), 'taken');
    await assert.rejects(nodeFiles.link(at('here'), at('taken')), { code: 'EEXIST' });
    assert.equal(await nodeFiles.facts(at('nothing')), null);
    await nodeFiles.remove(at('nothing'));
    await nodeFiles.syncDirectory(folder);
  });

  it('follows symbolic links to a file, to a folder, and to a place where nothing is yet', async () => {
    mkdirSync(at('data'));
    symlinkSync('data', at('folder-link'));
    symlinkSync('data/real.db', at('dangling'));
    symlinkSync('loop', at('loop'));
    writeFileSync(at('data/there.db'), '');
    assert.equal(await nodeFiles.resolve(at('folder-link/there.db')), at('data/there.db'));
    assert.equal(await nodeFiles.resolve(at('folder-link/not-yet.db')), at('data/not-yet.db'));
    assert.equal(await nodeFiles.resolve(at('dangling')), at('data/real.db'));
    await assert.rejects(nodeFiles.resolve(at('loop')), { code: 'ELOOP' });
  });

  it('reports what is done in a folder, where one kernel alone does it', { skip: !isLinux }, async () => {
    // What processes are is no file system: nothing of it is reported.
    assert.equal(await nodeFiles.listen?.('/proc', () => undefined), null);
    await assert.rejects(nodeFiles.listen?.(at('no-such-folder'), () => undefined) ?? Promise.resolve(), {
      code: 'ENOENT',
    });
    let events = 0;
    const stop = await nodeFiles.listen?.(folder, () => {
      events += 1;
    });
    // The tests may be on a file system that is shared with other machines.
    if (stop === null || stop === undefined) return;
    writeFileSync(at('reported'), 'a');
    for (const endMs = performance.now() + 5000; events === 0 && performance.now() < endMs; ) await sleep(10);
    assert.ok(events > 0);
    stop();
  });
});
