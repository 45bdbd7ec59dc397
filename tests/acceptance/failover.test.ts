import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import {
  type LossyWay,
  lossyWay,
  type Postgres,
  query,
  skipWithoutPostgres,
  startPostgres,
} from '../support/postgres.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const leaseSecs = 5;
const token = 'a-token-of-the-tests';

interface Health {
  readonly role: string;
  readonly leader: string | null;
  readonly db_ok: boolean;
}

describe('two nodes on one database', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let target: Target;
  let isUp = true;
  let inbox: WebhookInbox;
  let ways: LossyWay[] = [];
  const folders = new Map<string, ReturnType<typeof makeFolder>>();
  const daemons = new Map<string, Daemon>();

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
    await Promise.all([...daemons.values()].map((daemon) => daemon.end('SIGKILL')));
    daemons.clear();
    await Promise.all(ways.map((way) => way.stop()));
    ways = [];
    await inbox.close();
    for (const folder of folders.values()) folder.remove();
    folders.clear();
  });

  const config = (id: string, database: string) =>
    nodeConfig({
      id,
      database,
      leaseSecs,
      inbox: inbox.url,
      server: `auth_token = "${token}"\nrate_limit_burst = 100000`,
    }) +
    `
[[monitors]]
id = "web"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0

[[monitors]]
id = "job"
kind = "push"
interval_secs = 60
push_token = "${token}"
`;
  const start = async (id: string, database = url): Promise<Daemon> => {
    const folder = folders.get(id) ?? makeFolder();
    folders.set(id, folder);
    writeFileSync(folder.at('statusd.toml'), config(id, database));
    const daemon = await startDaemon(folder.path);
    daemons.set(id, daemon);
    return daemon;
  };
  const end = async (id: string, signal: NodeJS.Signals) => {
    const daemon = daemons.get(id);
    daemons.delete(id);
    return daemon?.end(signal);
  };
  const health = async (daemon: Daemon): Promise<Health> =>
    (await (await fetch(`${daemon.url}healthz`)).json()) as Health;
  const leads = (daemon: Daemon) =>
    until(
      async () => (await health(daemon)).role === 'leader',
      () => 'it does not lead',
    );
  const push = (daemon: Daemon, message: string) =>
    fetch(`${daemon.url}api/push/job?msg=${message}`, { method: 'POST', headers: { 'x-push-token': token } });
  const cli = (id: string, ...args: string[]) => runCli(args, { cwd: folders.get(id)?.path ?? '' });
  const received = (event: string) => inbox.of(event, 'web').length;
  const hears = (event: string, count: number) =>
    until(
      () => received(event) >= count,
      () => `${event}: ${received(event)} of ${count}; ${inbox.messages.map((one) => one.event).join(', ')}`,
    );
  it('one leads, the other serves the same pages and hands heartbeats on', async () => {
    const a = await start('a');
    await leads(a);
    const b = await start('b');
    await b.says('node.standby');
    const { role, leader: known, db_ok } = await health(b);
    assert.deepEqual({ role, known, db_ok }, { role: 'standby', known: 'a', db_ok: true });
    const page = await fetch(b.url, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    await until(
      async () => /"id":"web".*?"status":"up"/s.test(await (await fetch(`${b.url}api/summary`)).text()),
      () => 'the standby does not know that web is up',
    );
    // It learns of the address of the leader when both have said that they are there.
    await until(
      async () => (await push(b, 'through-b')).status === 200,
      () => 'no heartbeat is taken',
    );
    assert.match(JSON.stringify(await query(url, 'SELECT payload FROM statusd.log')), /through-b/);

    const listed = await cli('b', 'nodes', '--json');
    const { leader, nodes } = JSON.parse(listed.stdout) as {
      leader: string;
      nodes: { id: string; role: string; is_config_same: boolean }[];
    };
    assert.equal(leader, 'a');
    assert.deepEqual(
      nodes.map(({ id, role, is_config_same }) => [id, role, is_config_same]),
      [
        ['a', 'leader', true],
        ['b', 'standby', true],
      ],
    );
    const doctor = JSON.parse((await cli('b', 'doctor', '--json')).stdout) as {
      checks: { check: string; verdict: string; message: string }[];
    };
    const said = doctor.checks
      .filter(({ check }) => check === 'database')
      .map(({ verdict, message }) => `${verdict}: ${message}`);
    assert.match(said[0] ?? '', /^(?:ok|warn): the database of \[storage\] answers in [\d.]+ ms$/);
    assert.deepEqual(said.slice(1), [
      'ok: a leads, 2 nodes in all',
      'ok: the table history takes 0.1 MB',
      'warn: a, b gave the others an address that leads to themselves',
    ]);
    assert.equal((await cli('b', 'silence', 'web', '1h')).code, 0);
    const silences = await cli('a', 'silence', 'list', '--json');
    assert.match(silences.stdout, /"web"/);
  });

  it('a graceful end hands over at once, and an outage that is open stays the same one', async () => {
    const a = await start('a');
    await leads(a);
    const b = await start('b');
    isUp = false;
    await hears('down', 1);
    assert.equal((await end('a', 'SIGTERM'))?.code, 0);
    const askedMs = performance.now();
    await leads(b);
    assert.ok(performance.now() - askedMs < leaseSecs * 1000, 'it waited for the end of the lease');
    isUp = true;
    await hears('recovered', 1);
    assert.equal(received('down'), 1);
    assert.equal(received('recovered'), 1);
  });

  it('one that was stopped, and outlived its lease, sends nothing and stands by', async () => {
    const a = await start('a');
    await leads(a);
    const b = await start('b');
    await b.says('node.standby');
    a.child.kill('SIGSTOP');
    isUp = false;
    await leads(b);
    await hears('down', 1);
    a.child.kill('SIGCONT');
    await a.says('node.steps_down');
    await until(
      async () => (await health(a)).role === 'standby',
      () => 'it does not stand by',
    );
    isUp = true;
    await hears('recovered', 1);
    assert.equal(received('down'), 1);
    assert.equal(received('recovered'), 1);
  });

  it('one that is cut off from the database steps down when the other reaches it', async () => {
    const way = await lossyWay(url);
    ways.push(way);
    const a = await start('a', way.url);
    await leads(a);
    const b = await start('b');
    await b.says('node.standby');
    // They meet once a lease.
    await pause((leaseSecs + 1) * 1000);
    await way.stop();
    ways = [];
    isUp = false;
    await leads(b);
    await a.says('node.steps_down');
    await hears('down', 1);
    await pause(leaseSecs * 1000);
    assert.equal(received('down'), 1);
    assert.equal((await health(a).catch(() => null))?.role ?? 'none', 'none');
  });

  it('nodes without their database go on watching and notifying, and lose nothing of it', async () => {
    const way = await lossyWay(url);
    ways.push(way);
    const a = await start('a', way.url);
    await leads(a);
    await way.stop();
    ways = [];
    isUp = false;
    await hears('down', 1);
    assert.equal((await health(a)).db_ok, false);
    assert.equal(inbox.of('down', 'job').length, 0);
    assert.equal((await push(a, 'refused')).status, 503);
  });
});
