/** Two nodes that reach each other over https: real daemons behind a relay that ends TLS, and a real PostgreSQL. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import {
  lossyWay,
  type LossyWay,
  type Postgres,
  skipWithoutPostgres,
  startPostgres,
} from '../support/postgres.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { type Authority, createAuthority } from '../support/tls.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const leaseSecs = 5;
const tokens = { operators: 'of-the-operators', nodes: 'of-the-nodes', push: 'of-the-job' };
/** By their names (src/engine/nodes/rank.ts), two of them are asked for by a first, and three by b. */
const ids = ['m3', 'm4', 'm6', 'm7', 'm8'];

type Env = Readonly<Record<string, string>>;

describe('two nodes behind proxies that end TLS', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let authority: Authority;
  let target: Target;
  const broken = new Set<string>();
  let inbox: WebhookInbox;
  let way: LossyWay;
  const folder = makeFolder();
  const relays: Relay[] = [];
  const daemons = new Map<string, Daemon>();

  before(async () => {
    postgres = await startPostgres();
    authority = createAuthority('Authority of the House');
    target = await startHttp(
      ({ url = '' }, response) => response.writeHead(broken.has(url.slice(1)) ? 503 : 200).end(),
      { host: '0.0.0.0' },
    );
  });
  after(async () => {
    await target.close();
    authority.remove();
    await postgres.stop();
    folder.remove();
  });
  beforeEach(async () => {
    inbox = await openWebhookInbox();
    broken.clear();
  });
  afterEach(async () => {
    await Promise.all([...daemons.values()].map((daemon) => daemon.end('SIGKILL')));
    daemons.clear();
    await Promise.all(relays.splice(0).map((relay) => relay.close()));
    await way.stop();
    await inbox.close();
  });

  const start = async (id: string, database: string, env: Env): Promise<Daemon> => {
    const port = () => {
      const url = daemons.get(id)?.url;
      return url === undefined ? null : Number(new URL(url).port);
    };
    const relay = await startRelay(port, authority.issue({ names: ['127.0.0.1'] }));
    relays.push(relay);
    const file = folder.at(`${id}.toml`);
    writeFileSync(
      file,
      nodeConfig({
        id,
        database,
        leaseSecs,
        inbox: inbox.url,
        server: `auth_token = "${tokens.operators}"`,
        node: `url = "${relay.origin}"\ntoken = "${tokens.nodes}"`,
      }) +
        `
[[monitors]]
id = "job"
kind = "push"
interval_secs = 60
push_token = "${tokens.push}"
${ids
  .map(
    (monitor, index) => `[[monitors]]
id = "${monitor}"
target = "http://127.0.0.${2 + index}:${target.port}/${monitor}"
interval_secs = 1
timeout_secs = 1
`,
  )
  .join('')}`,
    );
    const daemon = await startDaemon(folder.path, { env: { ...env, STATUSD_CONFIG: file } });
    daemons.set(id, daemon);
    return daemon;
  };
  /** The database of the one that leads can be taken from it alone. */
  const startBoth = async (env: Env) => {
    const database = await postgres.database();
    way = await lossyWay(database);
    const a = await start('a', way.url, env);
    await a.says('node.leads');
    const b = await start('b', database, env);
    await b.says('node.standby');
    return { a, b };
  };
  const push = async ({ url }: Daemon) =>
    (await fetch(`${url}api/push/job`, { method: 'POST', headers: { 'x-push-token': tokens.push } })).status;
  /** The status of its answer, and what is wrong. */
  const health = async ({ url }: Daemon) => {
    const answer = await fetch(`${url}healthz`);
    return `${answer.status} ${((await answer.json()) as { reason: string | null }).reason ?? ''}`;
  };
  /** How many checks one node asked the other for, by what came of them. */
  const checksBy = async (node: string, { url }: Daemon) => {
    const headers = { authorization: `Bearer ${tokens.operators}` };
    const text = await (await fetch(`${url}metrics`, { headers })).text();
    const found = new RegExp(`statusd_node_checks_total\\{node="${node}",outcome="result"\\} (\\d+)`).exec(
      text,
    );
    return Number(found?.[1] ?? 0);
  };
  const doctor = async (id: string, env: Env) => {
    const { stdout } = await runCli(['doctor', '--json', '-c', folder.at(`${id}.toml`)], {
      cwd: folder.path,
      env,
    });
    const { checks } = JSON.parse(stdout) as {
      readonly checks: readonly { check: string; verdict: string; message: string; cure: string | null }[];
    };
    return checks.filter(({ check }) => check === 'nodes');
  };
  const hears = (event: string, id: string) =>
    until(
      () => inbox.of(event, id)[0],
      () => `no ${event} among ${inbox.messages.map((message) => message.event).join(', ')}`,
    );
  const alarms = () =>
    inbox.messages.flatMap(({ event, monitor_id: id }) =>
      event.startsWith('storage_') ? [] : [`${event} ${id}`],
    );
  const said = (daemon: Daemon, event: string) => daemon.lines.filter((line) => line.event === event);
  const noSecrets = () => {
    const all = JSON.stringify([...daemons.values()].map(({ lines }) => lines));
    for (const secret of Object.values(tokens)) assert.ok(!all.includes(secret), secret);
  };

  for (const variable of ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])
    it(`share checks, hand heartbeats on and ask each other where ${variable} has their authority`, async () => {
      const env = { [variable]: authority.file };
      const { a, b } = await startBoth(env);
      await until(
        async () => (await checksBy('b', a)) > 10,
        () => `b makes no checks: ${JSON.stringify(a.lines.slice(-3))}`,
      );
      await until(
        async () => (await push(b)) === 200,
        () => `no heartbeat is handed on: ${JSON.stringify(b.lines.slice(-3))}`,
      );
      const found = await doctor('b', env);
      assert.deepEqual(
        found.map(({ verdict, message }) => `${verdict}: ${message.replace(/ in .*?,/, ',')}`),
        ['ok: a answers, accepts the token', 'ok: b answers, accepts the token'],
      );
      broken.add('m3');
      assert.match(JSON.stringify(await hears('down', 'm3')), /seen from (a and b|b and a)/);
      // They meet once a lease.
      await pause((leaseSecs + 1) * 1000);
      await way.stop();
      await b.says('node.leads');
      await a.says('node.steps_down');
      broken.clear();
      await hears('recovered', 'm3');
      await pause(2000);
      assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
      assert.deepEqual(said(b, 'node.unreachable'), []);
      noSecrets();
    });

  it('say of which node the certificate is not trusted, and an outage is notified all the same', async () => {
    const { a, b } = await startBoth({});
    const certificate =
      /the certificate of 127\.0\.0\.1:\d+ comes from an unknown authority.*NODE_EXTRA_CA_CERTS/;
    const leftOut = await a.says('node.left_out');
    assert.match(leftOut.message, /^b does not answer: /);
    assert.match(leftOut.message, certificate);
    await until(
      async () => (await push(b)) === 503 && said(b, 'node.unreachable').length > 0,
      () => JSON.stringify(b.lines),
    );
    for (let again = 0; again < 3; again += 1) assert.equal(await push(b), 503);
    // A load balancer is told, too.
    await until(
      async () =>
        (await health(b)).startsWith('503 heartbeats cannot be forwarded to the leader: a is not reached'),
      () => 'b is healthy although it cannot hand heartbeats on',
    );
    assert.match(await health(a), /^200 /);
    const unreachable = said(b, 'node.unreachable');
    assert.equal(unreachable.length, 1);
    assert.match(
      unreachable[0]?.message ?? '',
      /^heartbeats cannot be forwarded to the leader: a does not answer: /,
    );
    assert.match(unreachable[0]?.message ?? '', certificate);
    for (const [index, { verdict, message, cure }] of (await doctor('b', {})).entries()) {
      assert.equal(verdict, 'fail');
      assert.match(message, new RegExp(`^${index === 0 ? 'a' : 'b'} cannot be reached at https://127`));
      assert.match(message, certificate);
      assert.match(cure ?? '', /a certificate for this name that all nodes trust/);
    }
    broken.add('m3');
    await hears('down', 'm3');
    broken.clear();
    await hears('recovered', 'm3');
    assert.deepEqual(alarms(), ['down m3', 'recovered m3']);
    assert.equal(said(a, 'node.left_out').length, 1);
    assert.equal(await checksBy('b', a), 0);
    noSecrets();
  });
});
