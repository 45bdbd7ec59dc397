import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { CheckResult } from '../../../src/engine/core/probe.ts';
import type { ProbedMonitor } from '../../../src/engine/probes/probe.ts';
import { failedCheck, healthyCheck } from '../probing.ts';
import { openWorld, type World } from '../world.ts';

const site = 'https://site.example.com/';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[peers]]
id = "node-b"
listen_token = "token-of-b"

[[peers]]
id = "node-c"
listen_token = "token-of-c"

[[peers]]
id = "node-d"
listen_token = "token-of-d"

[[peers]]
id = "silent"

[[monitors]]
id = "other"
target = "${site}"

[[monitors]]
id = "site"
target = "${site}"
headers = { authorization = "Bearer monitor-secret" }
timeout_secs = 30
probe_retries = 5
degraded_over_ms = 100
public = false

[[monitors]]
id = "quick"
kind = "tcp"
target = "db.example.com:5432"
timeout_secs = 3

[[monitors]]
id = "plugin"
kind = "exec"
command = ["check_disk"]

[[monitors]]
id = "job"
kind = "push"
push_token = "monitor-secret"
`;

interface Probe {
  readonly monitor: ProbedMonitor;
  readonly signal: AbortSignal;
  readonly answer: (result: CheckResult) => void;
  readonly fail: (error: Error) => void;
}

describe('POST /api/peer/probe', () => {
  let world: World;
  let probes: Probe[] = [];
  let answer: CheckResult | null = healthyCheck;
  const probe = (monitor: ProbedMonitor, signal: AbortSignal): Promise<CheckResult> =>
    new Promise((resolve, reject) => {
      probes.push({ monitor, signal, answer: resolve, fail: reject });
      if (answer !== null) resolve(answer);
    });
  before(async () => {
    world = await openWorld(config, { http: { probe } });
  });
  after(() => world.close());

  const asked = (body: unknown, token = 'token-of-b', of = world) =>
    of.ask('/api/peer/probe', {
      method: 'POST',
      headers: { 'x-push-token': token },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const aboutSite = { from: 'node-b', id: 'site', kind: 'http', target: site };
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
  };
  const begin = (given: CheckResult | null) => {
    probes = [];
    answer = given;
  };

  it('answers what one probe with its own settings saw', async () => {
    begin(healthyCheck);
    const reply = await asked(aboutSite);
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json(), { up: true, status: 'up', latency_ms: 12, error: null });
    const [seen] = probes;
    assert.equal(seen?.monitor.id, 'site');
    assert.deepEqual(
      { timeout: seen.monitor.timeout_secs, retries: seen.monitor.probe_retries },
      { timeout: 10, retries: 0 },
    );
    assert.ok('headers' in seen.monitor && Object.keys(seen.monitor.headers).length === 1);
    await asked({ ...aboutSite, id: null, kind: 'tcp', target: 'db.example.com:5432' });
    assert.equal(probes[1]?.monitor.timeout_secs, 3);
  });

  it('distinguishes slow from up, and down with its reason but without secrets', async () => {
    begin({ ...healthyCheck, result: { ...healthyCheck.result, latencyMs: 100.6 } });
    assert.deepEqual((await asked(aboutSite)).json(), {
      up: true,
      status: 'degraded',
      latency_ms: 101,
      error: null,
    });
    begin(failedCheck(`it answered\u001b[31m monitor-secret ${'x'.repeat(2000)}`));
    const down = (await asked(aboutSite)).json() as { readonly error: string };
    assert.deepEqual({ ...down, error: null }, { up: false, status: 'down', latency_ms: null, error: null });
    assert.match(down.error, /^it answered \*\*\* x+…$/);
    assert.equal(down.error.length, 500);
  });

  it('prefers the monitor with the same id, and takes another with the same target', async () => {
    begin(healthyCheck);
    await asked({ ...aboutSite, id: 'other' });
    await asked({ ...aboutSite, id: 'unheard-of' });
    await asked({ kind: 'http', target: site });
    assert.deepEqual(
      probes.map(({ monitor }) => monitor.id),
      ['other', 'other', 'other'],
    );
  });

  it('dials nothing that it does not watch itself', async () => {
    begin(healthyCheck);
    let hits = 0;
    const trap = createServer((_, response) => {
      hits += 1;
      response.end();
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const address = trap.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const bodies = [
      { ...aboutSite, target: `http://127.0.0.1:${port}/` },
      { ...aboutSite, target: `${site}?x` },
      { ...aboutSite, kind: 'tcp' },
      { ...aboutSite, kind: 'icmp', target: '127.0.0.1' },
      { ...aboutSite, id: 'plugin', kind: 'exec', target: '' },
      { ...aboutSite, id: 'plugin', kind: 'exec', target: 'check_disk' },
      { ...aboutSite, id: 'job', kind: 'push', target: 'job' },
      { ...aboutSite, kind: '__proto__', target: 'constructor' },
    ];
    for (const body of bodies) assert.equal((await asked(body)).status, 404, JSON.stringify(body));
    trap.close();
    assert.deepEqual({ hits, probes: probes.length }, { hits: 0, probes: 0 });
  });

  it('names what is wrong with a question', async () => {
    begin(healthyCheck);
    const wrong = [
      '',
      'null',
      '[]',
      '"x"',
      '{',
      { kind: 'http' },
      { target: site },
      { ...aboutSite, target: 7 },
      { ...aboutSite, from: {} },
      { ...aboutSite, id: 'x'.repeat(65) },
      { ...aboutSite, target: `http://${'x'.repeat(4096)}` },
    ];
    for (const body of wrong) assert.equal((await asked(body)).status, 400, JSON.stringify(body));
    assert.equal((await asked('x'.repeat(70_000))).status, 413);
    assert.equal(probes.length, 0);
  });

  it('says nothing to those without the token of a peer', async () => {
    begin(healthyCheck);
    for (const token of ['', 'token-of-x', 'operator-token', 'monitor-secret', 'undefined', 'null']) {
      const reply = await asked(aboutSite, token);
      assert.equal(reply.status, 401, token);
      assert.equal(reply.headers.get('www-authenticate'), 'X-Push-Token');
    }
    assert.equal((await asked('{', 'token-of-x')).status, 401);
    assert.equal(probes.length, 0);
  });

  it('reports nothing down while it may have lost its own network', async () => {
    const refused = failedCheck('connection refused');
    const { result } = failedCheck('no route to host');
    begin({ ...refused, result: { ...result, isSilence: true } });
    world.engine.network = 'suspect';
    const blind = await asked(aboutSite);
    assert.deepEqual(blind.json(), {
      up: false,
      status: 'unknown',
      latency_ms: null,
      error: 'this node may have lost its network',
    });
    answer = healthyCheck;
    assert.equal(((await asked(aboutSite)).json() as { status: string }).status, 'up');
    answer = refused;
    const status = ((await asked(aboutSite)).json() as { status: string }).status;
    assert.equal(status, 'down', 'a refusal says more than that the network may be gone');
    world.engine.network = 'ok';
  });

  it('ends after 10 s whatever the probe does, and says that it knows nothing', async () => {
    begin(null);
    const reply = asked(aboutSite);
    await until(() => probes.length === 1);
    world.clock.advance(9_999);
    const [begun] = probes;
    assert.equal(begun?.signal.aborted, false);
    world.clock.advance(1);
    const { status, error } = (await reply).json() as { readonly status: string; readonly error: string };
    assert.deepEqual({ status, error }, { status: 'unknown', error: 'the probe did not end in time' });
    assert.ok(begun.signal.aborted);
    begin(null);
    const broken = asked(aboutSite);
    await until(() => probes.length === 1);
    probes[0]?.fail(new Error('called off'));
    assert.equal(((await broken).json() as { status: string }).status, 'unknown');
  });

  it('probes a monitor once for all who ask meanwhile, and for eight questions of a peer at once', async () => {
    begin(null);
    const replies = Array.from({ length: 9 }, () => asked(aboutSite));
    const refused = await Promise.race(replies);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
    const others = [
      asked(aboutSite, 'token-of-c'),
      asked({ ...aboutSite, kind: 'tcp', target: 'db.example.com:5432' }, 'token-of-c'),
    ];
    await until(() => probes.length === 2);
    for (const one of probes) one.answer(healthyCheck);
    const statuses = (await Promise.all([...replies, ...others])).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [...Array.from({ length: 10 }, () => 200), 429]);
    assert.equal(probes.length, 2);
    begin(healthyCheck);
    assert.equal((await asked(aboutSite)).status, 200);
    assert.equal(probes.length, 1);
  });

  it('has a bucket for each peer, apart from those of other clients', async () => {
    begin(healthyCheck);
    const small = await openWorld(config.replace('1000', '12'), { http: { probe } });
    try {
      const statusesOf = async (token: string, count: number) => {
        const statuses: number[] = [];
        while (statuses.length < count) statuses.push((await asked(aboutSite, token, small)).status);
        return statuses;
      };
      assert.equal((await statusesOf('nobody', 13)).at(-1), 429);
      assert.deepEqual(await statusesOf('token-of-b', 13), [...Array.from({ length: 12 }, () => 200), 429]);
      assert.deepEqual(await statusesOf('token-of-d', 1), [200]);
    } finally {
      await small.close();
    }
  });
});
