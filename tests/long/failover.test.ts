import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runCli } from '../support/cli.ts';
import { type Daemon, until } from '../support/daemon.ts';
import { startHttp } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import { NodeWorld } from '../support/node-world.ts';
import { query, skipWithoutPostgres } from '../support/postgres.ts';

const leaseSecs = 5;
const token = 'a-token-of-the-tests';

describe('two nodes on one database', { skip: skipWithoutPostgres }, () => {
  const world = NodeWorld.ofSuite();
  const config = (id: string, database: string) =>
    nodeConfig({
      id,
      database,
      leaseSecs,
      inbox: world.alerts.url,
      server: `auth_token = "${token}"\nrate_limit_burst = 100000`,
    }) +
    `${world.monitor('web')}
[[monitors]]
id = "job"
kind = "push"
interval_secs = 60
push_token = "${token}"
`;
  const start = (id: string, database = world.database): Promise<Daemon> =>
    world.start(id, config(id, database));
  const push = (daemon: Daemon, message: string) =>
    fetch(`${daemon.url}api/push/job?msg=${message}`, { method: 'POST', headers: { 'x-push-token': token } });
  const cli = (id: string, ...args: string[]) => runCli(args, { cwd: world.folderOf(id).path });

  it('one leads, the other serves the same pages and hands heartbeats on', async () => {
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    const { role, leader: known, db_ok } = await world.health(b);
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
    const head = { method: 'HEAD', headers: { 'x-push-token': token } };
    const byHead = await fetch(`${b.url}api/push/job/?status=UP&ping=12ms&msg=head-through-b`, head);
    assert.deepEqual([byHead.status, byHead.redirected], [200, false]);
    const kept = JSON.stringify(await query(world.database, 'SELECT payload FROM statusd.log'));
    assert.match(kept, /[^-]through-b/);
    assert.match(kept, /head-through-b/);

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
      'warn: a, b announced an address that leads other nodes to themselves',
    ]);
    assert.equal((await cli('b', 'silence', 'web', '1h')).code, 0);
    const silences = await cli('a', 'silence', 'list', '--json');
    assert.match(silences.stdout, /"web"/);
  });

  it('a graceful end hands over at once, and an outage that is open stays the same one', async () => {
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    world.isUp = false;
    await world.hears('down', 1);
    assert.equal((await world.stop('a', 'SIGTERM')).code, 0);
    const askedMs = performance.now();
    await world.leads(b);
    assert.ok(performance.now() - askedMs < leaseSecs * 1000, 'it waited for the end of the lease');
    world.isUp = true;
    await world.hears('recovered', 1);
    assert.equal(world.received('down'), 1);
    assert.equal(world.received('recovered'), 1);
  });

  it('one that was stopped, and outlived its lease, sends nothing and stands by', async () => {
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    a.child.kill('SIGSTOP');
    world.isUp = false;
    await world.leads(b);
    await world.hears('down', 1);
    a.child.kill('SIGCONT');
    await a.says('node.steps_down');
    await until(
      async () => (await world.health(a)).role === 'standby',
      () => 'it does not stand by',
    );
    world.isUp = true;
    await world.hears('recovered', 1);
    assert.equal(world.received('down'), 1);
    assert.equal(world.received('recovered'), 1);
  });

  it('a file that is read while a leader steps down counts on the standby', async () => {
    const a = await start('a');
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    a.child.kill('SIGSTOP');
    await world.leads(b);
    // Without the job, so that the reload has something to write, which the database refuses.
    const [kept = ''] = config('a', world.database).split('[[monitors]]\nid = "job"');
    writeFileSync(world.folderOf('a').at('statusd.toml'), `${kept}[page]\ntitle = "The new title"\n`);
    a.child.kill('SIGHUP');
    a.child.kill('SIGCONT');
    await a.says('node.steps_down');
    await until(
      async () => (await world.health(a)).role === 'standby',
      () => 'it does not stand by',
    );
    await until(
      async () =>
        (await (await fetch(a.url, { headers: { accept: 'text/html' } })).text()).includes('The new title'),
      () => 'it forgot what it read',
    );
    // What happens is noticed all the same.
    world.isUp = false;
    await world.hears('down', 1);
    assert.equal(world.received('down'), 1);
  });

  it('one that was stopped between two attempts of a message does not make the next when another leads', async () => {
    const downs: string[] = [];
    const inbox = await startHttp((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const { event, delivery_id: id } = JSON.parse(body) as { event: string; delivery_id: string };
        if (event === 'down') downs.push(id);
        response.writeHead(downs.length === 1 ? 503 : 200, { 'retry-after': '8' }).end();
      });
    });
    try {
      const config = (id: string) =>
        nodeConfig({ id, database: world.database, leaseSecs, inbox: `${inbox.origin}/` }) +
        world.monitor('web');
      const a = await world.start('a', config('a'));
      await world.leads(a);
      const b = await world.start('b', config('b'));
      await b.says('node.standby');
      world.isUp = false;
      await until(
        () => downs.length === 1,
        () => 'nothing is sent',
      );
      a.child.kill('SIGSTOP');
      const stoppedMs = performance.now();
      await world.leads(b);
      await until(
        () => downs.length === 2,
        () => 'b sends nothing',
      );
      await pause(Math.max(0, 9000 - (performance.now() - stoppedMs)));
      a.child.kill('SIGCONT');
      await a.says('node.steps_down');
      await pause(2500);
      assert.deepEqual(downs, [downs[0], downs[0]]);
    } finally {
      await inbox.close();
    }
  });

  it('one that is cut off from the database steps down when the other reaches it', async () => {
    const way = await world.way();
    const a = await start('a', way.url);
    await world.leads(a);
    const b = await start('b');
    await b.says('node.standby');
    // They meet once a lease.
    await pause((leaseSecs + 1) * 1000);
    await world.cut(way);
    world.isUp = false;
    await world.leads(b);
    await a.says('node.steps_down');
    await world.hears('down', 1);
    await pause(leaseSecs * 1000);
    assert.equal(world.received('down'), 1);
    const { role, leader, db_ok: isReached } = await world.health(a);
    assert.deepEqual({ role, leader, isReached }, { role: 'standby', leader: null, isReached: false });
    // The database can be read, and nodes are known: what fails is said by the one that it fails for.
    const doctor = JSON.parse((await cli('b', 'doctor', '--json')).stdout) as {
      checks: { check: string; verdict: string; message: string }[];
    };
    assert.deepEqual(
      doctor.checks
        .filter(({ check, verdict }) => check === 'database' && verdict === 'fail')
        .map(({ message }) => message),
      ['a cannot write to the database of [storage]'],
    );
    const health = await cli('a', 'healthcheck', '--url', a.url);
    assert.equal(health.code, 1);
    assert.match(health.stdout, /^not healthy: the database is not written/);
  });

  it('nodes without their database go on watching and notifying, and lose nothing of it', async () => {
    const way = await world.way();
    const a = await start('a', way.url);
    await world.leads(a);
    await world.cut(way);
    world.isUp = false;
    await world.hears('down', 1);
    assert.equal((await world.health(a)).db_ok, false);
    assert.equal(world.alerts.of('down', 'job').length, 0);
    assert.equal((await push(a, 'refused')).status, 503);
  });
});
