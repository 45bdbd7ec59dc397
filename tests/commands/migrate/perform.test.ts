import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { tableDigests, type Uncompared } from '../../../src/db/store/compare.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { pruneSamples } from '../../../src/db/tables/retention/prune.ts';
import { packHours, samples } from '../../../src/db/tables/samples.ts';
import { startCli } from '../../support/cli.ts';
import { startDaemon, until } from '../../support/daemon.ts';
import { runHere } from '../../support/operator-world.ts';
import { lossyWay, type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { makeFolder } from '../../support/tiny-store.ts';
import { openRealStore } from '../../support/real-store.ts';

const hourMs = 3_600_000;

/** Ten days of a check an hour, with an outage and its reasons, packed. */
function history(nowAt: number) {
  const lastHour = Math.floor(nowAt / hourMs) - 2;
  const kept = Array.from({ length: 240 }, (_, index) =>
    samples.add({
      monitor: 'web',
      at: (lastHour - 239 + index) * hourMs + 1_800_000,
      status: index % 50 === 0 ? 'down' : 'up',
      latencyMs: index % 50 === 0 ? null : 100 + (index % 30),
      holdSecs: 4000,
      isHeartbeat: false,
      category: index % 50 === 0 ? 'timeout' : null,
      message: index % 50 === 0 ? `no answer in ${index} ms` : null,
    }),
  );
  return [...kept, packHours({ monitor: 'web', hour: lastHour })];
}

describe('statusd migrate', { skip: skipWithoutPostgres }, () => {
  const folder = makeFolder();
  const cwd = folder.path;
  const run = (...args: readonly string[]) => runHere(args, { cwd });
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
    const store = await openRealStore(file, { role: 'reader' });
    try {
      return meta.get(store.sql, 'colour');
    } finally {
      await store.close();
    }
  };
  const digestsOf = async (file: string, uncompared: Uncompared = {}) => {
    const store = await openRealStore(file, { role: 'reader' });
    try {
      return tableDigests(store.sql, { monitors: ['pruned_before'], remarks: ['id'], ...uncompared });
    } finally {
      await store.close();
    }
  };
  const hoursIn = async (file: string) => (await digestsOf(file)).get('packed_hours')?.rows ?? 0;
  let original = new Map<string, unknown>() as Awaited<ReturnType<typeof digestsOf>>;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    const file = folder.at('statusd.db');
    const store = await openRealStore(file, { role: 'writer' });
    await store.write([meta.set({ name: 'colour', value: 'green' }), ...history(Date.now())]);
    await store.close();
  });
  after(async () => {
    await postgres.stop();
    folder.remove();
  });

  it('wants to know where to', async () => {
    write('');
    const { code, stderr } = await run('migrate');
    assert.equal(code, 2);
    assert.match(stderr, /this configuration has no \[storage\]/);
  });

  it('leaves the server to the next try at once when it fails', async () => {
    const broken = await postgres.database();
    write(`[storage]\nurl = "${broken}"\n`);
    const client = new pg.Client({ connectionString: broken });
    await client.connect();
    try {
      // What refuses it is on the table of the snapshots, which the first try makes.
      await client.query(`CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF to_regclass('statusd.snapshot') IS NOT NULL AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'refusing') THEN
            CREATE FUNCTION public.refuse_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''the disk of the server is full''; END';
            CREATE TRIGGER refusing BEFORE INSERT ON statusd.snapshot EXECUTE FUNCTION public.refuse_row();
          END IF;
        END $$`);
      await client.query(
        "CREATE EVENT TRIGGER refuse ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION refuse()",
      );
      const failed = await run('migrate');
      assert.equal(failed.code, 4, failed.stderr);
      assert.match(failed.stderr, /the disk of the server is full/);
      await client.query('DROP EVENT TRIGGER refuse');
      await client.query('DROP TRIGGER refusing ON statusd.snapshot');
      const again = await run('migrate');
      assert.equal(again.code, 0, again.stderr);
      assert.match(again.stdout, / rows, the same as in .*statusd\.db/);
    } finally {
      await client.end();
    }
  });

  it('ends with 130 at the first signal, and leaves the server to the next try at once', async () => {
    const slow = await postgres.database();
    const way = await lossyWay(slow);
    way.delay(60);
    write(`[storage]\nurl = "${way.url}"\n`);
    const client = new pg.Client({ connectionString: slow });
    await client.connect();
    try {
      const { child, exited } = startCli(['migrate'], { cwd });
      const isAtWork = () =>
        client.query<{ holder: string | null }>('SELECT holder FROM statusd.place').then(
          ({ rows }) => rows[0]?.holder === 'migrate',
          () => false,
        );
      await until(isAtWork, () => 'it never begins');
      child.kill('SIGTERM');
      const { code, stderr } = await exited;
      assert.deepEqual({ code, stderr }, { code: 130, stderr: 'statusd: interrupted\n' });
      assert.equal((await client.query('SELECT FROM statusd.snapshot')).rowCount, 0);
      const again = await run('migrate');
      assert.equal(again.code, 0, again.stderr);
    } finally {
      await client.end();
      await way.stop();
    }
  });

  it('says so when another one is at work, or was ended a moment ago', async () => {
    const held = await postgres.database();
    write(`[storage]\nurl = "${held}"\n`);
    const client = new pg.Client({ connectionString: held });
    await client.connect();
    try {
      assert.equal((await run('migrate')).code, 0);
      await client.query('DELETE FROM statusd.snapshot');
      await client.query(
        "UPDATE statusd.place SET holder = 'migrate', until = clock_timestamp() + interval '100 seconds'",
      );
      const { code, stderr } = await run('migrate');
      assert.equal(code, 4, stderr);
      assert.match(stderr, /another statusd migrate is at work/);
      assert.match(stderr, /killed, try again in 2 minutes/);
    } finally {
      await client.end();
    }
  });

  it('copies the file to the server, compares every table, and leaves the file as it is', async () => {
    withStorage();
    const was = readFileSync(folder.at('statusd.db-log.1'));
    const { code, stdout, stderr } = await run('migrate', '--json');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const { tables, rows, from } = JSON.parse(stdout) as { tables: number; rows: number; from: string };
    assert.equal(from, folder.at('statusd.db'));
    assert.ok(tables > 20 && rows >= 1, `${tables} tables, ${rows} rows`);
    assert.deepEqual(readFileSync(folder.at('statusd.db-log.1')), was);
    original = await digestsOf(from);
    assert.equal(original.get('packed_hours')?.rows, 240);
  });

  it('keeps the samples of the last days in memory alone, and says so of a backup', async () => {
    const plain = await run('backup', '-q', 'copy.db');
    assert.equal(plain.code, 0);
    assert.match(
      plain.stderr,
      /warning: .*copy\.db has no samples older than 48 hours: they are in the table history of \[storage\]; --with-history copies them, too/,
    );
    assert.equal(await colourOf(folder.at('copy.db')), 'green');
    const short = await hoursIn(folder.at('copy.db'));
    assert.ok(short >= 46 && short <= 48, `${short} hours`);
    const whole = await run('backup', '-q', '--with-history', 'whole.db');
    assert.deepEqual({ code: whole.code, stderr: whole.stderr }, { code: 0, stderr: '' });
    assert.deepEqual(await digestsOf(folder.at('whole.db')), original);
  });

  it('copies a history whose samples are kept for less time than its rollups', async () => {
    const elsewhere = await postgres.database();
    const names = { file: folder.at('short.db'), whole: folder.at('short-whole.db') };
    const hour = Math.floor(Date.now() / hourMs) - 2;
    const kept = Array.from({ length: 60 * 24 }, (_, index) => ({
      at: (hour - 60 * 24 + index) * hourMs + 60_000,
      status: 'up' as const,
      latencyMs: 100 + ((index * 7) % 90),
      holdSecs: 4000,
      isHeartbeat: false,
    }));
    const store = await openRealStore(names.file, { role: 'writer' });
    await store.write([
      ...samples.addHistory('web', kept),
      pruneSamples({ monitor: 'web', before: hour - 20 * 24 }),
    ]);
    await store.close();
    const config = (end: string) =>
      `[server]\nbind = "127.0.0.1:0"\ndatabase_path = "short.db"\n${end}\n[[monitors]]\nid = "web"\ntarget = "http://127.0.0.1:1/"\n`;
    writeFileSync(folder.at('short.toml'), config(`[storage]\nurl = "${elsewhere}"`));
    const there = await run('migrate', '--config', 'short.toml');
    assert.deepEqual({ code: there.code, stderr: there.stderr }, { code: 0, stderr: '' });
    const client = new pg.Client({ connectionString: elsewhere });
    await client.connect();
    const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM statusd.history');
    await client.end();
    assert.ok((rows[0]?.n ?? 0) > 17 * 24, `${rows[0]?.n} rows`);
    const backup = await run('backup', '-q', '--with-history', '--config', 'short.toml', names.whole);
    assert.deepEqual({ code: backup.code, stderr: backup.stderr }, { code: 0, stderr: '' });
    // Nothing shows the latencies of hours whose samples are gone, nor those of days that the heatmap is past.
    const unshown = { hourly: ['latencies', 'latency_min_ms', 'latency_max_ms'], daily: ['latencies'] };
    assert.deepEqual(await digestsOf(names.whole, unshown), await digestsOf(names.file, unshown));
    withStorage();
  });

  it('lets commands read what was moved', async () => {
    const at = new Date(Math.floor(Date.now() / hourMs) * hourMs - 200 * hourMs).toISOString();
    const explained = await run('explain', 'web', '--at', at, '--json');
    assert.equal(explained.code, 0, explained.stderr);
    const tuned = await run('tune', 'web', '--days', '11', '--json');
    assert.equal(tuned.code, 0, tuned.stderr);
    const {
      monitors: [web],
    } = JSON.parse(tuned.stdout) as { monitors: [{ samples: number }] };
    assert.equal(web.samples, 240);
  });

  it('puts nothing over a history that is there', async () => {
    const { code, stderr } = await run('migrate');
    assert.equal(code, 4);
    assert.match(stderr, /the schema statusd of \[storage\] holds a history already/);
  });

  it('goes back to a file, not while a node leads, and never over a file', async () => {
    const daemon = await startDaemon(cwd);
    try {
      await daemon.says('node.leads');
      const busy = await run('migrate', '--to-file');
      assert.equal(busy.code, 4);
      assert.match(busy.stderr, /leads the nodes that use the database/);
    } finally {
      await daemon.end('SIGTERM');
    }
    for (const end of ['db-log.1', 'db-lock.1'].filter((one) => existsSync(folder.at(`statusd.${one}`))))
      renameSync(folder.at(`statusd.${end}`), folder.at(`old.${end}`));
    const { code, stderr } = await run('migrate', '--to-file');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.equal(await colourOf(folder.at('statusd.db')), 'green');
    assert.equal(await hoursIn(folder.at('statusd.db')), 240);
    const again = await run('migrate', '--to-file');
    assert.equal(again.code, 2);
    assert.match(again.stderr, /statusd\.db exists already/);
  });
});
