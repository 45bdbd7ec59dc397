import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import type { ProbeResult } from '../../../../src/engine/core/probe.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { startRaw, type Target } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const megabyte = 1024 * 1024;
const deadlineMs = 300;
const graceMs = 100;
/** Twice the body that a monitor reads by default, decoded, as text, and the noise of a process. */
const flatBytes = 24 * megabyte;

const ok = 'HTTP/1.1 200 OK\r\n';

/** Writes `chunk` for as long as somebody reads, without piling it up. */
function flood(socket: Socket, chunk: string | Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', pour);
  pour();
}

/** Writes `text` a byte every 20 ms, over and over. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text.charAt(at % text.length));
    at += 1;
  }, 20);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/** A gigabyte of zeros in about a megabyte: as many gzip members as it takes. */
const gzipBomb = Buffer.concat(new Array<Buffer>(1024).fill(gzipSync(Buffer.alloc(megabyte))));
/** As small as with the best quality, which takes twenty times longer to make it. */
const brotliBomb = brotliCompressSync(Buffer.alloc(64 * megabyte), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 9 },
});

/** What a probe says that the machine kept from its work. */
const stoodStill = /^unknown own_fault: this host stood still for \d+ ms, /;

interface Hostility {
  readonly talk: (socket: Socket, request: string) => void;
  readonly scheme?: string;
  readonly monitor?: Partial<HttpMonitor>;
  readonly notified: RegExp;
}

const late = /^failed timeout: no (answer|end of the answer) from 127\.0\.0\.1:\d+ within 0\.3 s$/;
/** A busy machine may not come to the end of its unpacking, which is as good. */
const unpacking =
  /^failed (content: .* as far as it was read \(max_body_kb\)|timeout: no end of the decoding within 0\.3 s)$/;

/** Where it is the time that ends the probe, it is short; where it is what the target sends, a busy machine may take longer. */
const patientMs = 5000;
const timeoutMsOf = ({ notified: expected }: Hostility) =>
  expected.source.includes('within 0') ? deadlineMs : patientMs;

const anything = { keyword: 'never', max_body_kb: 1024 };

const hostilities: Readonly<Record<string, Hostility>> = {
  'says nothing': { talk: () => undefined, notified: late },
  'drips its head': {
    talk: (socket) => {
      drip(socket, `${ok}x: y\r\n`);
    },
    notified: late,
  },
  'drips its body': {
    talk: (socket) => {
      socket.write(`${ok}\r\n`);
      drip(socket, 'x');
    },
    notified: late,
  },
  'has headers without end': {
    talk: (socket) => {
      socket.write(ok);
      flood(socket, 'x-more: and more\r\n'.repeat(1000));
    },
    notified: /^failed protocol: \S+ sends more than 64 KiB of headers$/,
  },
  'has one header without end': {
    talk: (socket) => {
      socket.write(`${ok}x: `);
      flood(socket, 'y'.repeat(16_384));
    },
    notified: /^failed protocol: \S+ sends more than 64 KiB of headers$/,
  },
  'has interim responses without end': {
    talk: (socket) => {
      flood(socket, 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(500));
    },
    notified: /^failed protocol: \S+ sends more than 1088 KiB without an answer$/,
  },
  'says that it goes on without end': {
    talk: (socket) => {
      flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500));
    },
    notified: /^failed protocol: \S+ sends more than 1088 KiB without an answer$/,
  },
  'has an interim response without end': {
    talk: (socket) => {
      socket.write('HTTP/1.1 100 Continue\r\nx: ');
      flood(socket, 'y'.repeat(16_384));
    },
    notified: /^failed protocol: \S+ sends more than 64 KiB of headers$/,
  },
  'has a status line without end': {
    talk: (socket) => {
      socket.write('HTTP/1.1 200 ');
      flood(socket, 'very '.repeat(3000));
    },
    notified: /^failed protocol: \S+ sends more than 1088 KiB without an answer$/,
  },
  'has a body without end': {
    talk: (socket) => {
      socket.write(`${ok}\r\n`);
      flood(socket, Buffer.alloc(65_536, 'x'));
    },
    monitor: anything,
    notified: /^failed content: .* as far as it was read \(max_body_kb\)$/,
  },
  'has a body in chunks of one byte': {
    talk: (socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, '1\r\nx\r\n'.repeat(5000));
    },
    monitor: anything,
    notified: /^failed (content|timeout): /,
  },
  'has a chunk size without end': {
    talk: (socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n1;x=`);
      flood(socket, 'y'.repeat(16_384));
    },
    notified: /^failed protocol: \S+ sends more than 1088 KiB, hardly any of it body$/,
  },
  'sends a gzip bomb': {
    talk: (socket) =>
      socket.end(Buffer.concat([Buffer.from(`${ok}content-encoding: gzip\r\n\r\n`), gzipBomb])),
    monitor: { ...anything, max_body_kb: 2048 },
    notified: unpacking,
  },
  'sends a bomb in a bomb': {
    talk: (socket) =>
      socket.end(
        Buffer.concat([Buffer.from(`${ok}content-encoding: gzip, gzip\r\n\r\n`), gzipSync(gzipBomb)]),
      ),
    monitor: anything,
    notified: /^failed (content|timeout): /,
  },
  'sends a brotli bomb': {
    talk: (socket) =>
      socket.end(Buffer.concat([Buffer.from(`${ok}content-encoding: br\r\n\r\n`), brotliBomb])),
    monitor: anything,
    notified: unpacking,
  },
  'redirects to ever new places': {
    talk: (socket, request) => {
      const [, path = '/'] = request.split(' ');
      socket.end(`HTTP/1.1 302 Found\r\nlocation: ${path}x\r\ncontent-length: 0\r\n\r\n`);
    },
    notified: /^failed redirect: \S+ redirects more than 10 times, at last to \S+\/x{11}$/,
  },
  'redirects in a circle': {
    talk: (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'),
    notified: /^failed redirect: \S+ redirects in a circle/,
  },
  'resets the TLS handshake': {
    scheme: 'https',
    talk: (socket) => socket.resetAndDestroy(),
    notified: /^failed tls: connection reset by \S+ during the TLS handshake$/,
  },
  'drips the TLS handshake': {
    scheme: 'https',
    talk: (socket) => {
      drip(socket, '\u0016\u0003\u0003\u0040\u0000');
    },
    notified: /^failed timeout: no TLS handshake with \S+ within 0\.3 s$/,
  },
  'sends JSON of a hundred thousand levels': {
    talk: (socket) => socket.end(`${ok}\r\n${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    monitor: { json_query: '$..a' },
    notified: /^failed content: .* a body that is nested more than 64 levels deep$/,
  },
  'sends JSON that is worst for the query': {
    talk: (socket) => socket.end(`${ok}\r\n[${'[[0],0],'.repeat(20_000)}0]`),
    monitor: { json_query: '$..[?@..*]' },
    notified: /^failed content: .* a body that is too large for this query$/,
  },
};

async function startHostile({ talk, scheme = 'http' }: Hostility): Promise<Target> {
  const target = await startRaw((socket) => {
    socket.once('data', (data) => {
      talk(socket, data.toString('latin1'));
    });
  });
  return { ...target, origin: `${scheme}://127.0.0.1:${target.port}` };
}

const memory = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** The most memory that `work` took over what was there before it, looked at every few milliseconds. */
async function peakOf<T>(work: () => Promise<T>): Promise<{ result: T; peakBytes: number; tookMs: number }> {
  collectGarbage();
  const before = memory();
  let most = before;
  const look = () => {
    if (most - before > flatBytes) return;
    if (memory() - before > flatBytes / 2) collectGarbage();
    most = Math.max(most, memory());
  };
  const timer = setInterval(look, 5);
  const startedAt = performance.now();
  const result = await work();
  const tookMs = performance.now() - startedAt;
  look();
  clearInterval(timer);
  return { result, peakBytes: most - before, tookMs };
}

const notified = ({ outcome, reason }: ProbeResult) =>
  `${outcome} ${reason?.category ?? ''}: ${reason?.message ?? ''}`;

describe('a target that', () => {
  const open: Target[] = [];
  after(() => Promise.all(open.map((target) => target.close())));
  const probe = (target: Target, parts: Partial<HttpMonitor> = {}) =>
    probeHttp(
      aMonitor('http', { target: `${target.origin}/`, timeout_secs: deadlineMs / 1000, ...parts }),
      probeContext(),
    );

  for (const [name, hostility] of Object.entries(hostilities)) {
    it(`${name} holds the probe no longer than its deadline, in memory that stays flat`, async () => {
      const target = await startHostile(hostility);
      open.push(target);
      // The machine may be busy, for seconds: three tries to keep the time, with pauses between.
      for (let attempt = 1; ; attempt += 1) {
        const timeoutMs = timeoutMsOf(hostility);
        const parts = { timeout_secs: timeoutMs / 1000, ...hostility.monitor };
        const { result, peakBytes, tookMs } = await peakOf(() => probe(target, parts));
        const isStill = result.outcome === 'unknown';
        assert.match(notified(result), isStill ? stoodStill : hostility.notified);
        assert.ok(peakBytes < flatBytes, `${(peakBytes / megabyte).toFixed(1)} MiB`);
        if (!isStill && tookMs <= timeoutMs + graceMs) break;
        assert.ok(attempt < 3, `${tookMs.toFixed(0)} ms`);
        await pause(attempt * 2000);
      }
      await target.close();
    });
  }

  it('does all that takes a client without defences for longer and for more', async () => {
    const dripping = await startHostile(hostilities['drips its body'] as Hostility);
    const flooding = await startHostile(hostilities['has a body without end'] as Hostility);
    open.push(dripping, flooding);

    const slow = await peakOf(() =>
      fetch(dripping.origin, { signal: AbortSignal.timeout(2 * (deadlineMs + graceMs)) })
        .then((response) => response.text())
        .catch(String),
    );
    assert.match(slow.result, /^TimeoutError: /);
    assert.ok(slow.tookMs > deadlineMs + graceMs, `${slow.tookMs.toFixed(0)} ms`);

    const large = await peakOf(() => probe(flooding, { max_body_kb: 40_960, timeout_secs: 5 }));
    assert.ok(large.peakBytes > flatBytes, 'the flood is one');

    // It may be in memory that the flood left free, so that the process does not grow.
    assert.ok(brotliDecompressSync(brotliBomb).length > flatBytes, 'the bomb is one');
  });
});
