/** Small requests: real servers on loopback. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { httpRequest } from '../../src/commands/http-request.ts';
import { createTrust } from '../../src/engine/net/tls-trust.ts';
import { startHttps, startRaw, type Target } from '../support/http-target.ts';
import { type Authority, createAuthority } from '../support/tls.ts';

const variable = 'NODE_TLS_REJECT_UNAUTHORIZED';

describe('a request over https', () => {
  const setting = process.env[variable];
  const authorities: Authority[] = [];
  const targets: Target[] = [];
  const arrived: (string | undefined)[] = [];
  before(() => {
    process.env[variable] = '0';
    authorities.push(createAuthority(), createAuthority('Other Authority'));
  });
  after(async () => {
    if (setting === undefined) Reflect.deleteProperty(process.env, variable);
    else process.env[variable] = setting;
    await Promise.all(targets.map((target) => target.close()));
    for (const authority of authorities) authority.remove();
  });
  /** Asks a server with a certificate of one authority, and trusts the first. */
  const ask = async (index: 0 | 1) => {
    const authority = authorities[index];
    assert.ok(authority !== undefined);
    const target = await startHttps(
      (request, response) => {
        arrived.push(request.headers.authorization);
        response.end('{}');
      },
      authority.issue({ names: ['127.0.0.1'] }),
    );
    targets.push(target);
    return httpRequest(new URL(target.origin), {
      headers: { authorization: 'Bearer of-the-operators' },
      patienceMs: 10_000,
      maxBytes: 1000,
      trust: createTrust({ env: { SSL_CERT_FILE: authorities[0]?.file ?? '' }, bundles: [] }),
      what: 'the daemon does not answer',
      hint: 'Start it.',
    });
  };

  it('goes where the certificate is trusted', async () => {
    assert.equal((await ask(0)).status, 200);
    assert.deepEqual(arrived.splice(0), ['Bearer of-the-operators']);
  });

  it(`does not go anywhere else, whatever ${variable} says`, async () => {
    await assert.rejects(
      ask(1),
      /the daemon does not answer: the certificate of .* comes from an unknown authority/,
    );
    assert.deepEqual(arrived, []);
  });
});

describe('a request whose answer', () => {
  const ask = async (talk: (socket: Socket) => void, maxBytes: number) => {
    const target = await startRaw((socket) => {
      socket.once('data', () => {
        talk(socket);
      });
    });
    try {
      return await httpRequest(new URL(target.origin), {
        patienceMs: 20_000,
        maxBytes,
        what: 'the daemon does not answer',
        hint: 'Start it.',
      });
    } finally {
      await target.close();
    }
  };

  it('goes on without an end is given up on', async () => {
    const part = Buffer.alloc(65_536, 'x');
    let taken = 0;
    await assert.rejects(
      ask((socket) => {
        socket.once('close', () => (taken = socket.bytesWritten));
        const pour = () => {
          while (!socket.destroyed && socket.write(part));
        };
        socket.on('drain', pour).write('HTTP/1.1 200 OK\r\n\r\n');
        pour();
      }, 1000),
      /the daemon does not answer: the answer is too long/,
    );
    assert.ok(taken < 64 * 1024 * 1024, `${taken} bytes were taken`);
  });
});
