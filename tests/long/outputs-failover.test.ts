/** Metrics of two nodes on one database: real daemons, a real PostgreSQL, a receiver that says who sent what when. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import { lossyWay, type Postgres, skipWithoutPostgres, startPostgres } from '../support/postgres.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { readWriteRequest } from '../support/remote-write.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { skipWithout } from '../support/tool.ts';

const leaseSecs = 5;
const intervalSecs = 5;
const types = ['remote_write', 'otlp'];

interface Request {
  readonly node: string;
  readonly type: string;
  readonly atMs: number;
  /** Of remote-write: by its labels, when it was measured. */
  readonly series: ReadonlyMap<string, number>;
}

describe('the metrics of two nodes', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let database = '';
  let receiver: Target;
  let requests: Request[] = [];
  const folder = makeFolder();
  const daemons = new Set<Daemon>();

  before(async () => {
    postgres = await startPostgres();
    receiver = await startHttp((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const [, type = ''] = (request.url ?? '').split('/');
        // The values of headers are secrets, so the files of the nodes count as the same.
        const node = String(request.headers['x-node'] ?? '');
        const body = Buffer.concat(parts);
        const series = type === 'otlp' ? new Map<string, number>() : seriesIn(body);
        requests.push({ node, type, atMs: performance.now(), series });
        response.writeHead(200).end();
      });
    });
  });
  after(async () => {
    await receiver.close();
    await postgres.stop();
    folder.remove();
  });
  beforeEach(async () => {
    database = await postgres.database();
    requests = [];
  });
  afterEach(async () => {
    await Promise.all([...daemons].map((daemon) => daemon.end('SIGKILL')));
    daemons.clear();
  });

  const start = async (id: string, more = ''): Promise<Daemon> => {
    const file = folder.at(`${id}.toml`);
    const outputs = types.map(
      (type) => `[[outputs]]
type = "${type}"
url = "${receiver.origin}/${type}/v1"
headers = { x-node = "${id}" }
interval_secs = ${intervalSecs}
`,
    );
    writeFileSync(
      file,
      nodeConfig({ id, database, leaseSecs }) +
        `
${outputs.join('')}
${more}
[[monitors]]
id = "web"
target = "${receiver.origin}/checked"
interval_secs = 1
`,
    );
    const daemon = await startDaemon(folder.path, { env: { STATUSD_CONFIG: file } });
    daemons.add(daemon);
    return daemon;
  };
  const startBoth = async (more = '') => {
    const a = await start('a', more);
    await a.says('node.leads');
    const b = await start('b', more);
    await b.says('node.standby');
    return { a, b };
  };
  const kill = async (daemon: Daemon) => {
    daemons.delete(daemon);
    await daemon.end('SIGKILL');
  };
  const of = (node: string, sinceMs = 0) =>
    requests.filter(
      (request) => request.node === node && request.type !== 'checked' && request.atMs >= sinceMs,
    );
  /** Resolves when a node has sent so many requests of each type since then. */
  const sends = (node: string, count: number, sinceMs = 0) =>
    until(
      () => types.every((type) => of(node, sinceMs).filter((each) => each.type === type).length >= count),
      () => JSON.stringify(requests.map(({ node: from, type, atMs }) => [from, type, Math.round(atMs)])),
    );
  /** Nothing is measured twice, and nothing comes after what is newer, whoever sends. */
  const isInOrder = () => {
    const last = new Map<string, number>();
    for (const { node, series } of requests)
      for (const [labels, at] of series) {
        assert.ok(at > (last.get(labels) ?? 0), `${labels} at ${at} from ${node}`);
        last.set(labels, at);
      }
  };
  const ofMonitor = (node: string) =>
    [
      ...(of(node)
        .findLast(({ type }) => type === 'remote_write')
        ?.series.keys() ?? []),
    ]
      .filter((labels) => labels.includes('id="web"'))
      .sort();

  it('are sent by the one that leads alone; when it is killed the next goes on with the same series', async () => {
    const { a } = await startBoth();
    // A standby that sent would have begun by then.
    await pause(intervalSecs * 1000);
    await sends('a', 2);
    assert.equal(of('b').length, 0);
    await kill(a);
    const killedMs = performance.now();
    await sends('b', 1);
    assert.ok(ofMonitor('a').length > 10);
    assert.deepEqual(ofMonitor('b'), ofMonitor('a'));
    const again = await start('a');
    await again.says('node.standby');
    await sends('b', 2, performance.now());
    assert.equal(of('a', killedMs).length, 0);
    isInOrder();
  });

  it('are sent by no node that was stopped and outlived its lease', async () => {
    const { a, b } = await startBoth();
    await sends('a', 2);
    // Between two readings.
    await pause(500);
    a.child.kill('SIGSTOP');
    await b.says('node.leads');
    await sends('b', 2);
    const goesOnMs = performance.now();
    a.child.kill('SIGCONT');
    await a.says('node.steps_down');
    await sends('b', 2, goesOnMs);
    assert.equal(of('a', goesOnMs).length, 0);
    isInOrder();
  });

  it('are sent on by the one that leads while no node reaches the database', async () => {
    const way = await lossyWay(database);
    try {
      database = way.url;
      const a = await start('a');
      await sends('a', 1);
      await way.stop();
      await a.says('store.failing');
      await sends('a', 2, performance.now() + 2 * leaseSecs * 1000);
      assert.deepEqual(
        a.lines.filter(({ event }) => event.startsWith('output.')),
        [],
      );
      isInOrder();
    } finally {
      await way.stop();
    }
  });

  it('go on in Prometheus as the same series when the one that leads is killed', {
    skip: skipWithout('prometheus'),
  }, async () => {
    const prometheus: Prometheus = await startPrometheus();
    try {
      const more = `[[outputs]]
name = "prometheus"
type = "remote_write"
url = "${prometheus.origin}/api/v1/write"
interval_secs = ${intervalSecs}
`;
      const newest = async () => {
        const found = await prometheus.query('timestamp(statusd_monitor_up{id="web"} == 1)');
        assert.ok(found.length <= 1, JSON.stringify(found));
        return found[0]?.value ?? 0;
      };
      const isNewerThan = (secs: number) =>
        until(
          async () => (await newest()) > secs,
          () => `nothing since ${secs}`,
        );
      const { a, b } = await startBoth(more);
      await isNewerThan(0);
      await kill(a);
      await b.says('node.leads');
      await isNewerThan(await newest());
      const refused = [...a.lines, ...b.lines].filter(({ event }) => event.startsWith('output.'));
      assert.deepEqual(refused, []);
    } finally {
      await prometheus.stop();
    }
  });
});

function seriesIn(body: Buffer): ReadonlyMap<string, number> {
  if (body.length === 0) return new Map();
  return new Map(
    readWriteRequest(body).timeseries.map(({ labels, samples }) => [
      labels.map(({ name, value }) => `${name}="${value}"`).join(),
      samples[0]?.timestamp ?? 0,
    ]),
  );
}
