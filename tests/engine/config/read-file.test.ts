import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { maxFileBytes, readRegularFile, readSmallFile } from '../../../src/engine/config/read-file.ts';

describe('reading a small file', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'statusd-read-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('gives its bytes', async () => {
    const file = join(folder, 'a');
    await writeFile(file, 'content');
    assert.equal(Buffer.from(await readSmallFile(file)).toString(), 'content');
  });

  it('stops a byte past the limit, so that the caller notices', async () => {
    assert.equal((await readSmallFile('/dev/zero')).length, maxFileBytes + 1);
  });

  it('does not wait for a pipe that nobody writes to', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', `mkfifo '${pipe}'`]);
    assert.equal((await readSmallFile(pipe)).length, 0);
  });

  it('waits for a pipe whose writer is late, to its end', async () => {
    const pipe = join(folder, 'late');
    execFileSync('sh', ['-c', `mkfifo '${pipe}'`]);
    const writer = await open(pipe, 'r+');
    const reading = readSmallFile(pipe);
    for (const text of ['a', 'b']) {
      await setTimeout(50);
      await writer.write(text);
    }
    await setTimeout(50);
    await writer.close();
    assert.equal(Buffer.from(await reading).toString(), 'ab');
  });

  it('waits no longer than asked to for a pipe that brings nothing', async () => {
    const pipe = join(folder, 'silent');
    execFileSync('sh', ['-c', `mkfifo '${pipe}'`]);
    const writer = await open(pipe, 'r+');
    await assert.rejects(readSmallFile(pipe, maxFileBytes, 30), { code: 'EAGAIN' });
    await writer.close();
  });

  it('takes regular files alone where no user named the file, and none that is larger', async () => {
    const file = join(folder, 'regular');
    await writeFile(file, 'content');
    assert.equal((await readRegularFile(file)).toString(), 'content');
    await assert.rejects(readRegularFile(file, 6), { code: 'EFBIG' });
    const pipe = join(folder, 'nobody');
    execFileSync('mkfifo', [pipe]);
    await assert.rejects(readRegularFile(pipe), { code: 'EFTYPE' });
    await assert.rejects(readRegularFile('/dev/zero'), { code: 'EFTYPE' });
    await assert.rejects(readRegularFile(folder), { code: 'EISDIR' });
    const sparse = join(folder, 'sparse');
    await writeFile(sparse, '');
    await truncate(sparse, 10 * 1024 ** 3);
    await assert.rejects(readRegularFile(sparse), { code: 'EFBIG' });
  });

  it('fails as the system does', async () => {
    await assert.rejects(readSmallFile(join(folder, 'none')), { code: 'ENOENT' });
    await assert.rejects(readSmallFile(folder), { code: 'EISDIR' });
  });
});
