import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { HttpReply, Handler } from '../../../src/serve/http-types.ts';
import { problems } from '../../../src/serve/layers/problems.ts';
import { secured } from '../../../src/serve/layers/security-headers.ts';
import { listen } from '../../../src/serve/server/listen.ts';
import { createHttpServer, defaultLimits, type ServerLimits } from '../../../src/serve/server/server.ts';
import { realClock } from '../../support/real-clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { collect } from '../world.ts';

const hello: HttpReply = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' };

interface Started {
  readonly port: number;
  readonly stop: (graceMs: number) => Promise<void>;
}

async function start(
  handler: Handler,
  {
    limits = {},
    clock = realClock,
    onFault = () => undefined,
  }: {
    readonly limits?: Partial<ServerLimits>;
    readonly clock?: typeof realClock;
    readonly onFault?: (error: unknown) => void;
  } = {},
): Promise<Started> {
  const { server, stop } = createHttpServer({
    handler: problems({ log: () => undefined, redact: (text) => text, finish: secured })(handler),
    newRequestId: () => 'id',
    clock,
    limits: { ...defaultLimits, ...limits },
    onFault,
  });
  const { port } = await listen(server, '127.0.0.1:0');
  return { port, stop };
}

async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('the server', () => {
  it('ends one connection, and nothing else, when an answer cannot be written', async () => {
    const faults: unknown[] = [];
    const broken = { ...hello, headers: { ...hello.headers, 'x-note': 'a\nb' } };
    let answers = 0;
    const { port, stop } = await start(
      () => {
        answers += 1;
        if (answers === 1) return Promise.resolve(broken);
        return answers === 2 ? broken : hello;
      },
      { onFault: (error) => faults.push(error) },
    );
    const texts: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const socket = await dial(port);
      const text = collect(socket);
      socket.end(get);
      texts.push(await text);
    }
    assert.deepEqual(texts.slice(0, 2), ['', '']);
    assert.match(texts[2] ?? '', /^HTTP\/1\.1 200 /);
    assert.equal(faults.length, 2);
    await stop(0);
  });

  it('ends a request whose headers do not arrive in time, with an answer', async () => {
    const { port, stop } = await start(() => Promise.resolve(hello), {
      limits: { headersMs: 50, requestMs: 60 },
    });
    const socket = await dial(port);
    // One that says nothing is bounded by the same time.
    const silent = await dial(port);
    const all = [collect(socket), collect(silent)];
    socket.write('GET / HTTP/1.1\r\nHost:');
    for (const text of await Promise.all(all)) {
      assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      assert.match(text, /\r\nx-frame-options: DENY\r\n/);
    }
    await stop(0);
  });

  it('lets newcomers in when others hold all connections', async () => {
    const { port, stop } = await start(() => Promise.resolve(hello), { limits: { maxConnections: 3 } });
    const idle = [await dial(port), await dial(port), await dial(port)];
    const firstClosed = once(idle[0] as Socket, 'close');
    const newcomer = await dial(port);
    const received = collect(newcomer);
    newcomer.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.match(await received, /hello$/);
    await firstClosed;
    for (const socket of idle) socket.destroy();
    await stop(0);
  });

  it('takes the connection that has waited for the longest, not the oldest', async () => {
    const { port, stop } = await start(() => Promise.resolve(hello), { limits: { maxConnections: 3 } });
    const [oldest, longest, other] = [await dial(port), await dial(port), await dial(port)];
    oldest.write(get);
    await once(oldest, 'data');
    const longestClosed = once(longest, 'close');
    const newcomer = await dial(port);
    await longestClosed;
    oldest.write(get);
    await once(oldest, 'data');
    for (const socket of [oldest, other, newcomer]) socket.destroy();
    await stop(0);
  });

  it('takes connections of the address that has most of those that wait, before any of another', async () => {
    const { port, stop } = await start(() => Promise.resolve(hello), { limits: { maxConnections: 4 } });
    const slow = await dial(port, '127.0.0.2');
    slow.write('GET / HTTP/1.1\r\nHost:');
    const received = collect(slow);
    const flood: Socket[] = [];
    for (let count = 0; count < 20; count += 1) flood.push(await dial(port, '127.0.0.3'));
    slow.write(' a\r\nConnection: close\r\n\r\n');
    assert.match(await received, /hello$/);
    for (const socket of flood) socket.destroy();
    await stop(0);
  });

  it('lets a sender whose token is right finish its body, however many connections its address opens', async () => {
    const { port, stop } = await start(
      async (request) => {
        if (request.headers['x-push-token'] === 'right') request.prove?.();
        return { ...hello, body: (await request.body()).toString() };
      },
      { limits: { maxConnections: 4 } },
    );
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n';
    const [stranger, sender] = [await dial(port), await dial(port)];
    const [cut, received] = [collect(stranger), collect(sender)];
    stranger.write(`${head}\r\nfirst`);
    sender.write(`${head}X-Push-Token: right\r\n\r\nfirst`);
    const flood: Socket[] = [];
    for (let count = 0; count < 20; count += 1) flood.push(await dial(port));
    stranger.write('-last');
    sender.write('-last');
    assert.match(await received, /first-last$/);
    assert.equal(await cut, '');
    for (const socket of flood) socket.destroy();
    await stop(0);
  });

  it('keeps a place for an address that a right token came from before, beside any number of others', async () => {
    const { port, stop } = await start(
      (request) => {
        request.prove?.();
        return hello;
      },
      { limits: { maxConnections: 3 } },
    );
    const before = await dial(port, '127.0.0.2');
    const answered = collect(before);
    before.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await answered;
    const slow = await dial(port, '127.0.0.2');
    slow.write('GET / HTTP/1.1\r\nHost:');
    const received = collect(slow);
    const flood: Socket[] = [];
    for (let count = 0; count < 20; count += 1) flood.push(await dial(port, `127.0.1.${count}`));
    slow.write(' a\r\nConnection: close\r\n\r\n');
    assert.match(await received, /hello$/);
    for (const socket of flood) socket.destroy();
    await stop(0);
  });

  it('does not take the connection of a request that it works on', async () => {
    let finish: (httpReply: HttpReply) => void = () => undefined;
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const handler: Handler = () => {
      begun();
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    const { port, stop } = await start(handler, { limits: { maxConnections: 1 } });
    const worker = await dial(port);
    const received = collect(worker);
    worker.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await hasBegun;
    const other = await dial(port);
    const third = await dial(port);
    finish(hello);
    assert.match(await received, /hello$/);
    other.destroy();
    third.destroy();
    await stop(0);
  });

  it('answers requests that were sent in one go in their order', async () => {
    let count = 0;
    const { port, stop } = await start(async () => {
      count += 1;
      const body = `answer ${count}`;
      if (count === 1) await new Promise((resolve) => setImmediate(resolve));
      return { ...hello, body };
    });
    const socket = await dial(port);
    const received = collect(socket);
    socket.write(`${get}${get}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    assert.deepEqual((await received).match(/answer \d/g), ['answer 1', 'answer 2', 'answer 3']);
    await stop(0);
  });

  it('gives the handler the whole body, and no more than 64 KiB of it', async () => {
    const { port, stop } = await start(async ({ body }) => {
      try {
        return { ...hello, body: `${(await body()).length} bytes` };
      } catch (error) {
        return { ...hello, status: 413, body: (error as Error).message };
      }
    });
    for (const [size, expected] of [
      [65_536, '65536 bytes'],
      [65_537, 'The body of a request may have 64 KiB at most.'],
      [900_000, 'The body of a request may have 64 KiB at most.'],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x'.repeat(size) });
      assert.equal(await response.text(), expected);
    }
    await stop(0);
  });

  it('answers a body without end before it is over', async () => {
    const { port, stop } = await start(async ({ body }) => {
      await Promise.resolve(body()).catch(() => undefined);
      return { ...hello, status: 413, headers: { connection: 'close' }, body: 'enough' };
    });
    const socket = await dial(port);
    const received = collect(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let count = 0; count < 17; count += 1) socket.write(chunk);
    assert.match(await received, /^HTTP\/1\.1 413 [^]*enough$/);
    await stop(0);
  });

  it('finishes what runs when it is stopped, and takes nothing new', async () => {
    let finish: (httpReply: HttpReply) => void = () => undefined;
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { port, stop } = await start(
      () => {
        begun();
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      { clock: new VirtualClock() },
    );
    const socket = await dial(port);
    const received = collect(socket);
    socket.write(get);
    await hasBegun;
    const stopped = stop(60_000);
    const refused = connect(port, '127.0.0.1');
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNREFUSED');
    finish(hello);
    assert.match(await received, /connection: close\r\n[^]*hello$/i);
    await stopped;
  });

  it('cuts what does not finish once its grace is over', async () => {
    const clock = new VirtualClock();
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { port, stop } = await start(
      () => {
        begun();
        return new Promise(() => undefined);
      },
      { clock },
    );
    const socket = await dial(port);
    const received = collect(socket);
    socket.write(get);
    await hasBegun;
    const state = { isStopped: false };
    const stopped = stop(500).then(() => {
      state.isStopped = true;
    });
    clock.advance(499);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(state.isStopped, false);
    clock.advance(1);
    await stopped;
    assert.equal(await received, '');
  });
});
