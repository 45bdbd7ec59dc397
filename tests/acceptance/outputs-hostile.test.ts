/** A daemon whose receivers of metrics all misbehave at once: it goes on checking and notifying, and shows no secret. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startAnswer, startHttp, startHttps, startRaw, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { createAuthority } from '../support/tls.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const token = 'of-the-operators';
const secrets = ['pa55word-of-url', 'token-of-the-receiver', 'pa55word-of-proxy'];
const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);

describe('a daemon whose metrics receivers misbehave', () => {
  const folder = makeFolder();
  const open: Target[] = [];
  /** By monitor: how often it was asked for. */
  const visits = new Map<string, number>();
  const broken = new Set<string>();
  let inbox: WebhookInbox;
  let daemon: Daemon;
  let elsewhere: Target;
  let handshakes: Target;
  let requestsOverTls = 0;
  /** The outputs that fail, by name. */
  let failing: readonly string[] = [];

  const opened = async (starting: Promise<Target>) => {
    const target = await starting;
    open.push(target);
    return target;
  };
  before(async () => {
    inbox = await openWebhookInbox();
    const target = await opened(
      startHttp(({ url = '' }, response) => {
        const id = url.slice(1);
        visits.set(id, (visits.get(id) ?? 0) + 1);
        response.writeHead(broken.has(id) ? 503 : 200).end();
      }),
    );
    elsewhere = await opened(startHttp((_, response) => response.end()));
    const location = `${elsewhere.origin}/`;
    const authority = createAuthority();
    handshakes = await opened(
      startHttps(
        (_, response) => {
          requestsOverTls += 1;
          response.end();
        },
        authority.issue({ names: ['127.0.0.1'] }),
      ),
    );
    authority.remove();
    const receivers: Readonly<Record<string, Target>> = {
      hangs: await opened(startRaw(() => undefined)),
      pours: await opened(
        startRaw((socket) => {
          socket.once('data', () => {
            pour(socket);
          });
        }),
      ),
      redirects: await opened(
        startHttp((request, response) => {
          request.resume().on('end', () => response.writeHead(307, { location }).end());
        }),
      ),
      closes: await opened(startAnswer('HTTP/1.1 20')),
      stranger: handshakes,
    };
    const names = Object.entries(receivers).flatMap(([name, { origin }]) =>
      ['remote_write', 'otlp'].map((type) => ({ name: `${name}-${type}`, type, origin })),
    );
    failing = names.map(({ name }) => name);
    const outputs = names.map(
      ({ name, type, origin }) => `[[outputs]]
name = "${name}"
type = "${type}"
url = "${origin.replace('//', '//me:pa55word-of-url@')}/write"
interval_secs = 5
timeout_secs = 5
headers = { X-Token = "token-of-the-receiver" }
`,
    );
    const monitors = ids.map(
      (id) => `[[monitors]]
id = "${id}"
target = "${target.origin}/${id}"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`,
    );
    writeFileSync(
      folder.at('statusd.toml'),
      `[server]
bind = "127.0.0.1:0"
auth_token = "${token}"
[alerts]
group_window_secs = 0
fail_threshold = 2
[[channels]]
name = "ops"
type = "webhook"
url = "${inbox.url}"
${outputs.join('')}
[[outputs]]
name = "proxied"
type = "otlp"
url = "https://metrics.example/"
proxy = "http://me:pa55word-of-proxy@127.0.0.1:9"
interval_secs = 5
${monitors.join('')}`,
    );
    failing = [...failing, 'proxied'];
    daemon = await startDaemon(folder.path);
  });
  after(async () => {
    await daemon.end('SIGKILL');
    await Promise.all(open.map((target) => target.close()));
    await inbox.close();
    folder.remove();
  });

  const warnings = () => daemon.lines.filter(({ event }) => event.startsWith('output.'));
  const hears = (event: string) =>
    until(
      () => inbox.of(event, 'm7')[0],
      () => `no ${event}: ${JSON.stringify(daemon.lines.slice(-5))}`,
    );
  const read = async (path: string) =>
    (await fetch(`${daemon.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).text();
  const residentMb = () => {
    const status = readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  };

  it('says of each output once that it fails, and why', async () => {
    await until(
      () => failing.every((name) => warnings().some(({ message }) => message.startsWith(`output ${name}: `))),
      () => JSON.stringify(warnings()),
    );
    const why = (name: string) => warnings().find(({ output }) => output === `${name}-otlp`)?.message;
    assert.match(why('hangs') ?? '', /no answer from 127\.0\.0\.1:\d+ within 5 s/);
    assert.match(why('redirects') ?? '', /answers 307; check url, which redirects; samples are lost$/);
    assert.match(why('stranger') ?? '', /comes from an unknown authority/);
  });

  it('goes on checking, notifies an outage, and takes no memory for it', async () => {
    const beganMb = residentMb();
    visits.clear();
    broken.add('m7');
    await hears('down');
    broken.delete('m7');
    await hears('recovered');
    await until(
      () => ids.every((id) => (visits.get(id) ?? 0) >= 15),
      () => JSON.stringify([...visits]),
    );
    const counts = ids.map((id) => visits.get(id) ?? 0);
    assert.ok(Math.max(...counts) <= 2 * Math.min(...counts), `some are left behind: ${counts.join(' ')}`);
    assert.deepEqual(
      inbox.messages.map(({ event, monitor_id: id }) => `${event} ${id}`),
      ['down m7', 'recovered m7'],
    );
    assert.ok(residentMb() < beganMb + 150, `${residentMb()} MB after ${beganMb} MB`);
    assert.equal((await fetch(`${daemon.url}healthz`)).status, 200);
    assert.deepEqual(
      warnings()
        .map(({ output }) => output)
        .sort(),
      failing.toSorted(),
    );
  });

  it('counts what is lost and what waits', async () => {
    const metrics = await read('metrics');
    const value = (series: string) =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')
          .at(-1),
      );
    for (const type of ['remote_write', 'otlp']) {
      const samples = (name: string, outcome: string) =>
        value(`statusd_output_samples_total{output="${name}-${type}",outcome="${outcome}"}`);
      assert.ok(samples('redirects', 'failed') > 100);
      assert.equal(samples('hangs', 'failed'), 0);
      for (const name of ['hangs', 'closes', 'stranger'])
        assert.ok(value(`statusd_output_queued_samples{output="${name}-${type}"}`) > 100, name);
    }
  });

  it('sends nothing where a redirect leads or the certificate is not trusted', () => {
    assert.ok(handshakes.connections() > 2);
    assert.deepEqual([elsewhere.connections(), requestsOverTls], [0, 0]);
  });

  it('shows no secret of them anywhere', async () => {
    const pages = await Promise.all(['metrics', 'healthz', 'api/summary', '', 'openapi.json'].map(read));
    const commands = await Promise.all(
      [['doctor'], ['doctor', '--json'], ['check', '--json'], ['plan']].map((args) =>
        runCli(args, { cwd: folder.path }),
      ),
    );
    const all = [
      ...pages,
      ...commands.map(({ stdout, stderr }) => stdout + stderr),
      JSON.stringify(daemon.lines),
    ];
    for (const text of all) {
      assert.ok(text.length > 10);
      for (const secret of secrets)
        assert.ok(!text.includes(secret), `${secret} is in ${text.slice(0, 500)}`);
    }
  });

  it('ends at once all the same', async () => {
    const { code } = await daemon.end('SIGTERM');
    assert.equal(code, 0);
    assert.deepEqual(
      daemon.lines.filter(({ level, event }) => level === 'error' && !event.startsWith('output.')),
      [],
    );
  });
});

/** An error without an end. */
function pour(socket: Socket): void {
  const part = 'x'.repeat(64 * 1024);
  const more = () => {
    for (let count = 0; count < 16; count += 1) if (!socket.write(part)) return;
    setImmediate(more);
  };
  socket.on('drain', more).write('HTTP/1.1 500 No\r\n\r\n');
  more();
}
