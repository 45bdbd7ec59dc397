import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { reserveAddress, startHttp } from '../../src/serve/http.ts';
import type { Handler } from '../../src/serve/http-types.ts';
import { openWorld, type World } from './world.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const config = `
auth_token = "operator-token"
rate_limit_burst = 5

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"
`;

describe('the server', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  it('answers what is not there with a problem', async () => {
    const reply = await world.ask('/nothing');
    assert.equal(reply.status, 404);
    assert.equal(reply.headers.get('content-type'), 'application/problem+json');
    assert.deepEqual(reply.json(), {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is nothing at this address.',
    });
  });

  it('answers the wrong method with what it takes', async () => {
    for (const [method, path, allow] of [
      ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/api/push/job', 'POST, GET, HEAD, OPTIONS'],
      ['PUT', '/api/announce', 'POST, DELETE, OPTIONS'],
    ] as const) {
      const reply = await world.ask(path, { method });
      assert.equal(reply.status, 405);
      assert.equal(reply.headers.get('allow'), allow);
    }
  });

  it('answers HEAD as GET, without the body', async () => {
    const [head, get] = [await world.ask('/healthz', { method: 'HEAD' }), await world.ask('/healthz')];
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
    assert.equal((await world.ask('/nothing', { method: 'HEAD' })).status, 404);
  });

  it('answers a browser what it may send before it sends it', async () => {
    const reply = await world.ask('/api/silence', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    });
    assert.equal(reply.status, 204);
    assert.equal(reply.headers.get('access-control-allow-origin'), '*');
    assert.equal(reply.headers.get('access-control-allow-methods'), 'POST, DELETE, OPTIONS');
  });

  it('says of itself as a whole what it takes', async () => {
    const preflight = 'Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n';
    const reply = await world.raw(`OPTIONS * HTTP/1.1\r\nHost: a\r\n${preflight}Connection: close\r\n\r\n`);
    assert.match(reply, /^HTTP\/1\.1 204 /);
    assert.match(reply, /\r\nallow: GET, HEAD, POST, DELETE, OPTIONS\r\n/i);
    assert.match(reply, /\r\naccess-control-allow-origin: \*\r\n/i);
    assert.match(reply, /\r\naccess-control-allow-methods: GET, HEAD, POST, DELETE, OPTIONS\r\n/i);
    assert.match(reply, /\r\nx-request-id: \S+\r\n/i);
    assert.match(
      await world.raw('GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400 /,
    );
  });

  it('counts every limited request of a client and refuses the one too many', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const left: (string | null)[] = [];
    for (let count = 0; count < 5; count += 1) {
      const reply = await world.ask('/api/summary', { headers });
      assert.equal(reply.headers.get('x-ratelimit-limit'), '5');
      left.push(reply.headers.get('x-ratelimit-remaining'));
    }
    assert.deepEqual(left, ['4', '3', '2', '1', '0']);
    const refused = await world.ask('/api/summary', { headers });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(refused.headers.get('x-ratelimit-reset'), '5');
    assert.equal(
      (await world.ask('/api/summary', { headers: { 'x-forwarded-for': '203.0.113.8' } })).status,
      200,
    );
    assert.equal((await world.ask('/healthz', { headers })).status, 200);
    world.clock.advance(1000);
    assert.equal((await world.ask('/api/summary', { headers })).status, 200);
  });

  it('reads what a proxy appends behind more headers than anyone needs', async () => {
    const many = Array.from({ length: 1500 }, (_, index) => `h${index}: 1\r\n`).join('');
    const statuses: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const claimed = `X-Forwarded-For: 192.0.2.${count}\r\n`;
      const head = `GET /api/summary HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${claimed}${many}`;
      const reply = await world.raw(`${head}X-Forwarded-For: 203.0.113.11\r\n\r\n`);
      statuses.push(reply.slice(9, 12));
    }
    assert.deepEqual(statuses, ['200', '200', '200', '200', '200', '429']);
    const body = 'status=down';
    const sent = `X-Push-Token: job-token\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n`;
    const told = await world.raw(
      `POST /api/push/job HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${many}${sent}\r\n${body}`,
    );
    assert.match(told, /^HTTP\/1\.1 200 /);
    assert.equal(world.engine.heartbeats.at(-1)?.status, 'down');
  });

  it('takes heartbeats with the right token while unauthenticated clients from the same address flood it', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    for (let count = 0; count < 8; count += 1) {
      await world.ask('/api/push/job', { method: 'POST', headers });
    }
    assert.equal((await world.ask('/api/push/job', { method: 'POST', headers })).status, 429);
    const good = { ...headers, 'x-push-token': 'job-token' };
    assert.equal((await world.ask('/api/push/job', { method: 'POST', headers: good })).status, 200);
  });

  it('limits guesses at the access token', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.10', authorization: 'Bearer guess' };
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await world.ask('/api/announce', { method: 'DELETE', headers })).status);
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  });

  it('names the request as the proxy did, when that is a name', async () => {
    const given = await world.ask('/healthz', { headers: { 'x-request-id': 'proxy.1_2-3' } });
    assert.equal(given.headers.get('x-request-id'), 'proxy.1_2-3');
    const strange = await world.ask('/healthz', { headers: { 'x-request-id': 'a b' } });
    assert.match(strange.headers.get('x-request-id') ?? '', /^made-\d+$/);
  });

  it('lets those wait who come while the daemon still starts', async () => {
    const parts = {
      loaded: world.loaded,
      store: world.store,
      clock: world.clock,
      log: () => undefined,
      version: '0',
      engine: world.engine,
      probe: () => Promise.reject(new Error('nothing is probed here')),
      newRequestId: () => 'id',
    };
    const reserved = await reserveAddress(parts);
    const url = `http://127.0.0.1:${reserved.address.port}/healthz`;
    let isAnswered = false;
    const early = fetch(url).then(({ status }) => {
      isAnswered = true;
      return status;
    });
    const knock = connect(reserved.address.port, '127.0.0.1');
    await once(knock, 'connect');
    knock.destroy();
    assert.equal(isAnswered, false);
    const http = await startHttp({ ...parts, reserved });
    try {
      assert.deepEqual([await early, (await fetch(url)).status], [200, 200]);
    } finally {
      await http.stop(0);
    }
  });

  it('keeps nothing of what answered before, as on a node that stood by', async () => {
    const reserved = await reserveAddress({
      loaded: world.loaded,
      clock: world.clock,
      log: () => undefined,
      newRequestId: () => 'id',
    });
    try {
      const before = (() => {
        const handler: Handler = () => Promise.reject(new Error('nobody asks'));
        reserved.answerWith(handler);
        return new WeakRef(handler);
      })();
      reserved.answerWith(() => Promise.reject(new Error('nobody asks')));
      // What was looked at stays until the turn ends.
      await new Promise((resolve) => setTimeout(resolve, 10));
      collectGarbage();
      assert.equal(before.deref(), undefined);
    } finally {
      await reserved.stop(0);
    }
  });

  it('keeps little of each guess, however long the address that it was made at', async () => {
    const heapOf = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const id = 'x'.repeat(14_000);
    const guess = async (client: number, token: number) => {
      const headers = { 'x-forwarded-for': `198.18.0.${client}`, 'x-push-token': `guess-${token}` };
      return (await world.ask(`/api/push/${id}${client}`, { method: 'POST', headers })).status;
    };
    await guess(0, 0);
    const before = heapOf();
    for (let client = 1; client <= 100; client += 1)
      for (let token = 0; token < 9; token += 1) assert.ok([404, 429].includes(await guess(client, token)));
    assert.ok(heapOf() - before < 6_000_000, `${heapOf() - before} bytes more`);
  });

  it('says which address is taken, and what to do', async () => {
    const { port } = world;
    const text = world.loaded();
    const taken = {
      ...text,
      config: { ...text.config, server: { ...text.config.server, bind: `127.0.0.1:${port}` } },
    };
    await assert.rejects(
      startHttp({
        loaded: () => taken,
        store: world.store,
        clock: world.clock,
        log: () => undefined,
        version: '0',
        engine: world.engine,
        probe: () => Promise.reject(new Error('nothing is probed here')),
        newRequestId: () => 'id',
      }),
      {
        code: 'address_unusable',
        message: `cannot listen on 127.0.0.1:${port}: another program does`,
        hint: 'Stop that program, or set server.bind or $STATUSD_BIND to another address.',
      },
    );
  });
});

describe('a fault of the program', () => {
  it('is a 500 that names the request, and one line of the log that names no secret', async () => {
    const world = await openWorld(config);
    try {
      world.engine.refusal = new Error('broke at job-token');
      const reply = await world.ask('/api/push/job?token=job-token', { method: 'POST' });
      assert.equal(reply.status, 500);
      const id = reply.headers.get('x-request-id') ?? '';
      assert.match(reply.text, new RegExp(`request ${id}\\.`));
      assert.doesNotMatch(reply.text, /broke/);
      assert.deepEqual(world.logged, [
        {
          level: 'error',
          event: 'http.failed',
          message: 'A request could not be answered (broke at ***).',
          fields: { request_id: id, method: 'POST' },
        },
      ]);
    } finally {
      await world.close();
    }
  });
});
