import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { createPeerClients } from '../../../../src/engine/peers/client/create-clients.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { Secret } from '../../../../src/engine/config/secret.ts';
import { startRaw, type Target } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';

const head = 'HTTP/1.1 200 OK\r\n';
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
const filler = 'x'.repeat(64 * 1024);

/** What fits into the buffers of a kernel on both ends, and then some. */
const buffered = 16 * 1024 * 1024;

describe('what is read of one answer', () => {
  const open: Target[] = [];
  afterEach(() => Promise.all(open.splice(0).map((target) => target.close())));

  /** Says `start`, then `chunk` for as long as somebody reads; what was written is counted. */
  const endless = async (start: string, chunk: string) => {
    let written = () => 0;
    const target = await startRaw((socket: Socket) => {
      socket.once('data', () => {
        const pour = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', pour);
        socket.write(start);
        pour();
      });
      written = () => socket.bytesWritten - socket.writableLength;
    });
    open.push(target);
    return { origin: target.origin, written: () => written() };
  };
  const probe = async (origin: string) => {
    const monitor = aMonitor('http', { target: `${origin}/`, timeout_secs: 30 });
    const { outcome, reason } = await probeHttp(monitor, probeContext());
    return reason === null ? outcome : `${outcome} ${reason.category}: ${reason.message}`;
  };

  for (const [what, start, chunk, notified] of [
    [
      'a chunk extension',
      `${chunked}5;x=`,
      filler,
      /^failed protocol: .* sends more than 1088 KiB, hardly any of it body$/,
    ],
    [
      'chunk extensions',
      chunked,
      `1;${'x'.repeat(1000)}\r\na\r\n`,
      /^failed protocol: .* hardly any of it body$/,
    ],
    ['a body in chunks', chunked, `400\r\n${'a'.repeat(1024)}\r\n`, /^healthy$/],
    ['trailers', `${chunked}0\r\n`, `x: ${'x'.repeat(1000)}\r\n`, /^(healthy$|failed protocol: )/],
    ['headers', head, `x: ${'x'.repeat(1000)}\r\n`, /^failed protocol: .* more than 64 KiB of headers$/],
    ['a header', `${head}x: `, filler, /^failed protocol: .* more than 64 KiB of headers$/],
    [
      'interim answers',
      '',
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
      /^failed protocol: .* more than 1088 KiB without an answer$/,
    ],
  ] as const) {
    it(`has an end where ${what} have none`, async () => {
      const { origin, written } = await endless(start, chunk);
      assert.match(await probe(origin), notified);
      assert.ok(written() < buffered, `${Math.round(written() / 1024)} KiB`);
    });
  }

  it('has an end for peers too', async () => {
    const { origin, written } = await endless(`${chunked}5;x=`, filler);
    const ctx = probeContext();
    await createPeerClients(ctx).callDeadMan(new Secret(origin), ctx.signal);
    assert.ok(written() < buffered, `${Math.round(written() / 1024)} KiB`);
  });
});
