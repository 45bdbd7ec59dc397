import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { runHere } from '../support/operator-world.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';

interface Notified {
  readonly event: string;
  readonly monitor_id: string;
}

const folder = makeFolder();
const notified: Notified[] = [];
const zone: Record<string, { A: string[] }> = { 'shop.example': { A: ['192.0.2.1'] } };
const web = { status: 200, delayMs: 0 };
let target: Target;
let receiver: Target;
let names: DnsServer;
let port: Server;
let daemon: Daemon;
let tcpPort = 0;

before(async () => {
  target = await startHttp((_, response) => {
    setTimeout(() => response.writeHead(web.status).end('body of the failing answer'), web.delayMs);
  });
  receiver = await startHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      notified.push(JSON.parse(body) as Notified);
      response.end();
    });
  });
  names = await startDnsServer(zone);
  port = await listen(0);
  tcpPort = (port.address() as { port: number }).port;
  writeFileSync(folder.at('statusd.toml'), config());
  daemon = await startDaemon(folder.path);
});
after(async () => {
  await daemon.end('SIGTERM');
  port.close();
  await Promise.all([target.close(), receiver.close(), names.close()]);
  folder.remove();
});

async function listen(at: number): Promise<Server> {
  const server = createServer((socket) => socket.end());
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const config = () => `[server]
bind = "127.0.0.1:0"
rate_limit_burst = 100000

[alerts]
fail_threshold = 2
group_window_secs = 3

[[channels]]
name = "hook"
type = "webhook"
url = "${receiver.origin}/"

[[monitors]]
id = "web"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
degraded_over_ms = 300

[[monitors]]
id = "port"
kind = "tcp"
target = "127.0.0.1:${tcpPort}"
interval_secs = 1
timeout_secs = 1
probe_retries = 0

[[monitors]]
id = "name"
kind = "dns"
target = "shop.example"
dns_resolver = "${names.address}"
dns_expected = "192.0.2.1"
interval_secs = 1
timeout_secs = 1
probe_retries = 0

[[monitors]]
id = "job"
kind = "push"
interval_secs = 60
push_token = "a-token-of-the-tests"
`;

const ids = ['job', 'name', 'port', 'web'];

async function statuses(): Promise<Record<string, string>> {
  const answer = await fetch(`${daemon.url}api/summary`);
  const { monitors } = (await answer.json()) as { monitors: { id: string; status: string }[] };
  return Object.fromEntries(monitors.map(({ id, status }) => [id, status]));
}

/** Waits until every monitor of `wanted` is shown so. */
function shown(wanted: Readonly<Record<string, string>>): Promise<unknown> {
  let last: Record<string, string> = {};
  return until(
    async () => {
      last = await statuses();
      return Object.entries(wanted).every(([id, status]) => last[id] === status);
    },
    () => `${JSON.stringify(last)} is not ${JSON.stringify(wanted)}`,
  );
}

const each = (status: string) => Object.fromEntries(ids.map((id) => [id, status]));
const push = (status: string) =>
  fetch(`${daemon.url}api/push/job?status=${status}`, {
    method: 'POST',
    headers: { 'x-push-token': 'a-token-of-the-tests' },
  });
const heard = (event: string) =>
  notified.filter((each) => each.event === event).map((each) => each.monitor_id);

async function incidentsOf(...args: string[]): Promise<{ monitor: string; ended_at: string | null }[]> {
  const { stdout } = await runHere(['incidents', '--json', ...args], { cwd: folder.path });
  return (JSON.parse(stdout) as { incidents: { monitor: string; ended_at: string | null }[] }).incidents;
}

describe('http, tcp, dns and push monitors', () => {
  it('are up once they answered', async () => {
    await push('up');
    await shown(each('up'));
  });

  it('are degraded, and nobody is notified, while they are slow', async () => {
    web.delayMs = 500;
    await push('degraded');
    await shown({ web: 'degraded', job: 'degraded', port: 'up' });
    web.delayMs = 0;
    await push('up');
    await shown(each('up'));
    assert.deepEqual(await incidentsOf(), []);
  });

  it('notify nobody of a flap inside the window', async () => {
    web.status = 500;
    await daemon.says('monitor.down');
    web.status = 200;
    await daemon.says('monitor.recovered');
    await shown(each('up'));
    const { stdout } = await runHere(['explain', 'web'], { cwd: folder.path });
    assert.match(stdout, /It recovered within the group window\./);
    assert.deepEqual(notified, []);
  });

  it('are down, recorded and notified once each when they fail', async () => {
    web.status = 503;
    zone['shop.example'] = { A: ['203.0.113.9'] };
    port.close();
    await push('down');
    await push('down');
    await shown(each('down'));
    await until(
      () => heard('down').length === ids.length,
      () => JSON.stringify(notified),
    );
    assert.deepEqual(heard('down').sort(), ids);
    assert.deepEqual((await incidentsOf('--open')).map(({ monitor }) => monitor).sort(), ids);
  });

  it('are up again, their incidents closed, the same channel notified, when they recover', async () => {
    web.status = 200;
    zone['shop.example'] = { A: ['192.0.2.1'] };
    port = await listen(tcpPort);
    await push('up');
    await shown(each('up'));
    await until(
      () => heard('recovered').length === ids.length,
      () => JSON.stringify(notified),
    );
    assert.deepEqual(heard('down').sort(), ids);
    assert.deepEqual(heard('recovered').sort(), ids);
    assert.deepEqual(await incidentsOf('--open'), []);
    assert.equal((await incidentsOf()).length, ids.length + 1);
  });
});
