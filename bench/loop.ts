/**
 * Measures the loop under two thousand http monitors: how late ticks begin, what a check costs in CPU against a bare
 * undici loop over as many requests, how much memory it takes. Time is compressed: an interval is 20 s instead of 60.
 *
 * It measures itself bundled, as the program is shipped: tsx would put its own cost into every import and every error.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { parseConfig } from '../src/engine/config/load.ts';
import { createEngine } from '../src/engine/monitoring/create-engine.ts';
import { check } from '../src/engine/probes/check.ts';
import { createResolver } from '../src/engine/net/resolve.ts';
import { createTrust } from '../src/engine/net/tls-trust.ts';
import { startServer } from './measure.ts';
import { runBundled } from './run-bundled.ts';
import { judgeAll } from './seeding/verdict.ts';
import { buildHere, clock, openDaemonStore } from './seeding/open-store.ts';

const bundled = '--bundled';

const monitorCount = 2000;
const intervalSecs = 20;
const runSecs = 40;

interface Cost {
  readonly requests: number;
  readonly cpuMs: number;
}

/** A cost, and how late a bare timer is on this machine at this time, p99. */
interface Floor extends Cost {
  readonly lateMs: number;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** As many requests a second as the monitors make, each over a connection of its own, and nothing else. */
async function bareLoop(origin: string, requests: number): Promise<Floor> {
  const everyMs = (intervalSecs * 1000) / monitorCount;
  const startedMs = performance.now();
  const before = cpuMs();
  const under: Promise<void>[] = [];
  const late: number[] = [];
  for (let sent = 0; sent < requests; ) {
    const due = Math.min(requests, Math.ceil((performance.now() - startedMs) / everyMs));
    for (; sent < due; sent += 1) {
      late.push(performance.now() - startedMs - sent * everyMs);
      under.push(request(origin));
    }
    await pause(1);
  }
  await Promise.all(under);
  const lateMs = late.toSorted((a, b) => a - b)[Math.floor(late.length * 0.99)] ?? 0;
  return { requests, cpuMs: cpuMs() - before, lateMs };
}

async function request(origin: string): Promise<void> {
  const client = new Client(origin, { pipelining: 0 });
  const { body } = await client.request({ path: '/', method: 'GET' });
  await body.text();
  await client.close();
}

async function engineLoop(origin: string, folder: string) {
  const monitors = Array.from(
    { length: monitorCount },
    (_, n) => `[[monitors]]\nid = "m${n}"\ntarget = "${origin}/"\ninterval_secs = ${intervalSecs}\n`,
  );
  const readFile = () => Promise.reject(new Error('no file is read'));
  const loaded = await parseConfig(monitors.join(''), {
    file: join(folder, 'statusd.toml'),
    env: {},
    readFile,
  });
  const store = await openDaemonStore(join(folder, 'statusd.db'), buildHere);
  const context = {
    clock,
    resolver: createResolver({ clock }),
    trust: createTrust({ env: process.env }),
    nameServers: null,
    execDir: null,
    searchPath: '/usr/bin:/bin',
    version: '0.0.0',
  };
  let checks = 0;
  let failed = 0;
  let uids = 0;
  const engine = await createEngine({
    loaded,
    store,
    clock,
    log: () => undefined,
    check: async (monitor, how) => {
      const result = await check(monitor, { ...context, ...how });
      checks += 1;
      if (result.result.outcome !== 'healthy') failed += 1;
      return result;
    },
    lookUpDomain: null,
    peerClients: null,
    onProgress: () => undefined,
    newUid: () => `uid-${(uids += 1)}`,
  });
  // One interval to warm up, in which every monitor is checked once.
  await pause(intervalSecs * 1000);
  const [checksBefore, cpuBefore] = [checks, cpuMs()];
  let mostBytes = 0;
  for (let passed = 0; passed < runSecs; passed += 1) {
    await pause(1000);
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }
  const cost: Cost = { requests: checks - checksBefore, cpuMs: cpuMs() - cpuBefore };
  const { lateness } = engine.health();
  await engine.stop();
  await store.close();
  return { cost, lateness, mostBytes, failed };
}

async function measureAll(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
  const server = await startServer();
  try {
    return await measure(server.origin, folder);
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(origin: string, folder: string): Promise<boolean> {
  const expected = (runSecs / intervalSecs) * monitorCount;
  await bareLoop(origin, 500);
  const bare = await bareLoop(origin, expected);
  const { cost, lateness, mostBytes, failed } = await engineLoop(origin, folder);
  const each = ({ cpuMs: total, requests }: Cost) => total / requests;
  console.log(
    `(${cost.requests} checks, ${failed} not healthy; CPU ${each(cost).toFixed(3)} ms a check, ` +
      `${each(bare).toFixed(3)} ms a bare request; lateness p50 ${lateness.p50Ms.toFixed(1)} ms, ` +
      `p99 ${lateness.p99Ms.toFixed(1)} ms, of a bare timer ${bare.lateMs.toFixed(1)} ms)`,
  );
  return judgeAll([
    {
      what: 'lateness of a tick beyond that of a bare timer, p99',
      measured: Math.max(0, lateness.p99Ms - bare.lateMs),
      unit: 'ms',
      atMost: 50,
    },
    { what: 'lateness of a tick, longest', measured: lateness.maxMs, unit: 'ms', atMost: 500 },
    {
      what: 'CPU of a check against a bare request',
      measured: each(cost) / each(bare),
      unit: 'x',
      atMost: 3,
    },
    {
      what: 'checks missed',
      measured: Math.max(0, expected - cost.requests) / expected,
      unit: '',
      atMost: 0.02,
    },
    { what: 'memory', measured: mostBytes / 1024 ** 2, unit: 'MiB', atMost: 300 },
  ]);
}

if (process.argv.includes(bundled)) process.exitCode = (await measureAll()) ? 0 : 1;
else process.exitCode = runBundled(import.meta.url, bundled);
