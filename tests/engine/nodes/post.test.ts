/** What is posted to other nodes over TLS: real servers on loopback. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createNodeLine, type NodeLine } from '../../../src/engine/nodes/post.ts';
import { createTrust } from '../../../src/engine/net/tls-trust.ts';
import { startHttp, startHttps, startRaw, type Target } from '../../support/http-target.ts';
import { type Authority, createAuthority, type Credentials } from '../../support/tls.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const token = 'the-token-of-the-nodes';

describe('what is posted to a node over https', () => {
  let authority: Authority;
  let other: Authority;
  let line: NodeLine;
  const targets: Target[] = [];
  /** The tokens that arrived somewhere. */
  const arrived: (string | undefined)[] = [];

  before(() => {
    authority = createAuthority();
    other = createAuthority('Other Authority');
    const trust = createTrust({ env: { SSL_CERT_FILE: authority.file }, bundles: [] });
    line = createNodeLine({ trust, version: '1.2.3' });
  });
  after(async () => {
    line.close();
    await Promise.all(targets.map((target) => target.close()));
    authority.remove();
    other.remove();
  });
  const started = async (target: Promise<Target>) => {
    targets.push(await target);
    return (await target).origin;
  };
  const node = (credentials: Credentials, status = 200, headers = {}) =>
    started(
      startHttps((request, response) => {
        arrived.push(request.headers.authorization);
        request.resume().on('end', () => response.writeHead(status, headers).end('taken'));
      }, credentials),
    );
  const post = async (url: string) => {
    arrived.length = 0;
    return line.post({ url, token, body: '{}', timeoutMs: 5000 });
  };

  it('arrives where the certificate is of an authority of this host', async () => {
    const url = await node(authority.issue({ names: ['127.0.0.1'] }));
    assert.deepEqual(await post(url), { status: 200, text: 'taken' });
    assert.deepEqual(arrived, [`Bearer ${token}`]);
  });

  it('fails with a reason where the address is none, as that of a node that has left', async () => {
    for (const url of ['', 'nowhere', 'http://']) {
      const { status, text } = await post(url);
      assert.deepEqual([status, text], [0, 'Invalid URL']);
    }
  });

  const untrusted: Readonly<Record<string, { readonly make: () => Credentials; readonly why: RegExp }>> = {
    'an unknown authority': {
      make: () => other.issue({ names: ['127.0.0.1'] }),
      why: /^the certificate of 127\.0\.0\.1:\d+ comes from an unknown authority.*SSL_CERT_FILE.*; add a private authority with NODE_EXTRA_CA_CERTS$/,
    },
    'its own authority': {
      make: () => other.selfSigned({ names: ['127.0.0.1'] }),
      why: /^the certificate of 127\.0\.0\.1:\d+ is self-signed$/,
    },
    'another name': {
      make: () => authority.issue({ names: ['10.0.0.5', 'node.example'] }),
      why: /^the certificate of 127\.0\.0\.1:\d+ is for another name$/,
    },
    'a time that is over': {
      make: () => authority.issue({ names: ['127.0.0.1'], days: -1 }),
      why: /^the certificate of 127\.0\.0\.1:\d+ has expired$/,
    },
  };
  for (const [what, { make, why }] of Object.entries(untrusted))
    it(`does not arrive where the certificate is of ${what}`, async () => {
      const url = await node(make());
      // What NODE_TLS_REJECT_UNAUTHORIZED=0 says of https in general is not said of the token.
      const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      for (const allowed of ['1', '0']) {
        process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = allowed;
        try {
          const { status, text, isInsecure } = await post(url);
          assert.deepEqual([status, isInsecure], [0, true]);
          assert.match(text, why);
          assert.doesNotMatch(text, new RegExp(token));
        } finally {
          if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
          else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
        }
      }
      assert.deepEqual(arrived, []);
    });

  it('is never sent in clear where nothing speaks TLS', async () => {
    let heard = '';
    const plain = await started(
      startRaw((socket) => {
        socket.on('data', (bytes: Buffer) => {
          heard += bytes.toString('latin1');
          socket.write('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
        });
      }),
    );
    const { status, text, isInsecure } = await post(plain.replace('http:', 'https:'));
    assert.deepEqual([status, isInsecure], [0, true]);
    assert.match(text, /^127\.0\.0\.1:\d+ does not speak TLS$/);
    assert.ok(heard.length > 0 && !heard.includes(token));
  });

  it('does not follow a redirect to another place', async () => {
    const elsewhere = await started(
      startHttp((request, response) => {
        arrived.push(request.headers.authorization);
        response.end('{}');
      }),
    );
    const url = await node(authority.issue({ names: ['127.0.0.1'] }), 307, { location: `${elsewhere}/` });
    assert.equal((await post(url)).status, 307);
    assert.equal(arrived.length, 1);
  });

  it('is answered with no more than a node ever says, and within its time', async () => {
    const taken: number[] = [];
    const hostile = (beginning: string, part: string) =>
      started(
        startRaw((socket) => {
          socket.once('close', () => taken.push(socket.bytesWritten));
          socket.once('data', () => {
            const pour = () => {
              while (!socket.destroyed && socket.write(part));
            };
            socket.on('drain', pour).write(beginning);
            pour();
          });
        }),
      );
    const ask = async (url: string) => (await line.post({ url, token, body: '{}', timeoutMs: 2000 })).text;
    const endless = await hostile('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536));
    assert.equal(await ask(endless), 'the answer is too long');
    const headers = await hostile('HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(10_000));
    assert.match(await ask(headers), /Headers Overflow/);
    const interim = await hostile('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000));
    assert.match(await ask(interim), /^no answer within 2 s$|too much|too long/);
    assert.ok(
      taken.slice(0, 2).every((bytes) => bytes < 128 * 1024 * 1024),
      taken.join(),
    );
  });

  it('takes no more memory than the bytes of its answer where each is a chunk of its own', async () => {
    const bytes = 512 * 1024;
    const chunks = Buffer.from('1\r\nx\r\n'.repeat(bytes));
    const memory = () => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = memory();
    let taken = 0;
    const url = await started(
      startRaw((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
          socket.write(chunks, () => {
            // The client has to read what the system holds.
            setTimeout(() => {
              taken = memory() - before;
              socket.end('0\r\n\r\n');
            }, 1000);
          });
        });
      }),
    );
    const { text } = await line.post({ url, token, body: '{}', timeoutMs: 20_000 });
    assert.equal(text.length, bytes);
    assert.ok(taken < 16 * 1024 * 1024, `${taken} bytes`);
  });
});
