import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileToMake, refuseUnwritable, writeWhole } from '../../../src/commands/document/write-file.ts';

let folder = '';
let count = 0;

/** A new place to write to, in a folder of its own. */
const place = () => {
  const path = join(folder, String(count++));
  mkdirSync(path);
  return join(path, 'statusd.toml');
};

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-write-'));
});
after(() => {
  rmSync(folder, { recursive: true });
});

const usage = (message: RegExp) => (error: unknown) => {
  assert.equal((error as { code?: string }).code, 'usage');
  assert.match((error as Error).message, message);
  assert.ok((error as { hint?: string }).hint);
  return true;
};

describe('fileToMake', () => {
  it('is where the words lead, and no folder', () => {
    assert.equal(fileToMake('/etc', 'a/b.toml', 'statusd.toml'), '/etc/a/b.toml');
    assert.equal(fileToMake('/etc', '/b.toml', 'statusd.toml'), '/b.toml');
    for (const typed of ['a/', 'a//', '/', 'a/.', '..'])
      assert.throws(() => fileToMake('/etc', typed, 'statusd.toml'), usage(/names a folder$/));
  });
});

describe('writeWhole', () => {
  it('makes a file that only its owner may read, and leaves nothing beside it', async () => {
    const file = place();
    await writeWhole(file, 'text', false);
    assert.equal(readFileSync(file, 'utf8'), 'text');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(file, '..')), ['statusd.toml']);
  });

  it('leaves alone a file that came into being meanwhile', async () => {
    const file = place();
    writeFileSync(file, 'theirs');
    await assert.rejects(writeWhole(file, 'ours', false), usage(/exists already/));
    assert.equal(readFileSync(file, 'utf8'), 'theirs');
    assert.deepEqual(readdirSync(join(file, '..')), ['statusd.toml']);
  });

  it('does not follow a link to nowhere', async () => {
    const file = place();
    symlinkSync('nowhere', file);
    await assert.rejects(writeWhole(file, 'ours', false), usage(/exists already/));
    assert.deepEqual(readdirSync(join(file, '..')), ['statusd.toml']);
  });

  it('when forced, replaces the content of a file and keeps its mode', async () => {
    const file = place();
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    await writeWhole(file, 'new', true);
    assert.equal(readFileSync(file, 'utf8'), 'new');
    assert.equal(statSync(file).mode & 0o777, 0o640);
  });

  it('when forced, keeps the owner of a file', { skip: process.getuid?.() !== 0 }, async () => {
    const file = place();
    writeFileSync(file, 'old');
    chownSync(file, 12_345, 12_346);
    await writeWhole(file, 'new', true);
    const { uid, gid } = statSync(file);
    assert.deepEqual([readFileSync(file, 'utf8'), uid, gid], ['new', 12_345, 12_346]);
  });

  it('when forced, writes where a link points and leaves the link', async () => {
    const file = place();
    const real = join(file, '..', 'real.toml');
    writeFileSync(real, 'old');
    symlinkSync('real.toml', file);
    await writeWhole(file, 'new', true);
    assert.equal(readFileSync(real, 'utf8'), 'new');
    assert.deepEqual(readdirSync(join(file, '..')).sort(), ['real.toml', 'statusd.toml']);
  });

  it('says why when it cannot', async () => {
    await assert.rejects(writeWhole('/proc/statusd.toml', 'text', true), usage(/\/proc\/statusd.toml /));
    await assert.rejects(writeWhole(`/tmp/${'x'.repeat(300)}`, 'text', false), usage(/too long a name/));
  });
});

describe('refuseUnwritable', () => {
  it('lets a new file pass, and an old one when forced', async () => {
    const file = place();
    await refuseUnwritable(file, false);
    writeFileSync(file, '');
    await refuseUnwritable(file, true);
    await assert.rejects(refuseUnwritable(file, false), usage(/exists already/));
  });

  it('refuses a folder, a device and a missing folder, forced or not', async () => {
    const file = place();
    for (const isForced of [false, true]) {
      await assert.rejects(refuseUnwritable(join(file, '..'), isForced), usage(/is a folder/));
      await assert.rejects(refuseUnwritable('/dev/null', isForced), usage(/is no regular file/));
      await assert.rejects(refuseUnwritable(join(file, 'x', 'y'), isForced), usage(/does not exist/));
      await assert.rejects(refuseUnwritable('/etc/passwd/x', isForced), usage(/a path that is no folder/));
    }
  });
});
