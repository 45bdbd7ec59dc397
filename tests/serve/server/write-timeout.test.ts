import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Handler } from '../../../src/serve/http-types.ts';
import { listen } from '../../../src/serve/server/listen.ts';
import { createHttpServer, defaultLimits } from '../../../src/serve/server/server.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { collect } from '../world.ts';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** More than the system takes for a client that does not read. */
const long = Buffer.alloc(32 * 1024 * 1024, 'x');

async function start(handler: Handler, answerMs = 60_000) {
  const clock = new VirtualClock(0);
  let sleeps = 0;
  const sleep: typeof clock.sleep = (ms, signal) => {
    sleeps += 1;
    return clock.sleep(ms, signal);
  };
  const { server, stop } = createHttpServer({
    handler,
    newRequestId: () => 'id',
    clock: { sleep, monotonic: clock.monotonic },
    limits: { ...defaultLimits, answerMs },
    onFault: () => undefined,
  });
  const { port } = await listen(server, '127.0.0.1:0');
  const dial = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  /** Lets time pass as the server sees it, in steps between which everything has its turn. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 2000) {
      clock.advance(2000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { server, dial, pass, sleeps: () => sleeps, stop: () => stop(0) };
}

function connectionsOf(server: Awaited<ReturnType<typeof start>>['server']): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((_error, count) => {
      resolve(count);
    });
  });
}

describe('a client that does not take its answer', () => {
  it('loses its connection when its time is over, whatever it goes on sending', async () => {
    let answered: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => (answered = resolve));
    const { server, dial, pass, stop } = await start(() => {
      setImmediate(answered);
      return Promise.resolve({ status: 200, headers: {}, body: long });
    });
    const deaf = await dial();
    deaf.pause();
    deaf.write(get);
    await isAnswered;
    await pass(50_000);
    deaf.write('x');
    assert.equal(await connectionsOf(server), 1);
    await pass(14_000);
    assert.equal(await connectionsOf(server), 0);
    deaf.destroy();
    await stop();
  });

  it('keeps it while it takes one answer after the other', async () => {
    const { server, dial, pass, stop } = await start(() =>
      Promise.resolve({ status: 200, headers: {}, body: 'hello' }),
    );
    const client = await dial();
    client.setEncoding('latin1');
    for (let count = 0; count < 4; count += 1) {
      client.write(get);
      await once(client, 'data');
      await pass(40_000);
    }
    assert.equal(await connectionsOf(server), 1);
    client.destroy();
    await stop();
  });
});

describe('a server without waiting clients', () => {
  it('wakes for no answer until there is one', async () => {
    const { dial, pass, sleeps, stop } = await start(() =>
      Promise.resolve({ status: 200, headers: {}, body: 'hello' }),
    );
    const client = await dial();
    await pass(20_000);
    assert.equal(sleeps(), 0);
    client.write(get);
    await once(client, 'data');
    await pass(20_000);
    assert.equal(sleeps(), 1);
    client.destroy();
    await stop();
  });
});

describe('a client that asks on and on without waiting for answers', () => {
  async function ask(requests: number) {
    let worked = 0;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { dial, stop } = await start(async () => {
      const body = `answer ${(worked += 1)};`;
      await gate;
      return { status: 200, headers: {}, body };
    });
    const client = await dial();
    const received = collect(client);
    client.write(get.repeat(requests - 1));
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    while (worked < 16) await new Promise((resolve) => setImmediate(resolve));
    release();
    const text = await received;
    await stop();
    return { worked, answers: text.match(/answer \d+/g) ?? [] };
  }

  it('is answered in order up to 16 times', async () => {
    const { answers } = await ask(16);
    assert.deepEqual(
      answers,
      Array.from({ length: 16 }, (_, index) => `answer ${index + 1}`),
    );
  });

  it('loses its connection beyond that, and costs no more work', async () => {
    assert.equal((await ask(200)).worked, 16);
  });
});
