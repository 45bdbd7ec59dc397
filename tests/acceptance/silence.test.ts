/** With the real daemon and real sockets: hosts that refuse are outages, hosts that are all silent are a lost network. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { startSilentPort, type SilentPort } from '../support/silent-port.ts';
import { makeFolder } from '../support/tiny-store.ts';

interface Sent {
  readonly event: string;
  readonly monitor_id?: string;
  readonly monitors?: readonly string[];
  readonly impacted?: readonly { readonly id: string }[];
}

/** Nothing else is watched, so that each of them counts as a host of its own. */
/** Ports that were closed on 127.0.0.1 may be taken by another server meanwhile; on these addresses nobody listens. */
const hosts = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
const ids = ['m0', 'm1', 'm2'];

const sent: Sent[] = [];
let receiver: Target;

before(async () => {
  receiver = await startHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      sent.push(JSON.parse(body) as Sent);
      response.end();
    });
  });
});
after(() => receiver.close());

function configOf(ports: readonly number[]): string {
  const monitors = hosts.map(
    (host, index) => `[[monitors]]
id = "m${index}"
kind = "tcp"
target = "${host}:${ports[index] ?? 0}"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`,
  );
  return `[server]
bind = "127.0.0.1:0"

[alerts]
fail_threshold = 2
group_window_secs = 2

[[channels]]
name = "hook"
type = "webhook"
url = "${receiver.origin}/"

${monitors.join('\n')}`;
}

async function closedPort(host: string): Promise<number> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function named(): string[] {
  const downs = sent.filter(({ event }) => event === 'down');
  return downs
    .flatMap(({ monitor_id: id = '', impacted = [] }) => [id, ...impacted.map((each) => each.id)])
    .sort();
}

const soFar = () => `sent: ${JSON.stringify(sent)}`;

describe('three hosts that fail at once', () => {
  it('are down when all refuse', async () => {
    sent.length = 0;
    const folder = makeFolder();
    writeFileSync(folder.at('statusd.toml'), configOf(await Promise.all(hosts.map(closedPort))));
    const daemon = await startDaemon(folder.path);
    try {
      await until(() => named().length === 3, soFar);
      assert.deepEqual(named(), ids);
      assert.ok(
        sent.every(({ event }) => event !== 'node_blind'),
        soFar(),
      );
    } finally {
      await daemon.end('SIGTERM');
      folder.remove();
    }
  });

  it('are a lost network when all are silent, until one of them refuses: then all of them are down', async () => {
    sent.length = 0;
    const folder = makeFolder();
    const silent: SilentPort[] = [];
    try {
      for (const host of hosts) silent.push(await startSilentPort({ host }));
      writeFileSync(folder.at('statusd.toml'), configOf(silent.map(({ port }) => port)));
      const daemon = await startDaemon(folder.path);
      try {
        await until(() => sent.some(({ event }) => event === 'node_blind'), soFar);
        assert.deepEqual(named(), []);
        assert.deepEqual(sent[0]?.monitors, ids);
        const summary = (await (await fetch(`${daemon.url}api/summary`)).json()) as { overall_label: string };
        assert.match(summary.overall_label, /^Unknown: this node cannot see its targets since /);
        silent[2]?.close();
        await until(() => named().length === 3, soFar);
        assert.deepEqual(named(), ids);
        const begun = sent.filter(({ event }) => event === 'node_blind');
        assert.ok(begun.length <= 2, soFar());
      } finally {
        await daemon.end('SIGTERM');
      }
    } finally {
      for (const port of silent) port.close();
      folder.remove();
    }
  });
});
