import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import { type Postgres, query, skipWithoutPostgres, startPostgres } from '../support/postgres.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const leaseSecs = 5;

describe('nodes whose database is ill', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let target: Target;
  let isUp = true;
  let inbox: WebhookInbox;
  let folders: ReturnType<typeof makeFolder>[] = [];
  let daemons: Daemon[] = [];

  before(async () => {
    postgres = await startPostgres();
    target = await startHttp((_, response) => response.writeHead(isUp ? 200 : 503).end());
  });
  after(async () => {
    await target.close();
    await postgres.stop();
  });
  beforeEach(async () => {
    url = await postgres.database();
    inbox = await openWebhookInbox();
    isUp = true;
  });
  afterEach(async () => {
    await Promise.all(daemons.map((daemon) => daemon.end('SIGKILL')));
    for (const folder of folders) folder.remove();
    daemons = [];
    folders = [];
    await inbox.close();
  });

  const monitor = (id: string) => `
[[monitors]]
id = "${id}"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`;
  const write = (folder: ReturnType<typeof makeFolder>, id: string, ...monitors: readonly string[]) => {
    const head = nodeConfig({ id, database: url, leaseSecs, inbox: inbox.url });
    writeFileSync(folder.at('statusd.toml'), head + monitors.map(monitor).join(''));
  };
  const start = async (id: string): Promise<Daemon> => {
    const folder = makeFolder();
    folders.push(folder);
    write(folder, id, 'web');
    const daemon = await startDaemon(folder.path);
    daemons.push(daemon);
    return daemon;
  };
  const health = async (daemon: Daemon) =>
    (await (await fetch(`${daemon.url}healthz`)).json()) as {
      readonly role: string;
      readonly leader: string | null;
      readonly db_ok: boolean;
    };
  const leads = (daemon: Daemon) =>
    until(
      async () => (await health(daemon)).role === 'leader',
      () => 'it does not lead',
    );
  const received = (event: string) => inbox.of(event, 'web').length;
  const hears = (event: string, count: number) =>
    until(
      () => received(event) >= count,
      () => `${event}: ${received(event)} of ${count}`,
    );
  const isHeldBy = (id: string) =>
    until(
      async () => (await query(url, 'SELECT holder FROM statusd.place'))[0]?.['holder'] === id,
      () => `${id} does not hold the lease`,
    );

  it('one that loses the lease before it could lead with it stands by, and leads later', async () => {
    const a = await start('a');
    await leads(a);
    await query(
      url,
      "UPDATE statusd.place SET epoch = epoch + 1, holder = 'z', until = now() + interval '1 h'",
    );
    await a.says('node.standby');
    const locking = new pg.Client({ connectionString: url });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE statusd.log IN ACCESS EXCLUSIVE MODE');
    await query(url, "UPDATE statusd.place SET holder = NULL, until = now() - interval '1 s'");
    await isHeldBy('a');
    // Longer than one of its statements may take.
    await pause(leaseSecs * 400);
    await query(
      url,
      "UPDATE statusd.place SET epoch = epoch + 1, holder = NULL, until = now() - interval '1 s'",
    );
    await pause(leaseSecs * 400);
    await locking.end();
    await a.says('node.leads', 2);
    isUp = false;
    await hears('down', 1);
    assert.equal(received('down'), 1);
  });

  it('an outage is notified, and its end, also when the database lost its last records in a failover', async () => {
    const a = await start('a');
    await leads(a);
    await until(
      async () => Number((await query(url, 'SELECT seq FROM statusd.place'))[0]?.['seq']) > 5,
      () => 'nothing is written',
    );
    await query(
      url,
      `WITH place AS (UPDATE statusd.place SET seq = seq - 3 RETURNING seq)
       DELETE FROM statusd.log USING place WHERE log.seq > place.seq`,
    );
    isUp = false;
    await hears('down', 1);
    isUp = true;
    await hears('recovered', 1);
    assert.equal(received('down'), 1);
    assert.equal(received('recovered'), 1);
    assert.match((await a.says('node.steps_down')).message, /went back to an earlier state/);
    assert.equal((await health(a)).role, 'leader');
  });

  it('the one that leads goes on when the server takes no writes, though the others can read', async () => {
    const a = await start('a');
    await leads(a);
    const b = await start('b');
    await b.says('node.standby');
    // They meet once a lease.
    await pause((leaseSecs + 1) * 1000);
    const writes = async (isOn: boolean) => {
      const name = String((await query(url, 'SELECT current_database() AS name'))[0]?.['name']);
      await query(
        url,
        `BEGIN READ WRITE; ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn ? 'off' : 'on'}; COMMIT`,
      );
      await query(
        url,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    };
    await writes(false);
    isUp = false;
    await hears('down', 1);
    assert.equal((await health(a)).role, 'leader');
    assert.deepEqual(await health(b).then(({ role, db_ok }) => ({ role, db_ok })), {
      role: 'standby',
      db_ok: false,
    });
    const doctor = await runCli(['doctor', '--json'], { cwd: folders[1]?.path ?? '' });
    assert.match(doctor.stdout, /"the database of \[storage\] takes no writes"/);
    await writes(true);
    isUp = true;
    await hears('recovered', 1);
    await until(
      async () => (await health(b)).db_ok,
      () => 'it stays ill',
    );
    assert.equal(received('down'), 1);
    assert.equal(received('recovered'), 1);
    assert.equal((await health(a)).role, 'leader');
  });
});
