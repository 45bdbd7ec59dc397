/** Outputs whose receivers do what they should not: real sockets on loopback. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { BatchQueue } from '../../../src/notify/outputs/queue.ts';
import { startOutput, type RunningOutput } from '../../../src/notify/outputs/output.ts';
import { until } from '../../support/daemon.ts';
import {
  startHttp,
  startHttpProxy,
  startHttps,
  startRaw,
  startSocksProxy,
  type Target,
} from '../../support/http-target.ts';
import { type Authority, createAuthority, type Credentials } from '../../support/tls.ts';
import { hurriedBy, openOutputWorld, type OutputWorld } from './running.ts';

const secrets = ['pa55word-of-url', 'token-of-the-tests', 'pa55word-of-proxy'];
const header = 'headers = { Authorization = "Bearer token-of-the-tests" }\n';

/** With a login that no line may show. */
const withLogin = (origin: string) => `${origin.replace('//', '//me:pa55word-of-url@')}/write`;

for (const type of ['remote_write', 'otlp'])
  describe(`an output of type ${type}`, () => {
    let world: OutputWorld;
    let authority: Authority;
    let running: RunningOutput | null = null;
    const open: { readonly close: () => Promise<void> }[] = [];

    before(() => {
      authority = createAuthority();
    });
    after(() => {
      authority.remove();
    });
    beforeEach(() => {
      world = openWorld(100);
    });
    afterEach(async () => {
      await running?.stop();
      running = null;
      await Promise.all(open.splice(0).map((server) => server.close()));
      const lines = JSON.stringify(world.logged);
      for (const secret of secrets) assert.ok(!lines.includes(secret), lines);
      for (const message of said()) assert.match(message, new RegExp(`^output ${type}: `));
    });
    const opened = async <Server extends Target>(starting: Promise<Server>) => {
      const server = await starting;
      open.push(server);
      return server;
    };
    const openWorld = (factor: number) =>
      openOutputWorld({
        clock: hurriedBy(factor),
        files: { [authority.file]: readFileSync(authority.file) },
      });
    const said = () => world.logged.map(({ message }) => message);
    /** How often it began to fail; on a busy machine an episode may end while a test looks. */
    const failures = () => world.logged.filter(({ event }) => event === 'output.failing').length;
    const start = async (url: string, settings = '', mostBytes?: number) => {
      const output = await world.configured(type, url, `${header}${settings}`);
      running = startOutput({ ...world.context, output, ...(mostBytes === undefined ? {} : { mostBytes }) });
      return running;
    };
    const settled = (look: () => boolean) =>
      until(look, () => JSON.stringify([running?.counts(), world.readings(), said()]));
    /** Keeps what arrives; `answer` is given its number, from 1 on. */
    const receiver = async (
      answer: (count: number) => { readonly status: number; readonly headers?: Record<string, string> },
    ) => {
      const bodies: Buffer[] = [];
      const atMs: number[] = [];
      const { origin } = await opened(
        startHttp((request, response) => {
          const parts: Buffer[] = [];
          request.on('data', (part: Buffer) => parts.push(part));
          request.on('end', () => {
            bodies.push(Buffer.concat(parts));
            atMs.push(performance.now());
            const { status, headers } = answer(bodies.length);
            response.writeHead(status, headers).end();
          });
        }),
      );
      return { origin, bodies, atMs };
    };

    const fast = 1000;
    /** A pause of a second has to be longer than a request takes. */
    const factorFor = (secs: number) => (secs < 10 ? 20 : secs < 100 ? 100 : fast);
    const soon = () => new Date(Date.now() + 40_000).toUTCString();
    const pauses: readonly (readonly [string, () => string, number])[] = [
      ['30', () => '30', 30],
      ['a date in 40 s', soon, 38],
      ['999999999', () => '999999999', 600],
      ['the end of the year 9999', () => 'Fri, 31 Dec 9999 23:59:59 GMT', 600],
      ['0', () => '0', 1],
      ['-30', () => '-30', 1],
      ['a date that is over', () => 'Thu, 01 Jan 1970 00:00:00 GMT', 1],
      ['a number without an end', () => '9'.repeat(400), 1],
      ['no time at all', () => '1e9 soon', 1],
    ];
    for (const [index, [what, value, leastSecs]] of pauses.entries())
      it(`waits for at least ${leastSecs} s and not for ever when Retry-After is ${what}`, async () => {
        const factor = factorFor(leastSecs);
        world = openWorld(factor);
        const { origin, bodies, atMs } = await receiver((count) =>
          count === 1
            ? { status: index % 2 === 0 ? 429 : 503, headers: { 'retry-after': value() } }
            : { status: 204 },
        );
        const run = await start(origin);
        await settled(() => run.counts().sent > 0);
        const waitedMs = ((atMs[1] ?? 0) - (atMs[0] ?? 0)) * factor;
        assert.ok(waitedMs > leastSecs * 900, `${waitedMs} ms`);
        assert.ok(bodies[0]?.equals(bodies[1] ?? Buffer.alloc(0)) === true, 'another request');
        assert.deepEqual([run.counts().failed, run.counts().dropped], [0, 0]);
      });

    it('sends what is refused once, counts it as failed, and goes on with the next reading', async () => {
      const { origin, bodies } = await receiver(() => ({ status: 400 }));
      const run = await start(origin);
      await settled(() => bodies.length >= 5);
      assert.equal(new Set(bodies.map((body) => body.toString('base64'))).size, bodies.length);
      assert.ok(run.counts().failed > 0);
      assert.equal(run.counts().sent, 0);
      assert.equal(said().length, 1);
    });

    const passing = type === 'otlp' ? [502, 503, 504] : [500, 503, 507];
    it(`sends the same again and again after ${passing.join(', ')}, and nothing is lost`, async () => {
      const { origin, bodies } = await receiver((count) => ({ status: [...passing, 429][count - 1] ?? 200 }));
      const run = await start(origin);
      await settled(() => bodies.length > 6 && run.counts().queued === 0);
      assert.equal(new Set(bodies.slice(0, 5).map((body) => body.toString('base64'))).size, 1);
      assert.deepEqual([run.counts().failed, run.counts().dropped], [0, 0]);
      assert.equal(failures(), 1);
    });

    if (type === 'otlp')
      for (const status of [408, 500, 501, 507])
        it(`drops what is answered with ${status}, which is for ever, says so once, and goes on`, async () => {
          const { origin, bodies } = await receiver((count) => ({ status: count <= 3 ? status : 200 }));
          const run = await start(origin);
          await settled(() => run.counts().sent > 0);
          assert.equal(new Set(bodies.slice(0, 4).map((body) => body.toString('base64'))).size, 4);
          assert.ok(run.counts().failed > 0);
          assert.match(
            said()[0] ?? '',
            new RegExp(`^output otlp: the receiver answers ${status}.*; samples are lost$`),
          );
          assert.equal(failures(), 1);
        });

    /** What a receiver does with a connection, and whether the samples count as sent then. */
    const behaviours: Readonly<
      Record<string, { readonly talk: (socket: Socket) => void; readonly isSent: boolean }>
    > = {
      'never answers': { talk: () => undefined, isSent: false },
      'never reads': { talk: (socket) => socket.pause(), isSent: false },
      'closes without an answer': { talk: (socket) => socket.destroy(), isSent: false },
      'closes in the middle of the status': { talk: (socket) => socket.end('HTTP/1.1 20'), isSent: false },
      'closes in the middle of its answer': {
        talk: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'),
        isSent: true,
      },
      'says 200 and 100 MB': {
        talk: flood('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n'),
        isSent: true,
      },
      'says 200 without an end': { talk: flood('HTTP/1.1 200 OK\r\n\r\n'), isSent: true },
      'says 200 and hangs in the answer': {
        talk: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
        isSent: true,
      },
      'says 503 without an end': { talk: flood('HTTP/1.1 503 No\r\n\r\n'), isSent: false },
      'sends headers without an end': { talk: flood('HTTP/1.1 200 OK\r\nx: '), isSent: false },
      'sends 100 Continue without an end': {
        talk: flood('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'),
        isSent: false,
      },
      'speaks another protocol': {
        talk: (socket) => socket.end('220 mail.example ESMTP\r\n'),
        isSent: false,
      },
    };
    for (const [what, { talk, isSent }] of Object.entries(behaviours))
      it(`${isSent ? 'has sent' : 'tries again'} when the receiver ${what}`, async () => {
        let written = 0;
        let isHostile = true;
        const hostile = await opened(
          startRaw((socket) => {
            socket.once('close', () => (written = Math.max(written, socket.bytesWritten)));
            socket.once('data', () => {
              if (isHostile) talk(socket);
              else socket.end('HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n');
            });
          }),
        );
        const run = await start(withLogin(hostile.origin), 'timeout_secs = 1\n');
        await settled(() => hostile.connections() >= 2 && (!isSent || run.counts().sent > 0));
        const { sent, failed, queued } = run.counts();
        assert.equal(failed, 0);
        if (isSent) assert.ok(sent > 0);
        else assert.deepEqual([sent, queued > 0, said().length], [0, true, 1]);
        // What fits into the buffers of the system goes out before the connection is closed.
        assert.ok(written < 20_000_000, `${written} bytes were taken`);
        isHostile = false;
        await settled(() => run.counts().sent > sent && run.counts().queued === 0);
        assert.ok(failures() <= 1);
      });

    for (const status of [301, 302, 303, 307, 308])
      it(`does not follow ${status} to another host, and shows it no secret`, async () => {
        const elsewhere = await opened(startHttp((_, response) => response.end()));
        const location = `${elsewhere.origin}/?t=token-of-the-tests`;
        const { origin, bodies } = await receiver(() => ({ status, headers: { location } }));
        const run = await start(withLogin(origin));
        await settled(() => bodies.length >= 2);
        assert.equal(elsewhere.connections(), 0);
        assert.ok(run.counts().failed > 0);
        assert.deepEqual(said(), [
          `output ${type}: the receiver answers ${status}; check url, which redirects; samples are lost`,
        ]);
      });

    const certificates: Readonly<
      Record<string, { readonly make: (other: Authority) => Credentials; readonly why: RegExp }>
    > = {
      'an unknown authority': {
        make: (other) => other.issue({ names: ['127.0.0.1'] }),
        why: /the certificate of 127\.0\.0\.1 comes from an unknown authority.*for one channel or output, ca_file/,
      },
      'its own authority': {
        make: (other) => other.selfSigned({ names: ['127.0.0.1'] }),
        why: /the certificate of 127\.0\.0\.1 is self-signed/,
      },
      'another name': {
        make: () => authority.issue({ names: ['metrics.example'] }),
        why: /the certificate is for metrics\.example, not 127\.0\.0\.1/,
      },
      'a time that is over': {
        make: () => authority.issue({ names: ['127.0.0.1'], days: -1 }),
        why: /the certificate expired on \d{4}-\d\d-\d\d/,
      },
    };
    for (const [what, { make, why }] of Object.entries(certificates))
      it(`sends nothing where the certificate is of ${what}, and says so once`, async () => {
        const other = createAuthority('Other Authority');
        let requests = 0;
        const target = await opened(
          startHttps((_, response) => {
            requests += 1;
            response.end();
          }, make(other)),
        );
        other.remove();
        const run = await start(withLogin(target.origin), `ca_file = "${authority.file}"\n`);
        await settled(() => target.connections() >= 4);
        assert.equal(requests, 0);
        assert.equal(said().length, 1);
        assert.match(said()[0] ?? '', why);
        assert.deepEqual([run.counts().sent, run.counts().failed], [0, 0]);
      });

    for (const trust of ['ca_file', 'tls_verify'] as const)
      it(`sends over TLS with ${trust}`, async () => {
        const credentials = authority.issue({ names: ['127.0.0.1'] });
        const { origin } = await opened(startHttps((_, response) => response.end(), credentials));
        const way = trust === 'ca_file' ? `ca_file = "${authority.file}"\n` : 'tls_verify = false\n';
        const run = await start(origin, way);
        await settled(() => run.counts().sent > 0);
        assert.deepEqual(said(), []);
      });

    const proxies = {
      http: () => startHttpProxy({ login: 'me:pa55word-of-proxy' }),
      socks5: () => startSocksProxy({ login: 'me:pa55word-of-proxy' }),
    };
    for (const [scheme, startProxy] of Object.entries(proxies))
      it(`goes through a proxy (${scheme}) that the configuration names, and through no other`, async () => {
        const proxy = await opened(startProxy());
        const ofEnvironment = await opened(startHttpProxy());
        const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
        const before = names.map((name) => [name, process.env[name]] as const);
        for (const name of names) process.env[name] = ofEnvironment.origin;
        try {
          const credentials = authority.issue({ names: ['127.0.0.1'] });
          const { origin, port } = await opened(startHttps((_, response) => response.end(), credentials));
          const through = `proxy = "${scheme}://me:pa55word-of-proxy@127.0.0.1:${proxy.port}"\n`;
          const run = await start(withLogin(origin), `tls_verify = false\n${through}`);
          await settled(() => run.counts().sent > 0);
          assert.equal(proxy.requests[0], `CONNECT 127.0.0.1:${port}`);
          assert.deepEqual(ofEnvironment.requests, []);
        } finally {
          for (const [name, value] of before)
            if (value === undefined) Reflect.deleteProperty(process.env, name);
            else process.env[name] = value;
        }
      });

    it('names a proxy that refuses, without its password, once', async () => {
      const proxy = await opened(startHttpProxy({ login: 'me:another' }));
      await start('https://127.0.0.1:9/', `proxy = "http://me:pa55word-of-proxy@127.0.0.1:${proxy.port}"\n`);
      await settled(() => proxy.requests.length >= 3);
      assert.equal(said().length, 1);
      assert.match(said()[0] ?? '', /the proxy 127\.0\.0\.1:\d+ does not connect to .*(407)/);
    });

    it('holds no more memory than its limit while the receiver hangs, and drops the oldest', async () => {
      world = openWorld(fast);
      const mostBytes = 128 * 1024;
      const hanging = await opened(startRaw(() => undefined));
      const run = await start(hanging.origin, '', mostBytes);
      await settled(() => run.counts().dropped > 5000);
      const held = heldBytes(await run.stop());
      assert.ok(held.batches > 20, JSON.stringify(held));
      assert.ok(held.bytes <= 1.5 * mostBytes, JSON.stringify(held));
      assert.equal(said().length, 1);
    });
  });

/** What keeps the batches of a queue alive, which may be more than what they hold. */
function heldBytes(queue: BatchQueue) {
  const buffers = new Set<ArrayBufferLike>();
  let batches = 0;
  for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
    buffers.add(batch.body.buffer);
    batches += 1;
  }
  return { batches, bytes: [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/** Sends `head`, then more than anybody should take in, until the other side has had enough. */
function flood(head: string, part = 'x'.repeat(64 * 1024)) {
  return (socket: Socket) => {
    const pour = () => {
      for (let count = 0; count < 16; count += 1) if (!socket.write(part)) return;
      setImmediate(pour);
    };
    socket.on('drain', pour).write(head);
    pour();
  };
}
