import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { after, afterEach, before, describe, it } from 'node:test';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import type { ProbeResult } from '../../../../src/engine/core/probe.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { startHttp, startHttpProxy, startHttps } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';
import { type Authority, createAuthority, type Credentials } from '../../../support/tls.ts';

const said = ({ outcome, reason }: ProbeResult) =>
  reason === null ? outcome : `${outcome} ${reason.category}: ${reason.message}`;

type Listener = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void;

/** SETTINGS without any, as the first frame of a server. */
const preface = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

const frame = (type: number, flags: number, payload: Buffer): Buffer => {
  const head = Buffer.from([0, 0, 0, type, flags, 0, 0, 0, 1]);
  head.writeUIntBE(payload.length, 0, 3);
  return Buffer.concat([head, payload]);
};

describe('a target with HTTP/2 alone', () => {
  let authority: Authority;
  let credentials: Credentials;
  before(() => {
    authority = createAuthority();
    credentials = authority.issue({ names: ['localhost', '127.0.0.1'] });
  });
  after(() => {
    authority.remove();
  });
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function listening(server: Server) {
    const open = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
    });
    server.on('sessionError', () => undefined);
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { origin: `https://127.0.0.1:${port}`, connections: () => open.size };
  }

  const start = (listener: Listener, options: http2.SecureServerOptions = {}) => {
    const server = http2.createSecureServer({ ...credentials, allowHTTP1: false, ...options });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      listener(stream, headers);
    });
    return listening(server);
  };
  /** Writes its frames by hand, once it was asked. */
  const raw = (talk: (socket: TLSSocket) => void) =>
    listening(
      createTlsServer({ ...credentials, ALPNProtocols: ['h2'] }, (socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          talk(socket);
        });
        socket.resume();
      }),
    );
  const probe = (target: string, monitor: Partial<HttpMonitor> = {}) =>
    probeHttp(
      aMonitor('http', { target, timeout_secs: 3, tls_ca_file: authority.file, ...monitor }),
      probeContext(),
    );

  it('is up, with its certificate and honest phases', async () => {
    const { origin } = await start((stream) => {
      setTimeout(() => {
        stream.respond({ ':status': 200, 'content-type': 'text/plain' });
        stream.end('all is well');
      }, 60);
    });
    const result = await probe(`${origin}/health`, { keyword: 'well' });
    assert.equal(said(result), 'healthy');
    const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs } = result.timings;
    assert.equal(dnsMs, null);
    assert.ok((connectMs ?? 0) > 0 && (tlsMs ?? 0) > 0 && (firstByteMs ?? 0) >= 50, JSON.stringify(result));
    assert.ok((totalMs ?? 0) >= (firstByteMs ?? 0));
    assert.equal(result.certificate?.spkiSha256, credentials.spkiSha256);
  });

  it('is asked with the method, headers and body of its monitor', async () => {
    const asked: string[] = [];
    const { origin } = await start((stream, headers) => {
      asked.push(
        `${headers[':method']} ${headers[':authority']} ${headers[':path']} ${String(headers['x-key'])}`,
      );
      let body = '';
      stream.on('data', (chunk: Buffer) => (body += chunk.toString()));
      stream.on('end', () => {
        asked.push(body);
        stream.respond({ ':status': 204 }, { endStream: true });
      });
    });
    const monitor = {
      method: 'POST',
      headers: { 'X-Key': 'k', Connection: 'close' },
      body: 'hello',
    } as const;
    assert.equal(said(await probe(`${origin}/a?b=c`, monitor)), 'healthy');
    assert.deepEqual(asked, [`POST ${new URL(origin).host} /a?b=c k`, 'hello']);
  });

  it('is down by its status, with the answer in the words of HTTP/2', async () => {
    const { origin } = await start((stream) => {
      stream.respond({ ':status': 415, 'x-why': 'grpc only', 'set-cookie': ['a=b'] });
      stream.end('unsupported');
    });
    const result = await probe(origin);
    assert.equal(said(result), 'failed status: status 415, expected 2xx');
    assert.equal(result.answer?.statusLine, 'HTTP/2 415');
    assert.deepEqual(
      result.answer.headers.find(([name]) => name === 'x-why'),
      ['x-why', 'grpc only'],
    );
    assert.ok(result.answer.headers.every(([name]) => name !== 'set-cookie'));
    assert.equal(result.answer.body, 'unsupported');
  });

  it('is followed where it redirects, and reached through a proxy', async () => {
    const { origin } = await start((stream, headers) => {
      if (headers[':path'] === '/')
        stream.respond({ ':status': 302, location: '/there' }, { endStream: true });
      else stream.respond({ ':status': 200 }, { endStream: true });
    });
    assert.equal(said(await probe(origin)), 'healthy');
    const proxy = await startHttpProxy();
    closing.push(proxy.close);
    assert.equal(said(await probe(`${origin}/there`, { proxy: proxy.origin })), 'healthy');
    assert.ok(proxy.requests.every((line) => line.startsWith('CONNECT ')) && proxy.requests.length === 2);
  });

  it('is down by the deadline when it never answers, or never ends', async () => {
    const silent = await start(() => undefined);
    const never = await probe(silent.origin, { timeout_secs: 1 });
    assert.match(said(never), /^failed timeout: no answer from 127\.0\.0\.1:\d+ within 1 s$/);
    const endless = await start((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('begun');
    });
    const half = await probe(endless.origin, { timeout_secs: 1 });
    assert.match(said(half), /^failed timeout: no end of the answer from 127\.0\.0\.1:\d+ within 1 s$/);
  });

  it('is down when it resets the stream, before the answer or in its midst', async () => {
    for (const [code, why] of [
      [0, 'closed'],
      [2, 'INTERNAL_ERROR'],
      [8, 'CANCEL'],
    ] as const) {
      for (const isMidst of [false, true]) {
        const reset = frame(3, 0, Buffer.from([0, 0, 0, code]));
        const begun = [frame(1, 4, Buffer.from([0x88])), frame(0, 0, Buffer.from('half of'))];
        const { origin } = await raw((socket) => {
          socket.write(Buffer.concat([preface, ...(isMidst ? begun : [])]));
          setTimeout(() => socket.write(reset), 50);
        });
        const when = isMidst ? 'before the answer was complete' : 'without an answer';
        const expected =
          code === 0
            ? `^failed connection: connection closed by 127.0.0.1:\\d+ ${when}$`
            : `^failed protocol: 127.0.0.1:\\d+ resets the stream ${when} \\(${why}\\)$`;
        assert.match(said(await probe(origin)), new RegExp(expected));
      }
    }
  });

  it('is down when a server of node:http2 ends half of its answer, with a length or without', async () => {
    for (const length of [undefined, 100]) {
      const { origin } = await start((stream) => {
        stream.respond({ ':status': 200, ...(length !== undefined && { 'content-length': length }) });
        stream.write('half of', () => {
          stream.destroy();
        });
      });
      assert.match(
        said(await probe(origin)),
        /^failed \w+: .* before the answer was complete/,
        String(length),
      );
    }
    const short = await start((stream) => {
      stream.respond({ ':status': 200, 'content-length': 100 });
      stream.end('half of');
    });
    assert.match(said(await probe(short.origin)), /^failed protocol: .* before the answer was complete/);
  });

  it('is up when its answer is whole, and the stream is reset without an error after it', async () => {
    // RFC 9113, section 8.1: so a server says that it needs nothing more of the request. In pieces of one byte.
    const whole = Buffer.concat([
      preface,
      frame(1, 4, Buffer.from([0x88])),
      frame(0, 0, Buffer.from('all is ')),
      frame(0, 1, Buffer.from('well')),
      frame(3, 0, Buffer.alloc(4)),
    ]);
    const { origin } = await raw((socket) => {
      socket.setNoDelay();
      for (const byte of whole) socket.write(Buffer.from([byte]));
    });
    assert.equal(said(await probe(origin, { keyword: 'all is well' })), 'healthy');
  });

  it('is read no further than max_body_kb, however long it goes on', async () => {
    const { origin } = await start((stream) => {
      stream.respond({ ':status': 200 });
      const chunk = Buffer.alloc(16_384, 'x');
      const more = () => {
        if (!stream.destroyed) stream.write(chunk, more);
      };
      more();
    });
    const result = await probe(origin, { max_body_kb: 64, timeout_secs: 10 });
    assert.equal(said(result), 'healthy');
    assert.ok((result.timings.totalMs ?? Infinity) < 8000);
  });

  it('is down, and disconnected, when it sends endless data that is not a body', async () => {
    const floods: Readonly<Record<string, Buffer>> = {
      pings: Buffer.concat(Array.from({ length: 1000 }, () => frame(6, 1, Buffer.alloc(8)).fill(0, 5, 9))),
      'empty data': Buffer.concat(Array.from({ length: 1000 }, () => frame(0, 0, Buffer.alloc(0)))),
      continuations: Buffer.concat(Array.from({ length: 100 }, () => frame(9, 0, Buffer.alloc(200, 0x20)))),
    };
    for (const [name, flood] of Object.entries(floods)) {
      let bytes = 0;
      const { origin } = await raw((socket) => {
        // `:status: 200` of the static table, without the end of the stream, and of the headers where they go on.
        const head = frame(1, name === 'continuations' ? 0 : 4, Buffer.from([0x88]));
        socket.write(Buffer.concat([preface, ...(name === 'pings' ? [] : [head])]));
        const more = () => {
          if (socket.destroyed || bytes > 50e6) return;
          bytes += flood.length;
          socket.write(flood, more);
        };
        setTimeout(more, 100);
      });
      const result = await probe(origin, { max_body_kb: 64, timeout_secs: 3 });
      assert.equal(result.outcome, 'failed', `${name}: ${said(result)}`);
      assert.ok(bytes < 20e6, `${name}: ${bytes}`);
    }
  });

  it('is asked again where it takes no protocol, and answers with a frame or hangs up', async () => {
    for (const answer of [preface, null]) {
      const modern = http2.createSecureServer({ ...credentials, allowHTTP1: false }).on('stream', answerOk);
      const bare = createTlsServer(credentials, (socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(answer ?? ''));
      });
      // As servers do that choose HTTP/2 for who offers it, and say nothing to the others.
      const server = createServer((socket) => {
        socket.once('data', (hello: Buffer) => {
          socket.pause().unshift(hello);
          (hello.includes('\x02h2') ? modern : bare).emit('connection', socket);
        });
      });
      const { origin } = await listening(server);
      assert.equal(said(await probe(origin)), 'healthy', String(answer));
    }
  });

  it('is what one of both protocols is not: that one is asked once, in HTTP/1.1', async () => {
    const versions: string[] = [];
    const server = http2.createSecureServer({ ...credentials, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      response.end('ok');
    });
    const { origin, connections } = await listening(server);
    assert.equal(said(await probe(origin)), 'healthy');
    assert.deepEqual([versions, connections()], [['1.1'], 1]);
  });

  it('is not what closes without an answer: that is down, in the words of the first try', async () => {
    const server = createTlsServer({ ...credentials }, (socket) => {
      socket.once('data', () => socket.end());
    });
    const { origin } = await listening(server);
    assert.match(
      said(await probe(origin)),
      /^failed connection: connection closed by 127\.0\.0\.1:\d+ without an answer$/,
    );
    const plain = await startHttps((_request, response) => response.destroy(), credentials);
    closing.push(plain.close);
    assert.equal((await probe(plain.origin)).outcome, 'failed');
    assert.equal(plain.connections(), 1, 'it has chosen HTTP/1.1');
    const bare = await startHttp((_request, response) => response.destroy());
    closing.push(bare.close);
    assert.equal((await probe(bare.origin)).outcome, 'failed');
    assert.equal(bare.connections(), 1);
  });
});

const answerOk = (stream: http2.ServerHttp2Stream): void => {
  stream.respond({ ':status': 200 }, { endStream: true });
};
