/** The clients against real servers on loopback: nodes, strangers, and worse. */
import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Peer } from '../../../../src/engine/config/config.ts';
import { Secret } from '../../../../src/engine/config/secret.ts';
import type { PeerClients } from '../../../../src/engine/peers/client/clients.ts';
import { createPeerClients } from '../../../../src/engine/peers/client/create-clients.ts';
import { load } from '../../../support/config.ts';
import { startAnswer, startHttp, startRaw, type Target } from '../../../support/http-target.ts';
import { probeContext } from '../../../support/probing.ts';
import { realClock } from '../../../support/real-clock.ts';

const token = 'tok-f3a9-paris';
const never = new AbortController().signal;
const { resolver, trust } = probeContext();
const tools = { clock: realClock, resolver, trust, version: '1.2.3' };
const clients = createPeerClients(tools);
const about = { from: 'rome', id: 'web', kind: 'http', target: 'https://web.example/' };

/** Every deadline is over at once; `limitsMs` are what they were meant to be. */
const limitsMs: number[] = [];
const hasty = createPeerClients({
  ...tools,
  clock: {
    ...realClock,
    sleep: (ms, signal) => {
      limitsMs.push(ms);
      return realClock.sleep(60, signal);
    },
  },
});

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that keeps what it was asked. */
async function answering(listener: RequestListener): Promise<Target & { readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const target = await startHttp((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, url, headers } = request;
      asked.push({ method, url, headers, body: Buffer.concat(parts).toString() });
      listener(request, response);
    });
  });
  return { ...target, asked };
}

async function peerAt(origin: string, path = '/api/push/rome'): Promise<Peer> {
  const { config } = await load(
    `[health]\nid = "rome"\n[[peers]]\nid = "paris"\nping_url = "${origin}${path}"\nping_token = "${token}"\n`,
  );
  const [peer] = config.peers;
  assert.ok(peer);
  return peer;
}

/** Everything a peer can be asked. */
const questions: Readonly<
  Record<string, (each: PeerClients, peer: Peer, signal?: AbortSignal) => Promise<{ kind: string }>>
> = {
  sendHeartbeat: (each, peer, signal = never) => each.sendHeartbeat(peer, signal),
  callDeadMan: (each, { ping_url: url }, signal = never) => each.callDeadMan(url ?? new Secret(''), signal),
  askHealth: (each, peer, signal = never) => each.askHealth(peer, signal),
  askVerdict: (each, peer, signal = never) => each.askVerdict(peer, about, signal),
};

async function withTarget<T>(target: Promise<Target>, work: (target: Target) => Promise<T>): Promise<T> {
  const started = await target;
  try {
    return await work(started);
  } finally {
    await started.close();
  }
}

describe('a heartbeat', () => {
  let node: Target & { readonly asked: Asked[] };
  before(async () => {
    node = await answering((_request, response) => response.end('{"status":"ok"}'));
  });
  after(() => node.close());

  it('is a POST with the token in its header, and no body', async () => {
    const answer = await clients.sendHeartbeat(await peerAt(node.origin, '/api/push/rome?msg=hi'), never);
    assert.deepEqual(answer, { kind: 'taken' });
    const asked = node.asked.at(-1);
    assert.equal(asked?.method, 'POST');
    assert.equal(asked.url, '/api/push/rome?msg=hi');
    assert.equal(asked.headers['x-push-token'], token);
    assert.equal(asked.headers['user-agent'], 'statusd/1.2.3');
    assert.equal(asked.body, '');
  });

  it('to a dead-man service is a GET without any token', async () => {
    const url = new Secret(`${node.origin}/ping/3f2a`);
    assert.deepEqual(await clients.callDeadMan(url, never), { kind: 'taken' });
    const asked = node.asked.at(-1);
    assert.equal(asked?.method, 'GET');
    assert.equal(asked.url, '/ping/3f2a');
    assert.equal(asked.headers['x-push-token'], undefined);
  });

  for (const status of [301, 400, 401, 403, 404, 429, 500, 503]) {
    it(`that is answered ${status} is refused, and goes nowhere else`, async () => {
      const elsewhere = await answering((_request, response) => response.end());
      await withTarget(
        answering((_request, response) => {
          response.writeHead(status, { location: elsewhere.origin }).end();
        }),
        async ({ origin }) => {
          const answer = await clients.sendHeartbeat(await peerAt(origin), never);
          assert.deepEqual(answer, { kind: 'refused', status });
        },
      );
      assert.deepEqual(elsewhere.asked, []);
      await elsewhere.close();
    });
  }
});

describe('a peer that is asked', () => {
  const health = {
    status: 'ok',
    scheduler_ok: true,
    db_ok: true,
    id: 'paris',
    peers: { rome: { state: 'up', age: 3.2 }, oslo: { state: 'down', age: null } },
  };

  function telling(document: unknown, status = 200): Promise<Target & { readonly asked: Asked[] }> {
    return answering((_request, response) => {
      response.writeHead(status, { date: new Date(Date.now() + 3_600_000).toUTCString() });
      response.end(typeof document === 'string' ? document : JSON.stringify(document));
    });
  }

  it('says how it sees its peers, and how far its clock is off', async () => {
    const node = await telling(health);
    const answer = await clients.askHealth(await peerAt(node.origin), never);
    await node.close();
    assert.equal(node.asked[0]?.url, '/healthz');
    assert.equal(node.asked[0].headers['x-push-token'], token);
    assert.ok(answer.kind === 'answered');
    assert.equal(answer.isWell, true);
    assert.equal(answer.id, 'paris');
    assert.deepEqual(
      [...answer.peers],
      [
        ['rome', { state: 'up', ageSecs: 3.2 }],
        ['oslo', { state: 'down', ageSecs: null }],
      ],
    );
    assert.ok(Math.abs((answer.skewMs ?? 0) - 3_600_000) < 30_000, `${answer.skewMs}`);
  });

  it('that is degraded answers all the same', async () => {
    const answer = await withTarget(telling({ ...health, status: 'degraded' }, 503), async ({ origin }) =>
      clients.askHealth(await peerAt(origin), never),
    );
    assert.ok(answer.kind === 'answered');
    assert.equal(answer.isWell, false);
    assert.equal(answer.peers.size, 2);
  });

  for (const [name, document] of [
    ['no JSON', '<html>'],
    ['an array', []],
    ['null', 'null'],
    ['another document', { status: 'ok' }],
    ['an answer that never ends in sight', `{"scheduler_ok":true,"pad":"${'x'.repeat(2_000_000)}"}`],
  ] as const) {
    it(`that answers ${name} is none`, async () => {
      const answer = await withTarget(telling(document), async ({ origin }) =>
        clients.askHealth(await peerAt(origin), never),
      );
      assert.equal(answer.kind, 'unreachable');
    });
  }

  it('that answers nonsense about its peers is heard as far as it makes sense', async () => {
    const peers = {
      rome: { state: 'up', age: -1 },
      '../x': { state: 'up', age: 1 },
      oslo: 'up',
      bonn: { state: 7, age: 1 },
      kiel: { state: '\u001b[31mup\u001b[0m', age: 'soon' },
      __proto__: { state: 'up' },
    };
    const answer = await withTarget(telling({ ...health, id: 'a b', peers }), async ({ origin }) =>
      clients.askHealth(await peerAt(origin), never),
    );
    assert.ok(answer.kind === 'answered');
    assert.equal(answer.id, null);
    assert.deepEqual(
      [...answer.peers],
      [
        ['rome', { state: 'up', ageSecs: null }],
        ['kiel', { state: 'up', ageSecs: null }],
      ],
    );
  });

  it('that refuses the token is reached, and its reports do not count', async () => {
    const answer = await withTarget(telling({}, 401), async ({ origin }) =>
      clients.askHealth(await peerAt(origin), never),
    );
    assert.deepEqual(answer, { kind: 'refused', status: 401 });
  });
});

describe('a verdict', () => {
  function judging(status: number, document: unknown): Promise<Target & { readonly asked: Asked[] }> {
    return answering((_request, response) => response.writeHead(status).end(JSON.stringify(document)));
  }

  it('is asked for at the origin of ping_url, with the target in question', async () => {
    const node = await judging(200, { up: false, status: 'down', latency_ms: null, error: 'answered 503' });
    const answer = await clients.askVerdict(
      await peerAt(node.origin, '/sub/api/push/rome?x=1'),
      about,
      never,
    );
    await node.close();
    const asked = node.asked[0];
    assert.equal(asked?.method, 'POST');
    assert.equal(asked.url, '/api/peer/probe');
    assert.equal(asked.headers['x-push-token'], token);
    assert.equal(asked.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(asked.body), about);
    assert.ok(answer.kind === 'answered');
    const { isUp, status, latencyMs, error } = answer;
    assert.deepEqual(
      { isUp, status, latencyMs, error },
      {
        isUp: false,
        status: 'down',
        latencyMs: null,
        error: 'answered 503',
      },
    );
  });

  for (const [status, expected] of [
    [401, { kind: 'refused', status: 401 }],
    [404, { kind: 'unknown_target' }],
    [429, { kind: 'busy' }],
    [503, { kind: 'refused', status: 503 }],
    [307, { kind: 'refused', status: 307 }],
  ] as const) {
    it(`answered ${status} is none`, async () => {
      const answer = await withTarget(judging(status, { up: false, status: 'down' }), async ({ origin }) =>
        clients.askVerdict(await peerAt(origin), about, never),
      );
      assert.deepEqual(answer, expected);
    });
  }

  for (const [document, expected] of [
    [
      { up: true, status: 'down' },
      { isUp: true, status: 'unknown', latencyMs: null, error: null },
    ],
    [
      { up: false, status: 'up', latency_ms: -4 },
      { isUp: false, status: 'unknown', latencyMs: null, error: null },
    ],
    [
      { up: true, status: 7, latency_ms: 12.6, error: '' },
      { isUp: true, status: 'up', latencyMs: 13, error: null },
    ],
    [
      { up: false, status: 'unknown', error: { a: 1 } },
      { isUp: false, status: 'unknown', latencyMs: null, error: null },
    ],
  ] as const) {
    it(`of ${JSON.stringify(document)} is taken for what it can mean`, async () => {
      const answer = await withTarget(judging(200, document), async ({ origin }) =>
        clients.askVerdict(await peerAt(origin), about, never),
      );
      assert.ok(answer.kind === 'answered');
      const { isUp, status, latencyMs, error } = answer;
      assert.deepEqual({ isUp, status, latencyMs, error }, expected);
    });
  }

  it('has an error of one bounded line, whatever the peer sent', async () => {
    const error = `\u001b]0;title\u0007line one\nline two ${'x'.repeat(5000)}`;
    const answer = await withTarget(judging(200, { up: false, status: 'down', error }), async ({ origin }) =>
      clients.askVerdict(await peerAt(origin), about, never),
    );
    assert.ok(answer.kind === 'answered' && answer.error !== null);
    assert.ok(answer.error.startsWith('line one line two'), answer.error);
    assert.ok(answer.error.length <= 500);
  });

  it('without a boolean is no verdict', async () => {
    for (const document of [{}, { up: 'yes' }, [], null, 'up']) {
      const answer = await withTarget(judging(200, document), async ({ origin }) =>
        clients.askVerdict(await peerAt(origin), about, never),
      );
      assert.equal(answer.kind, 'unreachable');
    }
  });
});

describe('every question', () => {
  const hostile: readonly (readonly [string, () => Promise<Target>])[] = [
    ['hangs up', () => startRaw((socket) => socket.destroy())],
    ['speaks another protocol', () => startAnswer('220 mail.example ESMTP\r\n')],
    ['sends too many headers', () => startAnswer(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(30_000)}`)],
    ['breaks off in its answer', () => startAnswer('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"up":')],
  ];
  for (const [name, ask] of Object.entries(questions)) {
    for (const [what, start] of hostile) {
      it(`${name} ends when the other side ${what}`, async () => {
        const answer = await withTarget(start(), async ({ origin }) => ask(clients, await peerAt(origin)));
        const isTaken = what === 'breaks off in its answer' && name !== 'askHealth' && name !== 'askVerdict';
        assert.equal(answer.kind, isTaken ? 'taken' : 'unreachable');
      });
    }

    it(`${name} ends at its deadline when the other side says nothing`, async () => {
      limitsMs.length = 0;
      const answer = await withTarget(
        startRaw(() => undefined),
        async ({ origin }) => ask(hasty, await peerAt(origin)),
      );
      assert.equal(answer.kind, 'unreachable');
      assert.equal(limitsMs[0], name === 'askVerdict' ? 12_000 : 10_000);
    });

    it(`${name} ends at its deadline when the answer trickles in`, async () => {
      const answer = await withTarget(
        startRaw((socket) => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          const timer = setInterval(() => socket.write(' '), 5);
          socket.once('close', () => {
            clearInterval(timer);
          });
        }),
        async ({ origin }) => ask(hasty, await peerAt(origin)),
      );
      assert.ok(answer.kind === 'unreachable' || answer.kind === 'taken', answer.kind);
    });

    it(`${name} ends at once when it is called off`, async () => {
      const stopping = new AbortController();
      const answer = await withTarget(
        startRaw((socket) => {
          socket.once('data', () => {
            stopping.abort(new Error('stop'));
          });
        }),
        async ({ origin }) => ask(clients, await peerAt(origin), stopping.signal),
      );
      assert.equal(answer.kind, 'unreachable');
    });

    it(`${name} says in words that nobody is there, without a secret`, async () => {
      const { origin, close } = await startRaw(() => undefined);
      await close();
      const answer = await ask(clients, await peerAt(origin, '/api/push/s3cret-path'));
      assert.ok(answer.kind === 'unreachable');
      const text = JSON.stringify(answer);
      assert.match(text, /connection refused/);
      assert.doesNotMatch(text, /s3cret|tok-f3a9/);
    });
  }
});
