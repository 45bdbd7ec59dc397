import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import initSqlJs from 'sql.js';
import { withKuma } from '../../../../src/commands/import/kuma/source.ts';
import { StatusdError } from '../../../../src/engine/core/errors.ts';
import { kumaDatabase } from '../../../support/kuma-database.ts';
import { household } from '../../../support/kuma-household.ts';
import { watchDatabases } from '../../../support/open-databases.ts';

let folder = '';

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-kuma-'));
});
after(() => {
  rmSync(folder, { recursive: true });
});

const file = (name: string, content: Uint8Array | string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const refused = (path: string, message: RegExp) =>
  assert.rejects(
    withKuma(path, () => null),
    (error: unknown) =>
      error instanceof StatusdError && error.code === 'usage' && message.test(error.message),
    path,
  );

describe('withKuma', () => {
  it('recognises a file by its content, whatever its name, and lets go of it', async () => {
    const opened = await watchDatabases();
    const database = file('a.json', await kumaDatabase('1.23', household('1.23')));
    assert.equal(await withKuma(database, ({ data }) => data.program), 'Uptime Kuma 1.x');
    const backup = file('b.db', '\ufeff {"version":"1.23.1","monitorList":[{"id":1,"type":"http"}]}');
    assert.equal(await withKuma(backup, ({ data, sql }) => sql === null && data.monitors.length), 1);
    assert.equal(opened(), 0);
  });

  it('refuses a damaged file, a foreign file and a missing file', async () => {
    const opened = await watchDatabases();
    const whole = await kumaDatabase('2.0', household('2.0'));
    const sqlite = await initSqlJs();
    const other = new sqlite.Database();
    other.run('CREATE TABLE notes (id)');
    await refused(file('cut', whole.slice(0, Math.floor(whole.length / 3))), /is damaged/);
    await refused(file('header', whole.slice(0, 60)), /is damaged/);
    const garbled = whole.map((byte, index) => (index > 100 && index < 60_000 ? byte ^ 0x5a : byte));
    await refused(file('garbled', garbled), /is damaged/);
    await refused(file('other', other.export()), /a SQLite database, but not one of Uptime Kuma/);
    other.close();
    for (const content of [
      '',
      'hello',
      '{"monitors":[]}',
      '{"monitorList":[',
      '[]',
      'null',
      '{"monitorList":5}',
    ]) {
      await refused(file('text', content), /neither a database nor a backup/);
    }
    await refused(file('nul', Uint8Array.of(0, 1, 2)), /neither a database nor a backup/);
    await refused(join(folder, 'missing'), /does not exist/);
    await refused(folder, /is a directory/);
    await refused('/dev/null', /is no regular file/);
    assert.equal(opened(), 0);
  });

  it('reads a database of 5 GB page by page, with rows beyond 4 GiB', async () => {
    const pageBytes = 4096;
    const page = 1_210_000;
    const sqlite = await initSqlJs();
    const database = new sqlite.Database(
      await kumaDatabase('1.23', {
        monitor: [{ id: 7, name: 'Shop', type: 'http', url: 'https://shop.example/' }],
        heartbeat: [
          { id: 1, monitor_id: 7, status: 1, important: 1, time: '2026-01-01 00:00:00.000', msg: 'far' },
        ],
      }).then((bytes) => bytes.fill(1, 18, 20)),
    );
    const named = database.exec("SELECT rootpage FROM sqlite_master WHERE name = 'heartbeat'");
    const root = named[0]?.values[0]?.[0];
    database.run('PRAGMA writable_schema = ON');
    database.run("UPDATE sqlite_master SET rootpage = ? WHERE name = 'heartbeat'", [page]);
    const bytes = Buffer.from(database.export());
    database.close();
    // The table begins in a page far behind the others, and the header says how many pages there are.
    bytes.writeUInt32BE(page, 28);
    bytes.fill(2, 18, 20);
    const path = file('large.db', bytes);
    const handle = await open(path, 'r+');
    const start = (Number(root) - 1) * pageBytes;
    await handle.write(bytes, start, pageBytes, (page - 1) * pageBytes);
    await handle.close();
    const before = process.memoryUsage.rss();
    const said = await withKuma(path, ({ data, sql }) => [
      data.monitors[0]?.name,
      sql?.get('SELECT msg FROM heartbeat WHERE id = 1', [], (row) => row.text('msg')),
    ]);
    assert.deepEqual(said, ['Shop', 'far']);
    const grownBytes = process.memoryUsage.rss() - before;
    assert.ok(grownBytes < 200_000_000, `${grownBytes} bytes of memory`);
  });

  it('reads whatever types the columns hold', async () => {
    const bytes = await kumaDatabase('2.0', {
      monitor: [
        {
          id: 1,
          name: 5,
          type: 'http',
          url: 'https://a.example/',
          interval: 'often',
          port: 'x',
          active: 'yes',
        },
      ],
      monitor_tag: [{ monitor_id: 1, tag_id: 9 }],
    });
    const [monitor] = await withKuma(file('odd', bytes), ({ data }) => data.monitors);
    assert.deepEqual([monitor?.name, monitor?.intervalSecs, monitor?.port], ['5', 60, null]);
  });
});
