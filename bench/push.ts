/**
 * Measures durable heartbeats a second: the daemon as it is shipped against a bare node:http server that appends a line
 * for each, with one fdatasync for all that came in a turn. They take turns. Build first. What follows the name of
 * this file is for the node of the daemon (`--cpu-prof`).
 *
 * With so many senders at once, each of whom waits for its answer, the slowest answers of the floor itself take as long as
 * the disk lets them; so theirs are judged against those of the floor, too.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fdatasync, mkdtempSync, openSync, rmSync, write, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cpuArguments, cpuMsOf, exchange, printCpu } from './http-turns.ts';
import { startDaemon } from './running-daemon.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';

const monitorCount = 64;
/** About a second of the daemon, in which it makes a snapshot of its database as often as under a load that lasts. */
const pushesInTurn = 24_000;
const turns = 7;
/** Before those that count: two seconds and more in which V8 compiles what runs often, of either server. */
const warmUpTurns = 2;
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
  printCpu();
  process.on('disconnect', () => process.exit());
}

interface Turn {
  readonly perSecond: number;
  /** Of the processor of the server, all its threads, a heartbeat. */
  readonly cpuUs: number;
  readonly spansMs: readonly number[];
}

async function push(server: ChildProcess, port: number): Promise<Turn> {
  const spansMs: number[] = [];
  let left = pushesInTurn;
  const cpuBeforeMs = await cpuMsOf(server);
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
  const perSecond = (spansMs.length * 1000) / (performance.now() - startedMs);
  return { perSecond, cpuUs: (((await cpuMsOf(server)) - cpuBeforeMs) * 1000) / spansMs.length, spansMs };
}

function p99Of(list: readonly Turn[]): number {
  const spans = list.flatMap(({ spansMs }) => spansMs).sort((a, b) => a - b);
  return spans[Math.floor(spans.length * 0.99)] ?? Number.NaN;
}

function shown(list: readonly Turn[]): string {
  const perSecond = medianOf(list.map((turn) => turn.perSecond)).toFixed(0);
  const cpuUs = medianOf(list.map((turn) => turn.cpuUs)).toFixed(0);
  return `${perSecond} heartbeats a second, ${cpuUs} us of its processor each, p99 ${p99Of(list).toFixed(1)} ms`;
}

async function compare(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-push-'));
  const monitors = Array.from(
    { length: monitorCount },
    (_, n) => `[[monitors]]\nid = "job-${n}"\nkind = "push"\npush_token = "${token}"\n`,
  );
  const server = '[server]\nbind = "127.0.0.1:0"\nrate_limit_burst = 1000000\n';
  writeFileSync(join(folder, 'statusd.toml'), [server, ...monitors].join('\n'));
  const { child, url } = await startDaemon(folder, [...cpuArguments, ...process.argv.slice(2)]);
  const bare = fork(fileURLToPath(import.meta.url), ['--bare', join(folder, 'bare')], { stdio: 'inherit' });
  try {
    const [barePort] = (await once(bare, 'message')) as [number];
    const port = Number(new URL(url).port);
    const own: Turn[] = [];
    const floor: Turn[] = [];
    for (let turn = -warmUpTurns; turn < turns; turn += 1) {
      const taken = await push(child, port);
      const bareTaken = await push(bare, barePort);
      if (turn < 0) continue;
      own.push(taken);
      floor.push(bareTaken);
    }
    console.log(`(load ${loadavg()[0]?.toFixed(1) ?? ''}; own ${shown(own)}; bare ${shown(floor)})`);
    const ratio = (figure: (turn: Turn, floor: Turn) => number) =>
      medianOf(own.map((turn, index) => figure(turn, floor[index] ?? turn)));
    return judgeAll([
      {
        what: 'the time of a durable heartbeat against a bare server',
        measured: ratio((turn, bareTurn) => bareTurn.perSecond / turn.perSecond),
        unit: 'x',
        atMost: 2,
      },
      {
        what: `p99 of ${monitorCount} senders at once`,
        measured: p99Of(own),
        unit: 'ms',
        atMost: Math.max(10, 2 * p99Of(floor)),
      },
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
