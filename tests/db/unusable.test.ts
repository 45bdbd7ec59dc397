import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { spawnSync } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { StatusdError } from '../../src/engine/core/errors.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import { openSql } from '../../src/db/store/sql.ts';
import { type Role } from '../../src/db/store/store.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import { watchDatabases } from '../support/open-databases.ts';
import { realClock } from '../support/real-clock.ts';
import { notes, tinySchema } from '../support/tiny-schema.ts';
import { makeFolder, openTiny, readOnly } from '../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);
const roles: readonly Role[] = ['daemon', 'writer', 'reader'];

/** A database with a note in its snapshot and one in its log; `count` checkpoints. */
async function made(name: string, count = 2): Promise<string> {
  const file = folder.at(name);
  const daemon = await openTiny(file, { role: 'daemon' });
  for (let index = 0; index < count; index += 1) {
    await daemon.write([['note', `note ${index}`]]);
    await daemon.checkpoint();
  }
  await daemon.close();
  return file;
}

/** Every role gets a clear message that names the file and says what to do, and the file stays as it is. */
async function refused(file: string, message: RegExp, hint = /.{10}/): Promise<void> {
  const before = statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file) : null;
  // A claim of an earlier daemon is superseded by the next one, which is no file more.
  const beside = () =>
    (existsSync(dirname(file)) ? readdirSync(dirname(file)) : [])
      .filter((name) => name.startsWith(`${basename(file)}-`))
      .map((name) => name.replace(/-lock\.\d+$/, '-lock'));
  const besideBefore = beside();
  const leftOpen = await watchDatabases();
  for (const role of roles) {
    const error: unknown = await openTiny(file, { role }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof StatusdError, `${role} got ${String(error)}`);
    assert.equal(error.code, 'store_unusable');
    assert.match(error.message, message);
    assert.ok(error.message.includes(file) || error.message.includes(`${dirname(file)}:`), error.message);
    assert.match(error.hint ?? '', hint, error.message);
  }
  if (before !== null) assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(beside(), besideBefore);
  assert.equal(leftOpen(), 0);
}

describe('a pipe with the name of a file of a database', () => {
  for (const ending of ['-lock.2', '-log.9', '-prev', ''])
    it(`is an error or passed over, and never waited for (statusd.db${ending})`, async () => {
      const file = await made(`fifo${ending}.db`);
      const pipe = `${file}${ending}`;
      rmSync(pipe, { force: true });
      spawnSync('mkfifo', [pipe]);
      for (const role of roles) {
        const store = await openTiny(file, { role }).catch((error: unknown) => {
          assert.ok(error instanceof StatusdError, `${role} got ${String(error)}`);
          assert.match(error.message, /is no regular file/);
          assert.ok(error.message.includes(pipe), error.message);
          return null;
        });
        await store?.close();
      }
    });
});

describe('a file that is no usable database', () => {
  it('because it is empty', async () => {
    writeFileSync(folder.at('empty.db'), '');
    await refused(folder.at('empty.db'), /it is empty \(0 bytes\)/);
  });

  it('because it is a text', async () => {
    writeFileSync(folder.at('text.db'), 'hello\n'.repeat(100));
    await refused(folder.at('text.db'), /it is not a SQLite database/);
  });

  it('because another program made it', async () => {
    const sql = await openSql(null);
    sql.script('CREATE TABLE heartbeat (id INTEGER PRIMARY KEY)');
    writeFileSync(folder.at('kuma.db'), sql.exportPages());
    const hint = /`statusd import kuma --history FILE`/;
    await refused(folder.at('kuma.db'), /a SQLite database of another program/, hint);
  });

  it('because a newer version made it', async () => {
    const file = folder.at('newer.db');
    await (await openTiny(file, { role: 'daemon', version: 2 })).close();
    await refused(file, /a newer version of statusd wrote it/);
  });

  it('because it is a folder', async () => {
    mkdirSync(folder.at('folder.db'));
    await refused(folder.at('folder.db'), /it is a folder/);
  });

  it('because it is a pipe, which is not waited for', async () => {
    assert.equal(spawnSync('mkfifo', [folder.at('pipe.db')]).status, 0);
    await refused(folder.at('pipe.db'), /it is no regular file/);
  });

  it('because its folder is missing', async () => {
    await refused(folder.at('nowhere/statusd.db'), /no such file or folder/);
  });

  it('because it and everything to rebuild it from is damaged', async () => {
    const file = await made('hopeless.db');
    for (const name of [file, `${file}-prev`]) {
      const bytes = readFileSync(name);
      bytes.fill(0xaa, 5000, 6000);
      writeFileSync(name, bytes);
    }
    await refused(file, /its checksum does not fit its contents/);
  });

  it('because it is missing although its logs are there', async () => {
    const file = await made('lost.db');
    unlinkSync(file);
    unlinkSync(`${file}-prev`);
    await refused(file, /it is missing, although its other files are there/);
    assert.equal(readdirSync(folder.path).includes('lost.db'), false);
  });

  it('because its file system is read-only, which neither a reader nor a daemon minds', async () => {
    const file = await made('read-only.db');
    const before = readdirSync(folder.path);
    const bytes = readFileSync(file);
    for (const name of ['read-only.db', 'read-only-new.db']) {
      const files = readOnly(nodeFiles);
      await assert.rejects(openTiny(folder.at(name), { role: 'writer', files }), (error) => {
        assert.ok(error instanceof StatusdError);
        assert.equal(error.code, 'store_unusable');
        assert.match(error.message, /^cannot use the database .*: the file system is read-only$/);
        assert.ok(error.message.includes(folder.at(name)), error.message);
        assert.ok(!error.message.includes('-tmp.'), error.message);
        assert.equal(error.hint, 'Mount it for writing, or point server.database_path elsewhere.');
        return true;
      });
      const daemon = await openTiny(folder.at(name), { role: 'daemon', files });
      assert.equal(daemon.health().reason, `cannot write ${folder.at(name)}: the file system is read-only`);
      assert.equal(notes(daemon.sql).length, name === 'read-only.db' ? 2 : 0);
      await daemon.close();
    }
    const reader = await openTiny(file, { role: 'reader', files: readOnly(nodeFiles) });
    assert.equal(notes(reader.sql).length, 2);
    await reader.close();
    assert.deepEqual(readdirSync(folder.path), before);
    assert.deepEqual(readFileSync(file), bytes);
  });

  it('because this user may not read it, or write it', async () => {
    const file = await made('forbidden.db');
    for (const [code, isRefused, message] of [
      ['EACCES', (mode: string) => mode !== '', /permission denied/],
      ['EROFS', (mode: string) => mode !== 'read', /the file system is read-only/],
    ] as const) {
      const files: typeof nodeFiles = {
        ...nodeFiles,
        open: (path, mode) =>
          isRefused(mode)
            ? Promise.reject(Object.assign(new Error(code), { code, path }))
            : nodeFiles.open(path, mode),
      };
      const opening = openStore({ role: 'writer', file, schema: tinySchema(), files, clock: realClock });
      await assert.rejects(opening, (error: unknown) => {
        assert.ok(error instanceof StatusdError);
        assert.equal(error.code, 'store_unusable');
        assert.match(error.message, message);
        return error.message.includes('forbidden.db');
      });
    }
  });
});

describe('a damaged database that can be rebuilt', () => {
  it('is read by everybody, with a warning, and repaired by the daemon, which keeps the damaged file', async () => {
    const file = await made('damaged.db');
    const bytes = readFileSync(file);
    bytes[9000] = (bytes[9000] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const reader = await openTiny(file, { role: 'reader' });
    assert.equal(notes(reader.sql).length, 2);
    assert.match(reader.warnings()[0]?.message ?? '', /damaged\.db is damaged: its checksum does not fit/);
    await reader.close();
    assert.deepEqual(readFileSync(file), bytes);

    const daemon = await openTiny(file, { role: 'daemon' });
    assert.equal(notes(daemon.sql).length, 2);
    await daemon.close();
    const aside = readdirSync(folder.path).filter((name) => name.startsWith('damaged.db.damaged-'));
    assert.equal(aside.length, 1);
    assert.deepEqual(readFileSync(folder.at(aside[0] ?? '')), bytes);
    const again = await openTiny(file, { role: 'reader' });
    assert.equal(notes(again.sql).length, 2);
    assert.deepEqual(again.warnings(), []);
    await again.close();
  });

  it('is taken as it is when another program rewrote it, and nothing else is there', async () => {
    const file = await made('vacuumed.db');
    const bytes = readFileSync(file);
    for (const name of readdirSync(folder.path)) if (name.startsWith('vacuumed.db')) rmSync(folder.at(name));
    writeFileSync(file, bytes.subarray(0, bytes.length - 64));
    const daemon = await openTiny(file, { role: 'daemon' });
    assert.equal(notes(daemon.sql).length, 2);
    assert.ok(daemon.warnings().some(({ message }) => message.includes('its checksum is missing')));
    await daemon.close();
  });

  it('is opened without its logs, with a warning', async () => {
    const file = await made('alone.db');
    for (const name of readdirSync(folder.path)) if (name.startsWith('alone.db-')) rmSync(folder.at(name));
    const daemon = await openTiny(file, { role: 'daemon' });
    assert.equal(notes(daemon.sql).length, 2);
    assert.match(
      daemon.warnings()[0]?.message ?? '',
      /alone\.db-log\.\d+ is missing; the changes in it are lost/,
    );
    await daemon.close();
    const reader = await openTiny(file, { role: 'reader' });
    assert.deepEqual(reader.warnings(), []);
    await reader.close();
  });
});
