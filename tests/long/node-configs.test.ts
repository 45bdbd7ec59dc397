/** Nodes with different configuration files: real daemons, a real PostgreSQL, targets on loopback. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runCli } from '../support/cli.ts';
import { type Daemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import { NodeWorld } from '../support/node-world.ts';
import { skipWithoutPostgres } from '../support/postgres.ts';

const leaseSecs = 5;

describe('nodes with different files', { skip: skipWithoutPostgres }, () => {
  const world = NodeWorld.ofSuite();
  let other: Target;
  /** What `m5` watches: up, down, or silent. */
  let m5: 'up' | 'down' | 'hangs' = 'up';
  before(async () => {
    other = await startHttp((_, response) => {
      if (m5 !== 'hangs') response.writeHead(m5 === 'up' ? 200 : 503).end();
    });
  });
  after(() => other.close());

  const head = (id: string, { node = '', channel = true, windowSecs = 0 } = {}) =>
    nodeConfig({
      id,
      database: world.database,
      leaseSecs,
      windowSecs,
      node: `token = "of-the-nodes"\n${node}`,
      ...(channel && { inbox: world.alerts.url }),
    });
  const monitorM5 = (timeoutSecs = 1) => `
[[monitors]]
id = "m5"
target = "${other.origin}/"
interval_secs = 1
timeout_secs = ${timeoutSecs}
probe_retries = 0
`;
  const newFile = (id: string) => head(id) + world.monitor('web') + monitorM5();
  const oldFile = (id: string) => head(id) + world.monitor('web');
  const of5 = (event: string) => world.alerts.of(event, 'm5').length;
  const hears5 = (event: string) =>
    until(
      () => of5(event) > 0,
      () => `no ${event} of m5`,
    );
  const openIncidents = async (daemon: Daemon) => {
    const answer = (await (await fetch(`${daemon.url}api/incidents`)).json()) as {
      incidents: { monitor: string; ended_at: string | null }[];
    };
    return answer.incidents.filter(({ ended_at }) => ended_at === null).length;
  };
  const healthOf = async ({ url }: Daemon) => {
    const answer = await fetch(`${url}healthz`);
    const body = (await answer.json()) as { reason: string | null; config_same: boolean };
    return { code: answer.status, ...body };
  };
  /** Resolves when the message was recorded as sent: one on its way would be sent again by the next leader. */
  const isRecorded = async (id: string) => {
    let stdout = '';
    for (let tries = 0; tries < 50; tries += 1) {
      ({ stdout } = await runCli(['outbox', '--json'], { cwd: world.folderOf(id).path }));
      if ((JSON.parse(stdout) as { deliveries: unknown[] }).deliveries.length === 0) return;
      await pause(100);
    }
    assert.fail(stdout);
  };
  /** Both are known to each other and the outage of m5 is notified. */
  const startWithOutage = async () => {
    m5 = 'up';
    const a = await world.start('a', newFile('a'));
    await world.leads(a);
    const b = await world.start('b', oldFile('b'));
    await b.says('node.standby');
    m5 = 'down';
    await hears5('down');
    await isRecorded('a');
    return { a, b };
  };

  it('an older file that takes over ends nothing, and hands over to the right one when that is back', async () => {
    const { b } = await startWithOutage();
    await world.stop('a', 'SIGKILL');
    await b.says('node.stands_in');
    await world.leads(b);
    await pause(3000);
    assert.equal(of5('recovered'), 0);
    const a = await world.start('a', newFile('a'));
    await world.leads(a);
    assert.equal(
      (await b.says('node.steps_down')).message,
      'is a standby from now on: a has the configuration of the last leader',
    );
    assert.equal(await openIncidents(a), 1);
    m5 = 'up';
    await hears5('recovered');
    assert.deepEqual(
      world.alerts.messages.filter(({ monitor_id: id }) => id === 'm5').map(({ event }) => event),
      ['down', 'recovered'],
    );
  });

  it('a reload of the leader with the older file ends what it does not have', async () => {
    const { b } = await startWithOutage();
    await world.stop('a', 'SIGKILL');
    await b.says('node.stands_in');
    await world.leads(b);
    await pause(2000);
    assert.equal(of5('recovered'), 0);
    b.child.kill('SIGHUP');
    await b.says('config.reloaded');
    await hears5('recovered');
    assert.equal(of5('recovered'), 1);
  });

  it('the file that was changed on both counts as soon as both have it', async () => {
    await startWithOutage();
    await world.stop('b', 'SIGTERM');
    await world.stop('a', 'SIGTERM');
    const again = await world.start('b', oldFile('b'));
    await again.says('node.stands_in');
    // Long enough to hand over to a node that is there; `a` is listed, though it has ended.
    await pause(1.8 * leaseSecs * 1000);
    assert.equal(of5('recovered'), 0);
    assert.ok(!again.lines.some(({ event }) => event === 'node.steps_down'));
    await world.start('a', oldFile('a'));
    await again.says('node.config_counts');
    await hears5('recovered');
  });

  it('the only node, restarted with another file, follows it at once', async () => {
    m5 = 'down';
    const a = await world.start('a', newFile('a'));
    await world.leads(a);
    await hears5('down');
    await world.stop('a', 'SIGTERM');
    await world.leads(await world.start('a', oldFile('a')));
    await hears5('recovered');
  });

  it('a message for a channel that the older file does not have waits, and is sent by the right one', async () => {
    m5 = 'up';
    // Confirmed, and in its window, when the leader dies.
    const windowSecs = 6;
    const rightFile = head('a', { windowSecs }) + world.monitor('web') + monitorM5();
    const a = await world.start('a', rightFile);
    await world.leads(a);
    const b = await world.start('b', head('b', { channel: false, windowSecs }) + world.monitor('web'));
    await b.says('node.standby');
    m5 = 'down';
    await a.says('monitor.down');
    await world.stop('a', 'SIGKILL');
    await b.says('node.stands_in');
    await world.leads(b);
    await pause(windowSecs * 1000);
    const { stdout } = await runCli(['outbox', '--json'], { cwd: world.folderOf('b').path });
    assert.match(stdout, /"down"/);
    assert.equal(of5('down'), 0);
    await world.start('a', rightFile);
    await hears5('down');
  });

  it('different files for three leases are one alert, and the health of both nodes says so', async () => {
    m5 = 'up';
    const a = await world.start('a', newFile('a'));
    await world.leads(a);
    const b = await world.start('b', oldFile('b'));
    await b.says('node.standby');
    const startedMs = Date.now();
    assert.equal((await healthOf(a)).config_same, true);
    const alerts = () => world.alerts.of('nodes_differ').length;
    await until(
      () => alerts() > 0,
      () => 'no alert',
    );
    assert.ok(Date.now() - startedMs >= 3 * leaseSecs * 1000 - 2000);
    for (const daemon of [a, b]) {
      const health = await healthOf(daemon);
      assert.deepEqual(
        [health.code, health.config_same, health.reason],
        [200, false, 'the nodes have different configurations: b has another than the leader'],
      );
    }
    await pause(2 * leaseSecs * 1000);
    assert.equal(alerts(), 1);
    const { stdout } = await runCli(['nodes'], { cwd: world.folderOf('a').path });
    assert.match(stdout, /differs/);
    writeFileSync(world.folderOf('b').at('statusd.toml'), newFile('b'));
    await a.says('node.configs_same');
    assert.equal((await healthOf(a)).reason, null);
  });

  it('a node that leaves while a check at it is open ends nobody', async () => {
    m5 = 'hangs';
    const file = (id: string, node = '') => head(id, { node }) + world.monitor('web') + monitorM5(4);
    const a = await world.start('a', file('a'));
    await world.leads(a);
    const b = await world.start('b', file('b'));
    await b.says('node.standby');
    await pause(2 * leaseSecs * 1000);
    writeFileSync(world.folderOf('b').at('statusd.toml'), file('b', 'probe = false'));
    await b.says('config.reloaded');
    await pause(2.5 * leaseSecs * 1000);
    assert.equal((await world.health(a)).role, 'leader');
    assert.ok(!a.lines.some(({ event }) => event === 'daemon.fault'));
    m5 = 'up';
  });
});
