/**
 * Measures durable heartbeats a second: the daemon as it is shipped against a bare node:http server that appends a line
 * for each, with one fdatasync for all that came in a turn. They take turns. Build first.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fdatasync, mkdtempSync, openSync, rmSync, write, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exchange } from './http-turns.ts';
import { startDaemon } from './running-daemon.ts';
import { judgeAll } from './seeding/verdict.ts';

const monitorCount = 64;
const pushesInTurn = 4000;
const turns = 7;
const token = 'a-token-of-the-benchmark';

function serveBare(file: string): void {
  const log = openSync(file, 'a', 0o600);
  const [append, sync] = [promisify(write), promisify(fdatasync)];
  let waiting: { readonly line: string; readonly done: () => void }[] = [];
  let isWriting = false;
  const commit = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await append(log, Buffer.from(batch.map(({ line }) => line).join('')));
      await sync(log);
      for (const { done } of batch) done();
    }
    isWriting = false;
  };
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      waiting.push({
        line: `${Date.now()} ${request.url ?? ''}\n`,
        done: () => response.end('{"status":"ok"}'),
      });
      if (!isWriting) void commit();
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
}

interface Turn {
  readonly perSecond: number;
  readonly spansMs: readonly number[];
}

async function push(port: number): Promise<Turn> {
  const spansMs: number[] = [];
  let left = pushesInTurn;
  const startedMs = performance.now();
  const sender = async (index: number) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const request = `POST /api/push/job-${index} HTTP/1.1\r\nHost: localhost\r\nX-Push-Token: ${token}\r\nContent-Length: 0\r\n\r\n`;
    while (left > 0) {
      left -= 1;
      const sentMs = performance.now();
      await exchange(socket, request);
      spansMs.push(performance.now() - sentMs);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: monitorCount }, (_, index) => sender(index)));
  return { perSecond: (spansMs.length * 1000) / (performance.now() - startedMs), spansMs };
}

async function compare(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-push-'));
  const monitors = Array.from(
    { length: monitorCount },
    (_, n) => `[[monitors]]\nid = "job-${n}"\nkind = "push"\npush_token = "${token}"\n`,
  );
  const server = '[server]\nbind = "127.0.0.1:0"\nrate_limit_burst = 1000000\n';
  writeFileSync(join(folder, 'statusd.toml'), [server, ...monitors].join('\n'));
  const { child, url } = await startDaemon(folder, process.argv.slice(2));
  const bare = fork(fileURLToPath(import.meta.url), ['--bare', join(folder, 'bare')], { stdio: 'inherit' });
  try {
    const [barePort] = (await once(bare, 'message')) as [number];
    const ports = { own: Number(new URL(url).port), bare: barePort };
    const own: Turn[] = [];
    const floor: Turn[] = [];
    for (let turn = -2; turn < turns; turn += 1) {
      const taken = await push(ports.own);
      const bareTaken = await push(ports.bare);
      if (turn < 0) continue;
      own.push(taken);
      floor.push(bareTaken);
    }
    const median = (values: readonly number[]) =>
      values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
    const p99 = (list: readonly Turn[]) => {
      const spans = list.flatMap(({ spansMs }) => spansMs).sort((a, b) => a - b);
      return spans[Math.floor(spans.length * 0.99)] ?? Number.NaN;
    };
    const rate = (list: readonly Turn[]) => median(list.map(({ perSecond }) => perSecond));
    console.log(
      `(${rate(own).toFixed(0)} heartbeats a second, bare ${rate(floor).toFixed(0)}; p99 bare ${p99(floor).toFixed(1)} ms)`,
    );
    const ratio = median(
      own.map(({ perSecond }, index) => (floor[index]?.perSecond ?? Number.NaN) / perSecond),
    );
    return judgeAll([
      {
        what: 'the time of a durable heartbeat against a bare server',
        measured: ratio,
        unit: 'x',
        atMost: 2,
      },
      { what: `p99 of ${monitorCount} senders at once`, measured: p99(own), unit: ' ms', atMost: 10 },
    ]);
  } finally {
    bare.disconnect();
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === '--bare') serveBare(process.argv[3] ?? '');
else process.exitCode = (await compare()) ? 0 : 1;
