/** What counts as taken, as perhaps received and as failed, by what a real socket answers to a webhook or a mail. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Channel } from '../../../src/engine/config/config.ts';
import { createDeliver } from '../../../src/notify/channels/deliver.ts';
import { load } from '../../support/config.ts';
import { startRaw } from '../../support/http-target.ts';
import { startVendors } from '../../support/vendor-world.ts';
import { plainDown } from '../wording/messages.ts';
import { HeldClock } from './held-clock.ts';

const world = await startVendors();
const { signal } = new AbortController();
after(() => world.close());
const deliver = createDeliver({ ...world.options, clock: new HeldClock() });

async function channelOf(lines: string): Promise<Channel> {
  const { config } = await load(`[[channels]]\nname = "x"\n${lines}`);
  return config.channels[0] ?? assert.fail();
}

/** Sends a message to a server that does `talk` when it has read all of the request; answers how often it was asked. */
async function sentTo(talk: (socket: Socket) => void, settings = '') {
  let asked = 0;
  const server = await startRaw((socket) => {
    let read = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      read += bytes.toString('latin1');
      const length = Number(/content-length: (\d+)/i.exec(read)?.[1] ?? 0);
      const bodyAt = read.indexOf('\r\n\r\n') + 4;
      if (bodyAt < 4 || read.length < bodyAt + length) return;
      read = '';
      asked += 1;
      talk(socket);
    });
  });
  const channel = await channelOf(`type = "webhook"\nurl = "${server.origin}/hook"\n${settings}`);
  const delivered = await deliver(plainDown, channel, signal);
  await server.close();
  return { delivered, asked };
}

const good: Readonly<Record<string, string>> = {
  'lines that end in LF': 'HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: text/plain\n\nok',
  'a length twice with one value': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok',
  'a length twice in one line': 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok',
  'two lengths that differ': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
  'a folded header line': 'HTTP/1.1 200 OK\r\nX-Note: a\r\n b\r\n\tc\r\nContent-Length: 2\r\n\r\nok',
  'a status line without a reason': 'HTTP/1.1 204\r\n\r\n',
  'a status line without a reason that ends in LF': 'HTTP/1.1 200\n\n',
  'chunks that end in LF': 'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n',
  'an interim answer with LF': 'HTTP/1.1 100 Continue\n\nHTTP/1.1 202 Accepted\nContent-Length: 0\n\n',
  'a header line without a colon': 'HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 2\r\n\r\nok',
};

describe('an answer that breaks the rules of HTTP', () => {
  for (const [name, answer] of Object.entries(good))
    for (const method of ['POST', 'GET'])
      it(`is a success with a good status and ${name} (${method})`, async () => {
        const { delivered, asked } = await sentTo((socket) => socket.end(answer), `method = "${method}"`);
        assert.deepEqual([delivered, asked], [{ kind: 'sent', attempts: 1 }, 1]);
      });

  it('is read in whatever parts it comes, and without the end of the connection', async () => {
    const { delivered } = await sentTo((socket) => {
      const [first = '', ...others] = good['lines that end in LF']?.match(/[^]{1,7}/g) ?? [];
      socket.write(first);
      others.forEach((part, index) => setTimeout(() => socket.write(part), 2 * index + 2));
    });
    assert.deepEqual(delivered, { kind: 'sent', attempts: 1 });
  });

  it('is the failure that its status says, with what it says of it', async () => {
    const body = '{"error":"no such hook"}';
    const answer = `HTTP/1.1 404 Not Found\nContent-Length: ${body.length}\n\n${body}`;
    const { delivered, asked } = await sentTo((socket) => socket.end(answer));
    assert.ok(delivered.kind === 'failed' && delivered.isPermanent && asked === 1);
    assert.match(delivered.error, /answered 404: no such hook/);
    assert.equal(delivered.mayBeReceived, undefined);
  });
});

const lost: Readonly<Record<string, (socket: Socket) => void>> = {
  'the connection is closed': (socket) => socket.end(),
  'the connection is reset': (socket) => socket.resetAndDestroy(),
  'garbage is answered': (socket) => socket.end('\x16\x03\x01 what?\n\n'),
  'half a head is answered': (socket) => socket.end('HTTP/1.'),
};

describe('a message may have been received', () => {
  for (const [name, talk] of Object.entries(lost))
    for (const method of ['POST', 'GET'])
      it(`where ${name} after the whole request (${method}), so it is not repeated at once`, async () => {
        const { delivered, asked } = await sentTo(talk, `method = "${method}"`);
        assert.ok(delivered.kind === 'failed' && delivered.mayBeReceived === true, JSON.stringify(delivered));
        assert.equal(asked, 1);
        assert.ok((delivered.leftMs ?? 0) > 0, 'the receiver may still be at work');
      });

  it('not where nobody listens, nor where the request was not out when the connection was lost', async () => {
    const server = await startRaw((socket) => socket.on('error', () => undefined).destroy());
    const origin = server.origin.replace('http:', 'https:');
    const early = await channelOf(`type = "webhook"\nurl = "${origin}/hook"`);
    const first = await deliver(plainDown, early, signal);
    await server.close();
    const second = await deliver(
      plainDown,
      await channelOf(`type = "webhook"\nurl = "${server.origin}/"`),
      signal,
    );
    for (const delivered of [first, second]) {
      assert.ok(delivered.kind === 'failed' && delivered.attempts === 3);
      assert.equal(delivered.mayBeReceived, undefined);
    }
  });
});

describe('a mail', () => {
  /** A mail server that does `atEnd` when it has read the last line of a mail. */
  const mailedTo = async (atEnd: (socket: Socket) => void, isLostBefore = false) => {
    const server = await startRaw((socket) => {
      let isData = false;
      socket.on('error', () => undefined);
      socket.write('220 mail ready\r\n');
      socket.on('data', (bytes) => {
        const text = bytes.toString('latin1');
        if (isData) {
          if (text.endsWith('\r\n.\r\n')) atEnd(socket);
        } else if (text.startsWith('EHLO')) socket.write('250 mail\r\n');
        else if (text.startsWith('DATA')) {
          isData = true;
          if (isLostBefore) socket.destroy();
          else socket.write('354 go on\r\n');
        } else socket.write('250 ok\r\n');
      });
    });
    const { port } = new URL(server.origin);
    const to = `host = "127.0.0.1"\nport = ${port}\nfrom = "a@example.com"\nto = ["b@example.com"]`;
    const delivered = await deliver(plainDown, await channelOf(`type = "email"\n${to}`), signal);
    await server.close();
    return delivered;
  };

  it('may have been received where the connection is lost, or garbage said, after its last line', async () => {
    for (const atEnd of [
      (socket: Socket) => socket.destroy(),
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.end('what?\r\n'),
    ]) {
      const delivered = await mailedTo(atEnd);
      assert.ok(delivered.kind === 'failed' && delivered.mayBeReceived === true, JSON.stringify(delivered));
      assert.equal(delivered.attempts, 1);
    }
  });

  it('was not where the server refuses it, or the connection is lost before', async () => {
    const refused = await mailedTo((socket) => socket.write('451 try later\r\n'));
    const before = await mailedTo(() => undefined, true);
    for (const delivered of [refused, before]) {
      assert.ok(delivered.kind === 'failed' && delivered.attempts === 3, JSON.stringify(delivered));
      assert.equal(delivered.mayBeReceived, undefined);
    }
  });
});
