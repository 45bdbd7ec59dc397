import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { uncompress } from 'snappyjs';
import type { OutputSettings } from '../../../src/engine/config/config.ts';
import { createOutputs, type Outputs } from '../../../src/notify/outputs/outputs.ts';
import { startOutput, type RunningOutput } from '../../../src/notify/outputs/output.ts';
import { until } from '../../support/daemon.ts';
import { startHttp, startRaw, type Target } from '../../support/http-target.ts';
import { realClock } from '../../support/real-clock.ts';
import { openOutputWorld, type OutputWorld } from './running.ts';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  readonly atMs: number;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

describe('an output', () => {
  let receiver: Target;
  let received: Received[] = [];
  let world: OutputWorld;
  let answer: (count: number) => Answer | 'hang' | 'cut' = () => ({ status: 204 });
  let running: RunningOutput | null = null;
  let outputs: Outputs | null = null;

  beforeEach(async () => {
    received = [];
    world = openOutputWorld();
    answer = () => ({ status: 204 });
    receiver = await startHttp((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { headers, method = '', url = '' } = request;
        received.push({ headers, method, url, body: Buffer.concat(parts), atMs: performance.now() });
        const given = answer(received.length);
        if (given === 'hang') return;
        if (given === 'cut') request.socket.destroy();
        else response.writeHead(given.status, given.headers).end(given.text);
      });
    });
  });
  afterEach(async () => {
    await running?.stop();
    await outputs?.stop();
    [running, outputs] = [null, null];
    await receiver.close();
  });

  const configured = (settings = '', type = 'remote_write', url = `${receiver.origin}/api/v1/write`) =>
    world.configured(type, url, settings);
  const start = (output: OutputSettings, mostBytes?: number) => {
    running = startOutput({ ...world.context, output, ...(mostBytes === undefined ? {} : { mostBytes }) });
    return running;
  };
  const until_ = (look: () => boolean) =>
    until(
      look,
      () => `${received.length} requests, ${world.readings()} readings, ${JSON.stringify(world.logged)}`,
    );
  const events = () => world.logged.map(({ event }) => event);

  it('sends what it read at each interval, as the protocol has it', async () => {
    const run = start(await configured('headers = { X-Scope-OrgID = "tenant-17" }\n'));
    await until_(() => received.length >= 3 && run.counts().sent > 0);
    const [first] = received;
    assert.equal(first?.method, 'POST');
    assert.equal(first.url, '/api/v1/write');
    const { headers } = first;
    assert.deepEqual(
      [
        'content-type',
        'content-encoding',
        'x-prometheus-remote-write-version',
        'user-agent',
        'x-scope-orgid',
      ].map((name) => headers[name]),
      ['application/x-protobuf', 'snappy', '0.1.0', 'statusd/1.2.3', 'tenant-17'],
    );
    assert.match(Buffer.from(uncompress(first.body)).toString('latin1'), /statusd_monitor_up/);
    assert.deepEqual(events(), []);
  });

  it('sends OTLP to the usual path where the address has none', async () => {
    start(await configured('', 'otlp', receiver.origin));
    await until_(() => received.length >= 1);
    assert.equal(received[0]?.url, '/v1/metrics');
    assert.equal(received[0].headers['content-encoding'], 'gzip');
    assert.equal(received[0].headers['content-type'], 'application/x-protobuf');
  });

  it('logs in with the user name and password of its address, which no line shows', async () => {
    const url = `${receiver.origin.replace('//', '//me:pa55word-of-url@')}/`;
    answer = () => ({ status: 401, text: 'pa55word-of-url is wrong' });
    const run = start(await configured('', 'remote_write', url));
    await until_(() => run.counts().failed > 0);
    assert.equal(
      received[0]?.headers.authorization,
      `Basic ${Buffer.from('me:pa55word-of-url').toString('base64')}`,
    );
    assert.equal(
      world.logged[0]?.message,
      'output remote_write: the receiver answers 401: *** is wrong; check headers, or the login in url; samples are lost',
    );
  });

  for (const failure of [{ status: 500 }, { status: 503 }, { status: 429 }, 'cut'] as const)
    it(`tries again after ${typeof failure === 'string' ? failure : failure.status}, with the same request`, async () => {
      answer = (count) => (count <= 2 ? failure : { status: 204 });
      const run = start(await configured());
      await until_(() => run.counts().sent > 0);
      assert.ok(received[0]?.body.equals(received[2]?.body ?? Buffer.alloc(0)) === true);
      assert.deepEqual([run.counts().failed, run.counts().dropped], [0, 0]);
      assert.deepEqual(events(), ['output.failing']);
    });

  it('waits as long as the server asks', async () => {
    answer = (count) => (count === 1 ? { status: 429, headers: { 'retry-after': '30' } } : { status: 204 });
    start(await configured());
    await until_(() => received.length >= 2);
    const waitedMs = (received[1]?.atMs ?? 0) - (received[0]?.atMs ?? 0);
    assert.ok(waitedMs * 100 >= 29_000, `${waitedMs}`);
  });

  it('drops what is refused, and says so once', async () => {
    answer = () => ({ status: 400, text: 'out of order sample\n' });
    const run = start(await configured());
    await until_(() => received.length >= 4);
    assert.equal(run.counts().sent, 0);
    assert.ok(run.counts().failed > 0);
    assert.deepEqual(
      world.logged.map(({ message }) => message),
      [
        'output remote_write: the receiver answers 400: out of order sample; check whether its clock and the labels are right; samples are lost',
      ],
    );
  });

  it('does not follow a redirect', async () => {
    answer = () => ({ status: 307, headers: { location: 'http://127.0.0.1:9/' } });
    const run = start(await configured());
    await until_(() => run.counts().failed > 0);
    assert.match(world.logged[0]?.message ?? '', /answers 307; check url, which redirects/);
  });

  it('keeps as much as it may while nobody listens, drops the oldest, and goes on afterwards', async () => {
    const { port } = receiver;
    await receiver.close();
    const output = await configured();
    const run = start(output, 3000);
    await until_(() => run.counts().dropped > 0);
    const { queued } = run.counts();
    assert.ok(queued > 0);
    assert.deepEqual(events(), ['output.failing']);
    assert.match(world.logged[0]?.message ?? '', /connection refused by 127\.0\.0\.1/);
    receiver = await startHttp(
      (request, response) => {
        request.resume().on('end', () => response.writeHead(204).end());
      },
      { port },
    );
    await until_(() => events().includes('output.recovered'));
    assert.deepEqual(events(), ['output.failing', 'output.recovered']);
    assert.match(world.logged[1]?.message ?? '', /accepts samples again after .*; \d+ samples were lost$/);
    assert.ok(run.counts().sent > 0);
  });

  it('goes on reading while a receiver hangs, and tries again when the time is over', async () => {
    answer = (count) => (count === 1 ? 'hang' : { status: 204 });
    const run = start(await configured('timeout_secs = 1\n'));
    await until_(() => run.counts().sent > 0);
    assert.ok(world.readings() > 2, `${world.readings()}`);
    assert.match(world.logged[0]?.message ?? '', /no answer from .* within 1 s/);
  });

  it('takes no harm from an answer that is none, or has no end', async () => {
    const strange = await startRaw((socket) => {
      socket.once('data', () => {
        socket.write('SMTP ready\r\n');
      });
    });
    try {
      const run = start(await configured('timeout_secs = 1\n', 'remote_write', `${strange.origin}/`));
      await until_(() => world.logged.length > 0);
      assert.equal(run.counts().sent, 0);
      assert.deepEqual(events(), ['output.failing']);
    } finally {
      await running?.stop();
      await strange.close();
    }
  });

  it('ends at once, whatever it is doing', async () => {
    answer = () => 'hang';
    const run = start(await configured());
    await until_(() => received.length === 1);
    const beganMs = performance.now();
    const left = await run.stop();
    assert.ok(performance.now() - beganMs < 1000);
    assert.ok(left.samples > 0, 'what was on its way is lost');
  });

  it('follows a reload: added, changed, unchanged, removed', async () => {
    const first = await configured();
    const changed = await configured('labels = { site = "x" }\n');
    const second = await configured('name = "second"\n', 'otlp');
    let config: { readonly outputs: readonly OutputSettings[] } = { outputs: [] };
    outputs = createOutputs({ ...world.context, config: () => config });
    const names = () => outputs?.counts().map(({ output }) => output) ?? [];
    const take = async (list: readonly OutputSettings[]) => {
      config = { outputs: list };
      outputs?.reload();
      await until_(() => names().join() === list.map(({ name }) => name).join());
    };
    await take([first, second]);
    await until_(() => received.some(({ url }) => url.endsWith('/write')));
    answer = () => ({ status: 503 });
    await until_(() => (outputs?.counts()[0]?.queued ?? 0) > 0);
    await take([changed]);
    answer = () => ({ status: 204 });
    const labelled = () => received.filter(({ body }) => isLabelled(body));
    await until_(() => labelled().length > 0);
    const count = received.length;
    await take([]);
    await realClock.sleep(150);
    assert.ok(received.length <= count + 1, 'it goes on');
  });
});

function isLabelled(body: Buffer): boolean {
  try {
    return Buffer.from(uncompress(body)).includes('site');
  } catch {
    return false;
  }
}
