import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import { openStore } from '../../../src/db/store/open-store.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { schema } from '../../../src/db/tables/schema/schema.ts';
import { runCli } from '../../support/cli.ts';
import { startDaemon } from '../../support/daemon.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';
import { makeFolder } from '../../support/tiny-store.ts';

describe('statusd migrate', { skip: skipWithoutPostgres }, () => {
  const folder = makeFolder();
  const cwd = folder.path;
  let postgres: Postgres;
  let url = '';
  const write = (storage: string) => {
    writeFileSync(
      folder.at('statusd.toml'),
      `[server]\nbind = "127.0.0.1:0"\ndatabase_path = "statusd.db"\n${storage}\n[[monitors]]\nid = "web"\ntarget = "http://127.0.0.1:1/"\n`,
    );
  };
  const withStorage = () => {
    write(`[storage]\nurl = "${url}"\n`);
  };
  const colourOf = async (file: string) => {
    const store = await openStore({ role: 'reader', file, schema, files: nodeFiles, clock: realClock });
    try {
      return meta.get(store.sql, 'colour');
    } finally {
      await store.close();
    }
  };
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    const file = folder.at('statusd.db');
    const store = await openStore({ role: 'writer', file, schema, files: nodeFiles, clock: realClock });
    await store.write([meta.set({ name: 'colour', value: 'green' })]);
    await store.close();
  });
  after(async () => {
    await postgres.stop();
    folder.remove();
  });

  it('wants to know where to', async () => {
    write('');
    const { code, stderr } = await runCli(['migrate'], { cwd });
    assert.equal(code, 2);
    assert.match(stderr, /this configuration has no \[storage\]/);
  });

  it('copies the file to the server, compares every table, and leaves the file as it is', async () => {
    withStorage();
    const was = readFileSync(folder.at('statusd.db-log.1'));
    const { code, stdout, stderr } = await runCli(['migrate', '--json'], { cwd });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const { tables, rows, from } = JSON.parse(stdout) as { tables: number; rows: number; from: string };
    assert.equal(from, folder.at('statusd.db'));
    assert.ok(tables > 20 && rows >= 1, `${tables} tables, ${rows} rows`);
    assert.deepEqual(readFileSync(folder.at('statusd.db-log.1')), was);
    assert.equal((await runCli(['backup', '-q', 'copy.db'], { cwd })).code, 0);
    assert.equal(await colourOf(folder.at('copy.db')), 'green');
  });

  it('puts nothing over a history that is there', async () => {
    const { code, stderr } = await runCli(['migrate'], { cwd });
    assert.equal(code, 4);
    assert.match(stderr, /the schema statusd of \[storage\] holds a history already/);
  });

  it('goes back to a file, not while a node leads, and never over a file', async () => {
    const daemon = await startDaemon(cwd);
    try {
      await daemon.says('node.leads');
      const busy = await runCli(['migrate', '--to-file'], { cwd });
      assert.equal(busy.code, 4);
      assert.match(busy.stderr, /leads the nodes that use the database/);
    } finally {
      await daemon.end('SIGTERM');
    }
    for (const end of ['db-log.1', 'db-lock.1'].filter((one) => existsSync(folder.at(`statusd.${one}`))))
      renameSync(folder.at(`statusd.${end}`), folder.at(`old.${end}`));
    const { code, stderr } = await runCli(['migrate', '--to-file'], { cwd });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.equal(await colourOf(folder.at('statusd.db')), 'green');
    const again = await runCli(['migrate', '--to-file'], { cwd });
    assert.equal(again.code, 2);
    assert.match(again.stderr, /statusd\.db exists already/);
  });
});
