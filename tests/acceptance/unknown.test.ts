/** A resolver that stops answering, with the real daemon: a short silence wakes nobody, a lasting one is reported once. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { runCli } from '../support/cli.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startDnsServer, type DnsServer, type Misbehaviour } from '../support/dns-server.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';

interface Received {
  readonly at: number;
  readonly event: string;
  readonly monitor_id: string;
  readonly message: string;
  readonly cause?: string;
  readonly from?: string;
  readonly impacted?: readonly { readonly id: string }[];
  readonly incident_ids?: readonly number[];
  readonly found?: Readonly<Record<string, string>>;
}

const folder = makeFolder();
const received: Received[] = [];
const answering = { A: ['127.0.0.1'], AAAA: [] };
const zone: Record<string, { A: string[]; AAAA: string[] } | Misbehaviour> = {
  'a.test': answering,
  'b.test': answering,
};
const web = { status: 200 };
const windowSecs = 8;
let target: Target;
let receiver: Target;
let names: DnsServer;
let daemon: Daemon;

before(async () => {
  target = await startHttp((_, response) => response.writeHead(web.status).end());
  receiver = await startHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ ...(JSON.parse(body) as Received), at: Date.now() });
      response.end();
    });
  });
  names = await startDnsServer(zone);
  writeFileSync(folder.at('statusd.toml'), config());
  writeFileSync(folder.at('name-server.mjs'), preload(names.address));
  daemon = await startDaemon(folder.path, {
    env: { NODE_OPTIONS: `--import ${pathToFileURL(folder.at('name-server.mjs')).href}` },
  });
});
after(async () => {
  await daemon.end('SIGTERM');
  await Promise.all([target.close(), receiver.close(), names.close()]);
  folder.remove();
});

/** Loaded before the daemon: one name server stands for those of the host. */
const preload = (server: string) => `import dns from 'node:dns';
dns.promises.Resolver = class extends dns.promises.Resolver {
  constructor(options) {
    super(options);
    this.setServers([${JSON.stringify(server)}]);
  }
};
`;

const config = () => `[server]
bind = "127.0.0.1:0"
rate_limit_burst = 100000

[alerts]
fail_threshold = 3
group_window_secs = ${windowSecs}

[[channels]]
name = "hook"
type = "webhook"
url = "${receiver.origin}/"

${['a', 'b'].map(monitor).join('\n')}`;

const monitor = (id: string) => `[[monitors]]
id = "${id}"
target = "http://${id}.test:${new URL(target.origin).port}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`;

function silence(isSilent: boolean): void {
  for (const name of ['a.test', 'b.test']) zone[name] = isSilent ? 'silent' : answering;
}

interface Summary {
  readonly incidents: readonly { readonly kind: string; readonly monitor: string }[];
  readonly monitors: readonly {
    readonly id: string;
    readonly status: string;
    readonly uptime_24h_permille: number | null;
    readonly coverage_24h_permille: number;
  }[];
}

const summary = async () => (await (await fetch(`${daemon.url}api/summary`)).json()) as Summary;

function shown(status: string): Promise<unknown> {
  return until(
    async () => (await summary()).monitors.every((each) => each.status === status),
    () => `not every monitor is ${status}`,
    60_000,
  );
}

const receivedEvents = () => received.map(({ event, monitor_id: id }) => `${event} ${id}`);

async function health(): Promise<readonly unknown[]> {
  const answer = await fetch(`${daemon.url}healthz`);
  const { status, reason } = (await answer.json()) as { status: string; reason: string | null };
  return [answer.status, status, reason];
}

describe('monitors by host name, and a name server that stops answering', () => {
  it('wakes nobody when it answers again before the window is over', async () => {
    await shown('up');
    silence(true);
    await shown('unknown');
    silence(false);
    await shown('up');
    await pause((windowSecs + 2) * 1000);
    assert.deepEqual(receivedEvents(), []);
    assert.deepEqual(await health(), [200, 'ok', null]);
  });

  /** By monitor, before the second silence: a busy machine may have made a check of one second fail before. */
  let uptimeBefore: ReadonlyMap<string, number | null> = new Map();

  it('is reported once, naming the cause and all monitors, while the targets really fail', async () => {
    uptimeBefore = new Map((await summary()).monitors.map((each) => [each.id, each.uptime_24h_permille]));
    silence(true);
    await shown('unknown');
    // Only now: a check that was under way would have met the failure.
    web.status = 503;
    const unknownAt = Date.now();
    await until(
      () => received.length > 0,
      () => 'nothing was received',
      60_000,
    );
    const lateMs = (received[0]?.at ?? 0) - unknownAt - windowSecs * 1000;
    assert.ok(lateMs < 10_000, `sent ${lateMs} ms after the window`);
    await pause(5000);
    assert.equal(received.length, 1, receivedEvents().join(', '));
    const message = received[0] ?? assert.fail();
    assert.equal(message.event, 'unknown');
    assert.equal(message.cause, 'resolver');
    assert.equal(message.message, 'Cannot check 2 monitors: the resolver does not answer');
    assert.deepEqual([message.monitor_id, ...(message.impacted ?? []).map(({ id }) => id)].sort(), [
      'a',
      'b',
    ]);
    assert.ok((message.incident_ids ?? []).length > 0);
  });

  it('is in the record, on the page and in the health of the node, and is no downtime', async () => {
    assert.deepEqual(await health(), [
      200,
      'degraded',
      'cannot check 2 monitors: the resolver does not answer',
    ]);
    const { incidents, monitors } = await summary();
    assert.deepEqual(
      incidents.map(({ kind }) => kind),
      ['unknown', 'unknown'],
    );
    for (const { id, uptime_24h_permille: uptime } of monitors) {
      const before = uptimeBefore.get(id) ?? assert.fail(id);
      // Checks that were under way when the silence began add to what is known, and nothing after them does.
      assert.ok(uptime !== null && uptime >= before && before > 800, `${id}: ${before}, then ${uptime}`);
    }
    const page = await (await fetch(daemon.url, { headers: { accept: 'text/html' } })).text();
    assert.match(page, /cannot be checked/);
    assert.doesNotMatch(page, /is down/);
    const { stdout } = await runCli(['incidents', '--open'], { cwd: folder.path });
    assert.match(stdout, /not checked: no name server answered/);
    const explained = await runCli(['explain', 'a'], { cwd: folder.path });
    assert.match(explained.stdout, /a cannot be checked since .*\n.*the resolver does not answer/);
  });

  it('ends with one message that says what was found, and what failed meanwhile is down', async () => {
    silence(false);
    await until(
      () => received.filter(({ event }) => event === 'down').length === 2,
      () => receivedEvents().join(', '),
      90_000,
    );
    const recovered = received.filter(({ event }) => event === 'recovered');
    assert.equal(recovered.length, 1, receivedEvents().join(', '));
    const again = recovered[0] ?? assert.fail();
    assert.equal(again.from, 'unknown');
    assert.deepEqual([again.monitor_id, ...(again.impacted ?? []).map(({ id }) => id)].sort(), ['a', 'b']);
    for (const state of Object.values(again.found ?? {})) assert.match(state, /^(failing|down)$/);
    assert.deepEqual(await health(), [200, 'ok', null]);
  });
});
