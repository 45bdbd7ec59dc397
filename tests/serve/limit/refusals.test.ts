import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openWorld, type World } from '../world.ts';

const config = `
auth_token = "operator-token-0123456789"
rate_limit_burst = 10000

[node]
token = "node-token"

[[peers]]
id = "paris"
listen_token = "peer-token"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"

[[monitors]]
id = "hidden"
kind = "push"
push_token = "hidden-token"
public = false
`;

const canary = 'a-wrong-token-0123456789';

describe('a refused token', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  let last = 0;
  /** An address that nobody had before, over a proxy on this machine. */
  const newAddress = () => `203.0.113.${(last += 1)}`;
  const lines = (address: string) =>
    world.logged.filter(({ event, fields }) => event === 'http.refused' && fields?.['address'] === address);
  const refusedTotal = async (reason: string) => {
    // The figures are kept for a while.
    await world.clock.run(2000);
    const { text } = await world.ask('/metrics', {
      headers: { authorization: 'Bearer operator-token-0123456789', 'x-forwarded-for': '203.0.113.250' },
    });
    const found = new RegExp(`^statusd_http_refused_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text);
    return Number(found?.[1] ?? Number.NaN);
  };

  for (const [name, path, method, headers, reason, routes] of [
    ['of a heartbeat', '/api/push/job', 'POST', { 'x-push-token': canary }, 'wrong_token', 'heartbeats'],
    ['of a heartbeat, in the query', `/api/push/job?token=${canary}`, 'GET', {}, 'wrong_token', 'heartbeats'],
    ['of a heartbeat, in the path', `/api/push/${canary}`, 'PUT', {}, 'wrong_token', 'heartbeats'],
    [
      'of a private monitor',
      '/api/push/hidden',
      'POST',
      { 'x-push-token': canary },
      'wrong_token',
      'heartbeats',
    ],
    ['that is none, of a heartbeat', '/api/push/job', 'POST', {}, 'no_token', 'heartbeats'],
    ['of an alert', '/api/monitors/job/alert', 'POST', { 'x-push-token': canary }, 'wrong_token', 'alerts'],
    [
      'of a command',
      '/api/announce',
      'DELETE',
      { authorization: `Bearer ${canary}` },
      'wrong_token',
      'commands',
    ],
    [
      'of another use',
      '/api/announce',
      'DELETE',
      { authorization: 'Bearer job-token' },
      'wrong_token',
      'commands',
    ],
    ['of a reader', `/?token=${canary}`, 'GET', {}, 'wrong_token', 'pages and figures'],
    ['of a peer', '/api/peer/probe', 'POST', { 'x-push-token': canary }, 'wrong_token', 'probes for peers'],
    [
      'of a node',
      '/api/node/checks',
      'POST',
      { authorization: `Bearer ${canary}` },
      'wrong_token',
      'checks for nodes',
    ],
    ['of the link of a message', `/ack/${canary}`, 'GET', {}, 'wrong_link', 'links and pages'],
    ['of the link of a mail', `/unsubscribe/${canary}`, 'GET', {}, 'wrong_link', 'links and pages'],
  ] as const)
    it(`${name} is counted, and named in the log without the token`, async () => {
      const address = newAddress();
      const before = await refusedTotal(reason);
      const { headers: answered } = await world.ask(path, {
        method,
        headers: { 'x-forwarded-for': address, ...headers },
      });
      assert.deepEqual(
        lines(address).map(({ level, fields }) => ({ level, ...fields })),
        [
          {
            level: 'warning',
            address,
            proxy: '127.0.0.1',
            count: 1,
            reason,
            routes,
            request_id: answered.get('x-request-id'),
          },
        ],
      );
      assert.equal(await refusedTotal(reason), before + 1);
      assert.doesNotMatch(JSON.stringify(world.logged), /wrong-token-0123|job-token/);
    });

  it('has one line a minute for each address, with the number of all', async () => {
    const address = newAddress();
    const push = (token: string) =>
      world.ask('/api/push/job', {
        method: 'POST',
        headers: { 'x-forwarded-for': address, 'x-push-token': token },
      });
    await world.clock.run(120_000);
    for (let index = 0; index < 50; index += 1) await push(`guess-${index}`);
    assert.equal(lines(address).length, 1);
    await world.clock.run(59_000);
    assert.equal(lines(address).length, 1);
    await world.clock.run(1000);
    const [first, second] = lines(address).map(({ message }) => message);
    assert.equal(first, `refused 1 request from ${address} by 127.0.0.1: wrong token (heartbeats)`);
    assert.equal(
      second,
      `refused 49 requests from ${address} by 127.0.0.1: too many wrong tokens (heartbeats)`,
    );
    await world.clock.run(600_000);
    assert.equal(lines(address).length, 2);
    await push('once-more');
    assert.equal(lines(address).length, 3);
  });

  it('of a thousand addresses fills no log', async () => {
    await world.clock.run(600_000);
    const before = world.logged.length;
    for (let index = 0; index < 1000; index += 1)
      await world.ask('/api/push/job', {
        method: 'POST',
        headers: { 'x-forwarded-for': `198.18.${index >> 8}.${index & 255}`, 'x-push-token': 'guess' },
      });
    assert.equal(world.logged.length - before, 101);
    await world.clock.run(60_000);
    assert.match(world.logged.at(-1)?.message ?? '', /^refused 899 requests from other addresses: /);
  });

  it('is no request that is right, or that needs none', async () => {
    const address = newAddress();
    for (const [path, headers] of [
      ['/api/push/job', { 'x-push-token': 'job-token' }],
      ['/', {}],
      ['/', { authorization: 'Bearer operator-token-0123456789' }],
      ['/', { 'x-push-token': 'peer-token' }],
      ['/nothing', {}],
    ] as const)
      await world.ask(path, { headers: { 'x-forwarded-for': address, ...headers } });
    assert.deepEqual(lines(address), []);
  });

  it('is no figure for strangers', async () => {
    assert.doesNotMatch((await world.ask('/metrics')).text, /http_refused/);
  });
});

describe('requests over the rate', () => {
  it('are counted, and are in no log', async () => {
    const world = await openWorld('rate_limit_burst = 1\nauth_token = "operator-token"');
    try {
      for (let index = 0; index < 5; index += 1) await world.ask('/api/summary');
      const headers = { authorization: 'Bearer operator-token' };
      const { text } = await world.ask('/metrics', { headers });
      assert.match(text, /^statusd_http_refused_total\{reason="rate_limit"\} 4$/m);
      assert.deepEqual(world.logged, []);
    } finally {
      await world.close();
    }
  });
});
