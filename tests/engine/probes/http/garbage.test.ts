import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { startRaw } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';
import { checkAsyncProperty } from '../../../support/property.ts';

/** What an answer is made of, in the right order or not. */
const pieces = [
  ...[
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 204 No\r\n',
    'HTTP/1.1 ',
    'HTTP/2 200\r\n',
    'HTTP/1.1 000 X\r\n',
    'HTTP/1.1 999 X\r\n',
  ],
  ...[
    'HTTP/1.1 103 E\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 302 Found\r\nlocation: /x\r\n\r\n',
  ],
  'HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ...['content-length: 5\r\n', 'content-length: 99999999999999999999\r\n', 'content-length: -1\r\n'],
  ...['transfer-encoding: chunked\r\n', 'transfer-encoding: gzip, chunked\r\n', 'content-encoding: gzip\r\n'],
  ...['connection: keep-alive\r\n', 'connection: close\r\n', 'keep-alive: timeout=0\r\n', 'trailer: x\r\n'],
  ...[
    '\r\n',
    '\r\n\r\n',
    '\n\n',
    ' folded\r\n',
    'x: y\r\n',
    '5\r\nhello\r\n',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
  ],
  ...[
    'hello',
    '\0\0\0',
    '{"a":1}',
    'a'.repeat(3000),
    '\u0016\u0003\u0001',
    gzipSync('hello').toString('latin1'),
  ],
];

const endings: Readonly<Record<string, (socket: Socket) => void>> = {
  closes: (socket) => socket.end(),
  resets: (socket) => socket.resetAndDestroy(),
  waits: () => undefined,
};

const answers = fc.record({
  start: fc.constantFrom('', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\n\r\n'),
  middle: fc.array(fc.constantFrom(...pieces), { maxLength: 10 }),
  /** One byte that is another one. */
  flaw: fc.option(fc.record({ at: fc.nat(), byte: fc.nat(255) })),
  /** Where the answer is sent in two halves. */
  split: fc.option(fc.nat()),
  ending: fc.constantFrom(...Object.keys(endings)),
  method: fc.constantFrom('GET', 'HEAD', 'POST'),
});

/** The first result in which a busy machine had no part: when it holds this process up, a deadline says nothing. */
async function firstUndisturbed(probe: () => ReturnType<typeof probeHttp>): ReturnType<typeof probeHttp> {
  const result = await probe();
  return (result.reason?.message ?? '').startsWith('this host stood still')
    ? firstUndisturbed(probe)
    : result;
}

describe('an HTTP probe of a target that answers at random', () => {
  it('always ends in a verdict on the target, in time', async () => {
    let talk: (socket: Socket) => void = () => undefined;
    const target = await startRaw((socket) =>
      socket.once('data', () => {
        talk(socket);
      }),
    );
    const property = fc.asyncProperty(answers, async ({ start, middle, flaw, split, ending, method }) => {
      const bytes = Buffer.from(start + middle.join(''), 'latin1');
      if (flaw !== null && bytes.length > 0) bytes[flaw.at % bytes.length] = flaw.byte;
      const cut = split === null || bytes.length === 0 ? bytes.length : split % bytes.length;
      talk = (socket) => {
        socket.write(bytes.subarray(0, cut));
        setImmediate(() => {
          if (!socket.destroyed && cut < bytes.length) socket.write(bytes.subarray(cut));
          endings[ending]?.(socket);
        });
      };
      const monitor = aMonitor('http', {
        target: target.origin,
        method,
        timeout_secs: 0.05,
        json_query: '$.a',
      });
      const { outcome, reason } = await firstUndisturbed(async () => {
        const startedAt = performance.now();
        const result = await probeHttp(monitor, probeContext());
        assert.ok(performance.now() - startedAt < 10_000);
        return result;
      });
      assert.ok(outcome === 'failed' || outcome === 'healthy', JSON.stringify(reason));
      assert.equal(reason === null, outcome === 'healthy');
    });
    await checkAsyncProperty(property, 200);
    await target.close();
  });
});
