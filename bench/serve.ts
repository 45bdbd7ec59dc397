/**
 * Measures pages against a bare node:http server that sends the same bytes: requests a second, and how long the
 * slowest take, with 100 monitors that get samples meanwhile. Each server is a process of its own; they take turns.
 *
 * It measures itself bundled, as the program is shipped: tsx would put its own cost into every function that is made.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { samples } from '../src/db/tables/samples.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { startHttp } from '../src/serve/http.ts';
import { configText } from './seeding/config-text.ts';
import { writeHistory } from './seeding/write-history.ts';
import { exchange, figuresOf, load, requestFor, shareOf, printCpu, type Turn } from './http-turns.ts';
import { runBundled } from './run-bundled.ts';
import { buildHere, clock, openDaemonStore } from './seeding/open-store.ts';

const monitorCount = 100;
const historyDays = 7;
const turns = 21;
/** The first turns of each, which only bring its code to the speed at which it stays. */
const warmTurns = 4;
const sampleEveryMs = 100;

const leastShare = 0.8;
const mostP99Ms = 20;

const paths = ['/', '/api/badge/monitor-1/status'] as const;

/** What a bare server sends, by path. */
type Captured = Readonly<
  Record<string, { readonly headers: Readonly<Record<string, string>>; readonly body: string }>
>;

async function serveStatusd(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-serve-'));
  const loaded = await parseConfig(
    `[server]\nbind = "127.0.0.1:0"\nrate_limit_burst = 1000000\n\n${configText(monitorCount)}`,
    {
      file: 'bench.toml',
      env: {},
      readFile: () => Promise.reject(new Error('nothing is read')),
    },
  );
  const { config } = loaded;
  const store = await openDaemonStore(join(folder, 'statusd.db'), buildHere);
  await writeHistory(store, {
    config,
    now: Date.now(),
    days: historyDays,
    seed: 1,
    onProgress: () => undefined,
  });
  // A daemon does this on another thread; here it would be measured as part of the answers.
  await store.checkpoint();
  let named = 0;
  const http = await startHttp({
    loaded: () => loaded,
    store,
    clock,
    log: () => undefined,
    version: '0.0.0',
    engine: {
      heartbeat: () => Promise.resolve(),
      peerHeartbeat: () => Promise.resolve(),
      health: () => ({
        isSchedulerOk: true,
        lastTickAgeMs: 0,
        lateness: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
        network: { state: 'ok', sinceAt: null },
      }),
      checkNow: () => Promise.resolve(),
      stateOf: () => null,
    },
    probe: () => Promise.reject(new Error('nothing is probed here')),
    newRequestId: () => `request-${(named += 1)}`,
  });
  printCpu();
  let turn = 0;
  setInterval(() => {
    const { id } = config.monitors[(turn += 1) % monitorCount] ?? { id: '' };
    const sample = { monitor: id, at: Date.now(), status: 'up', latencyMs: 42, holdSecs: 90 } as const;
    store.record([samples.add({ ...sample, isHeartbeat: false, category: null, message: null })]);
  }, sampleEveryMs);
  process.on('disconnect', () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  });
  process.send?.(http.address.port);
}

function serveBare(): void {
  printCpu();
  process.once('message', (captured: Captured) => {
    const pages = new Map(
      Object.entries(captured).map(([path, { headers, body }]) => [
        path,
        { headers, body: Buffer.from(body, 'base64') },
      ]),
    );
    const server = createServer(({ url = '' }, response) => {
      const page = pages.get(url);
      response.writeHead(page === undefined ? 404 : 200, page?.headers);
      response.end(page?.body);
    });
    server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  });
  process.on('disconnect', () => process.exit());
}

function start(role: 'statusd' | 'bare'): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [role], { stdio: 'inherit' });
}

async function capture(port: number): Promise<Captured> {
  const all: Record<string, Captured[string]> = {};
  for (const path of paths) {
    const socket = connect(port, '127.0.0.1');
    const head = Buffer.from(await exchange(socket, requestFor(path)));
    socket.destroy();
    const end = head.indexOf('\r\n\r\n');
    const lines = head.subarray(0, end).toString('latin1').split('\r\n').slice(1);
    const headers = lines.flatMap((line) => {
      const at = line.indexOf(': ');
      const name = line.slice(0, at).toLowerCase();
      return ['date', 'connection', 'keep-alive'].includes(name) ? [] : [[name, line.slice(at + 2)]];
    });
    const body = head.subarray(end + 4).toString('base64');
    all[path] = { headers: Object.fromEntries(headers) as Record<string, string>, body };
  }
  return all;
}

async function portOf(server: ChildProcess): Promise<number> {
  const [port] = (await once(server, 'message')) as [number];
  return port;
}

async function compare(): Promise<boolean> {
  const statusd = start('statusd');
  const bare = start('bare');
  try {
    const port = await portOf(statusd);
    bare.send(await capture(port));
    const barePort = await portOf(bare);
    const verdicts: boolean[] = [];
    for (const path of paths) {
      const own: Turn[] = [];
      const floor: Turn[] = [];
      for (let turn = -warmTurns; turn < turns; turn += 1) {
        const both = [
          async () => own.push(await load(statusd, port, path)),
          async () => floor.push(await load(bare, barePort, path)),
        ];
        // By turns the one that comes first, so that a machine that gets slower or quicker favours neither.
        if (turn % 2 === 0) both.reverse();
        for (const take of both) await take();
      }
      verdicts.push(judge(path, own.slice(warmTurns), floor.slice(warmTurns)));
    }
    return verdicts.every(Boolean);
  } finally {
    statusd.disconnect();
    bare.disconnect();
  }
}

function judge(path: string, ownTurns: readonly Turn[], floorTurns: readonly Turn[]): boolean {
  const share = shareOf(ownTurns, floorTurns);
  const own = figuresOf(ownTurns);
  const floor = figuresOf(floorTurns);
  const isMet = share >= leastShare && own.p99Ms < mostP99Ms;
  console.log(
    `${path}: ${share.toFixed(2)} of the requests a second of a bare server ` +
      `(${own.perSecond.toFixed(0)} / ${floor.perSecond.toFixed(0)}), at least ${leastShare}; ` +
      `processor ${own.cpuUs.toFixed(0)} / ${floor.cpuUs.toFixed(0)} us; p99 ${own.p99Ms.toFixed(1)} ms (bare ${floor.p99Ms.toFixed(1)}), under ${mostP99Ms}: ${isMet ? 'ok' : 'FAIL'}`,
  );
  return isMet;
}

switch (process.argv[2] ?? '') {
  case 'statusd':
    await serveStatusd();
    break;
  case 'bare':
    serveBare();
    break;
  case 'compare':
    process.exitCode = (await compare()) ? 0 : 1;
    break;
  default:
    process.exitCode = runBundled(import.meta.url, 'compare');
}
