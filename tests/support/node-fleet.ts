/** Two nodes that share the checks of ten monitors: real daemons, a real PostgreSQL, one target that sees who asks. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach } from 'node:test';
import pg from 'pg';
import { type Daemon, startDaemon, until } from './daemon.ts';
import { startHttp, type Target } from './http-target.ts';
import type { openNetworkLab } from './network-lab.ts';
import { nodeConfig } from './node-config.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { makeFolder } from './tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from './webhook-inbox.ts';

type Lab = NonNullable<ReturnType<typeof openNetworkLab>>;

export const intervalSecs = 2;

const leaseSecs = 10;
const ids = Array.from({ length: 10 }, (_, index) => `m${index}`);

/** How nodes serve and ask. */
interface Network {
  readonly bindOf: (node: string) => string;
  readonly within: (node: string) => readonly string[];
  /** Where a channel is reached. */
  readonly hub: string;
  /** Five hosts of their own, by which a network can be judged. */
  readonly hosts: readonly string[];
}

const loopback: Network = {
  bindOf: () => '127.0.0.1',
  within: () => [],
  hub: '127.0.0.1',
  hosts: Array.from({ length: 5 }, (_, index) => `127.0.0.${2 + index}`),
};

function networkOf(lab: Lab): Network {
  return {
    bindOf: lab.addressOf,
    within: lab.within,
    hub: lab.hub,
    hosts: Array.from({ length: 5 }, (_, index) => lab.extra(101 + index)),
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** For the tests of one suite, each of which has a database and nodes of its own; on loopback, or in the networks of `lab`. */
export function openNodeFleet(lab: Lab | null = null) {
  let postgres: Postgres;
  let url = '';
  let client: pg.Client | null = null;
  let target: Target;
  let inbox: WebhookInbox;
  let network = loopback;
  /** By monitor: when it was asked for, epoch ms. */
  const visits = new Map<string, number[]>();
  /** Those that answer 503. */
  const broken = new Set<string>();
  const daemons = new Map<string, Daemon>();
  const folders = new Map<string, ReturnType<typeof makeFolder>>();
  /** Nodes that make no checks. */
  const idle = new Set<string>();

  before(async () => {
    postgres = await startPostgres();
    target = await startHttp(
      ({ url: path = '' }, response) => {
        const id = path.slice(1);
        visits.set(id, [...(visits.get(id) ?? []), Date.now()]);
        response.writeHead(broken.has(id) ? 503 : 200).end();
      },
      { host: '0.0.0.0' },
    );
    if (lab !== null) network = networkOf(lab);
  });
  after(async () => {
    await target.close();
    await postgres.stop();
    lab?.close();
  });
  beforeEach(async () => {
    url = await postgres.database();
    inbox = await openWebhookInbox({ host: '0.0.0.0' });
    visits.clear();
    broken.clear();
    idle.clear();
  });
  afterEach(async () => {
    await Promise.all([...daemons.values()].map((daemon) => daemon.end('SIGKILL')));
    daemons.clear();
    await client?.end();
    client = null;
    await inbox.close();
    for (const folder of folders.values()) folder.remove();
    folders.clear();
  });

  const config = (id: string) =>
    nodeConfig({
      id,
      database: url,
      leaseSecs,
      inbox: inbox.url.replace('0.0.0.0', network.hub),
      server: `bind = "${network.bindOf(id)}:0"\nauth_token = "of-the-operators"`,
      node: `token = "of-the-nodes"\nprobe = ${!idle.has(id)}`,
    }) +
    `
${ids
  .map(
    (monitor, index) => `[[monitors]]
id = "${monitor}"
target = "http://${network.hosts[index % 5]}:${target.port}/${monitor}"
interval_secs = ${intervalSecs}
timeout_secs = 1
`,
  )
  .join('\n')}`;
  const start = async (id: string): Promise<Daemon> => {
    const folder = folders.get(id) ?? makeFolder();
    folders.set(id, folder);
    writeFileSync(folder.at('statusd.toml'), config(id));
    const daemon = await startDaemon(folder.path, { within: network.within(id) });
    daemons.set(id, daemon);
    return daemon;
  };
  const query = async (text: string, values: readonly unknown[] = []) => {
    client ??= await connected(url);
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  };
  const said = (daemon: Daemon, event: string) => daemon.lines.filter((line) => line.event === event);
  /** Resolves when the database knows of probes by both. */
  const sharing = () => {
    let rows: unknown[] = [];
    return until(
      async () => {
        rows = await query('SELECT id, url, config, is_probing, probes_per_sec FROM statusd.node');
        return (
          (rows as { probes_per_sec: number }[]).filter((row) => row.probes_per_sec > 0.5).length ===
          2 - idle.size
        );
      },
      () =>
        `only one of them makes checks: ${JSON.stringify(rows)} ${JSON.stringify([...daemons.values()].map(({ lines }) => lines))}`,
    );
  };
  const startBoth = async () => {
    const a = await start('a');
    await a.says('node.leads');
    const b = await start('b');
    await b.says('node.standby');
    await sharing();
    return { a, b };
  };
  /** For so long every monitor is asked for again and again. */
  const allAskedSince = (sinceAt: number) =>
    until(
      () => ids.every((id) => (visits.get(id) ?? []).filter((at) => at >= sinceAt).length >= 3),
      () =>
        `not asked for: ${ids.filter((id) => (visits.get(id) ?? []).every((at) => at < sinceAt)).join(' ')}`,
    );
  /** What was said of monitors; a busy machine may say of its database that it is slow. */
  const alarms = () =>
    inbox.messages.flatMap(({ event, monitor_id: id }) =>
      event.startsWith('storage_') ? [] : [`${event} ${id}`],
    );
  const alerts = (event: string) => inbox.messages.filter((message) => message.event === event);
  const heard = (event: string) =>
    until(
      () => alerts(event).length > 0,
      () => `no ${event} among ${inbox.messages.map((message) => message.event).join(', ')}`,
    );
  /** A real outage is found, notified once and over once. */
  const outageIsSeen = async (id: string) => {
    broken.add(id);
    await heard('down');
    broken.delete(id);
    await heard('recovered');
    for (const event of ['down', 'recovered'])
      assert.deepEqual(
        alerts(event).map((message) => message.monitor_id),
        [id],
      );
  };

  return {
    broken,
    daemons,
    idle,
    hosts: () => network.hosts,
    start,
    startBoth,
    query,
    said,
    allAskedSince,
    alarms,
    alerts,
    heard,
    outageIsSeen,
  };
}
