/** Several nodes make the checks: real daemons, a real PostgreSQL, targets on loopback and in networks of their own. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { openNetworkLab } from '../support/network-lab.ts';
import { nodeConfig } from '../support/node-config.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../support/postgres.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const leaseSecs = 10;
const intervalSecs = 2;
const count = 40;
const ids = Array.from({ length: count }, (_, index) => `m${index}`);

/** By monitor: when it was asked for, epoch ms. */
type Visits = Map<string, number[]>;

interface Fleet {
  readonly visits: Visits;
  /** Those that answer 503. */
  readonly broken: Set<string>;
  /** How a node serves and asks. */
  readonly places: Readonly<Record<string, Place>>;
  readonly addressOf: (index: number) => string;
}

interface Place {
  readonly bind: string;
  readonly within: readonly string[];
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

describe('checks of 40 monitors', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let client: pg.Client | null = null;
  let target: Target;
  let inbox: WebhookInbox;
  const visits: Visits = new Map();
  const broken = new Set<string>();
  const daemons = new Map<string, Daemon>();
  const folders = new Map<string, ReturnType<typeof makeFolder>>();
  /** Nodes that make no checks. */
  const idle = new Set<string>();
  const lab = openNetworkLab(['a', 'b']);
  let inLab: Fleet | null = null;
  const onLoopback: Fleet = {
    visits,
    broken,
    places: { a: { bind: '127.0.0.1', within: [] }, b: { bind: '127.0.0.1', within: [] } },
    // Hosts of their own, by which a network can be judged.
    addressOf: (index) => `127.0.0.${2 + (index % 5)}`,
  };

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
    if (lab === null) return;
    const extras = Array.from({ length: 5 }, (_, index) => lab.extra(101 + index));
    inLab = {
      visits,
      broken,
      places: {
        a: { bind: lab.addressOf('a'), within: lab.within('a') },
        b: { bind: lab.addressOf('b'), within: lab.within('b') },
      },
      addressOf: (index) => extras[index % 5] ?? '',
    };
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

  const config = (id: string, fleet: Fleet) =>
    nodeConfig({
      id,
      database: url,
      leaseSecs,
      inbox: inbox.url.replace('0.0.0.0', fleet === inLab ? (lab?.hub ?? '') : '127.0.0.1'),
      server: `bind = "${fleet.places[id]?.bind}:0"\nauth_token = "of-the-operators"`,
      node: `token = "of-the-nodes"\nprobe = ${!idle.has(id)}`,
    }) +
    `
${ids
  .map(
    (monitor, index) => `[[monitors]]
id = "${monitor}"
target = "http://${fleet.addressOf(index)}:${target.port}/${monitor}"
interval_secs = ${intervalSecs}
timeout_secs = 1
`,
  )
  .join('\n')}`;
  const start = async (id: string, fleet: Fleet): Promise<Daemon> => {
    const folder = folders.get(id) ?? makeFolder();
    folders.set(id, folder);
    writeFileSync(folder.at('statusd.toml'), config(id, fleet));
    const daemon = await startDaemon(folder.path, { within: fleet.places[id]?.within ?? [] });
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
          (rows as { probes_per_sec: number }[]).filter((row) => row.probes_per_sec > 1).length ===
          2 - idle.size
        );
      },
      () =>
        `only one of them makes checks: ${JSON.stringify(rows)} ${JSON.stringify([...daemons.values()].map(({ lines }) => lines))}`,
    );
  };
  const startBoth = async (fleet: Fleet) => {
    const a = await start('a', fleet);
    await a.says('node.leads');
    const b = await start('b', fleet);
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

  /** By series: what /metrics says of checks by nodes. */
  const measured = async (daemon: Daemon) => {
    const headers = { authorization: 'Bearer of-the-operators' };
    const text = await (await fetch(`${daemon.url}metrics`, { headers })).text();
    const lines = [...text.matchAll(/^(statusd_node\S+) (\S+)$/gm)];
    return new Map(lines.map(([, series = '', value]) => [series, Number(value)]));
  };

  it('are shared by two nodes, which confirm an outage together and notify once', async () => {
    const { a } = await startBoth(onLoopback);
    await outageIsSeen('m7');
    const reason = JSON.stringify(alerts('down')[0]);
    assert.match(reason, /seen from (a and b|b and a)/);
    await allAskedSince(Date.now());
    assert.deepEqual(alarms(), ['down m7', 'recovered m7']);
    const series = await measured(a);
    for (const node of ['a', 'b']) {
      assert.ok((series.get(`statusd_node_checks_total{node="${node}",outcome="result"}`) ?? 0) > 10);
      assert.equal(series.get(`statusd_node_left_out{node="${node}"}`), 0);
    }
    assert.equal(series.get('statusd_node_fallback_checks_total'), 0);
  });

  it('go on when a node is killed, without a false alert, and an outage is still seen', async () => {
    const { a, b } = await startBoth(onLoopback);
    daemons.delete('b');
    const killedAt = Date.now();
    await b.end('SIGKILL');
    await allAskedSince(killedAt);
    assert.equal(said(a, 'node.left_out').length, 1);
    assert.deepEqual(alarms(), []);
    const series = await measured(a);
    assert.equal(series.get('statusd_node_left_out{node="b"}'), 1);
    assert.ok((series.get('statusd_node_fallback_checks_total') ?? 0) > 0);
    await outageIsSeen('m3');
  });

  it('go on when a node stands still, without a false alert, and an outage is still seen', async () => {
    const { a, b } = await startBoth(onLoopback);
    b.child.kill('SIGSTOP');
    const stoppedAt = Date.now();
    await a.says('node.left_out');
    await allAskedSince(stoppedAt);
    assert.deepEqual(alarms(), []);
    await outageIsSeen('m3');
    b.child.kill('SIGCONT');
    await a.says('node.back');
  });

  const impostors = {
    'answers garbage': (end: (status: number, text: string) => void) => {
      end(200, '<html>');
    },
    'refuses the token': (end: (status: number, text: string) => void) => {
      end(401, '{}');
    },
    'never answers': () => undefined,
  };
  for (const [what, answer] of Object.entries(impostors))
    it(`go on when what is at the address of a node ${what}, and an outage is still seen`, async () => {
      const asked: string[] = [];
      const impostor = await startHttp((request, response) => {
        asked.push(String(request.headers.authorization));
        answer((status, text) => response.writeHead(status).end(text));
      });
      try {
        const a = await start('a', onLoopback);
        await a.says('node.leads');
        await query(
          `INSERT INTO statusd.node (id, url, version, config, is_probing, seen)
           SELECT 'b', $1, version, config, true, clock_timestamp() + interval '1 hour' FROM statusd.node WHERE id = 'a'`,
          [impostor.origin],
        );
        const sinceAt = Date.now();
        await a.says('node.left_out');
        await allAskedSince(sinceAt);
        assert.deepEqual(new Set(asked), new Set(['Bearer of-the-nodes']));
        assert.deepEqual(alarms(), []);
        await outageIsSeen('m3');
        assert.ok(said(a, 'node.left_out').length === 1, 'it is said more than once');
      } finally {
        await impostor.close();
      }
    });

  describe('in networks of their own', {
    skip: lab === null && 'this machine does not allow network namespaces',
  }, () => {
    const cutOff = (id: string, fleet: Fleet) => {
      for (let index = 0; index < 5; index += 1) lab?.cut(id, fleet.addressOf(index));
    };
    const healed = (id: string, fleet: Fleet) => {
      for (let index = 0; index < 5; index += 1) lab?.heal(id, fleet.addressOf(index));
    };

    it('go on without a false alert when a node loses its network, and an outage is still seen', async () => {
      if (inLab === null) return;
      const { a } = await startBoth(inLab);
      cutOff('b', inLab);
      const cutAt = Date.now();
      const leftOut = await a.says('node.left_out');
      assert.equal(leftOut['node'], 'b');
      await allAskedSince(cutAt);
      assert.deepEqual(alarms(), []);
      await outageIsSeen('m3');
      healed('b', inLab);
      await a.says('node.back');
      await pause(2 * intervalSecs * 1000);
      assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
      assert.equal(said(a, 'node.left_out').length, 1);
    });

    const leadersIn = { 'loses its network': [], 'makes no checks and loses its network': ['a'] };
    for (const [what, without] of Object.entries(leadersIn))
      it(`are led by the other node when the one that leads ${what}, and an outage is notified`, async () => {
        if (inLab === null || lab === null) return;
        for (const id of without) idle.add(id);
        const { a, b } = await startBoth(inLab);
        cutOff('a', inLab);
        // It cannot reach the channel either, but the database.
        lab.cut('a', lab.hub);
        broken.add('m3');
        const leftOut = await a.says('node.left_out');
        assert.equal(leftOut['node'], 'a');
        const down = await a.says('node.steps_down');
        assert.match(down.message, /reaches none of the hosts that other nodes reach/);
        await b.says('node.leads');
        await heard('down');
        healed('a', inLab);
        lab.heal('a', lab.hub);
        broken.delete('m3');
        await heard('recovered');
        await pause(2 * intervalSecs * 1000);
        assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
        assert.equal(said(a, 'node.leads').length, 1);
      });
  });
});
