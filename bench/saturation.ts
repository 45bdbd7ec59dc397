/**
 * Measures what 1,500 hanging targets cost 1,500 healthy ones: how late the checks of these begin, from the moment the
 * others hang, and how soon the first check of each of the others has failed. Time is compressed: an interval is 20 s.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { incidents } from '../src/db/tables/incidents.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { fractionOf } from '../src/engine/core/fraction.ts';
import { createEngine } from '../src/engine/monitoring/create-engine.ts';
import { check } from '../src/engine/probes/check.ts';
import { createResolver } from '../src/engine/net/resolve.ts';
import { createTrust } from '../src/engine/net/tls-trust.ts';
import { startServer } from './measure.ts';
import { runBundled } from './run-bundled.ts';
import { judgeAll } from './seeding/verdict.ts';
import { buildHere, clock, openDaemonStore } from './seeding/open-store.ts';

const bundled = '--bundled';

const monitorCount = 3000;
const intervalSecs = 20;
const runSecs = 80;

/** When each check of a healthy monitor began, in ms of the monotonic clock. */
type Begun = readonly { readonly id: string; readonly atMs: number }[];

interface Measured {
  readonly begun: Begun;
  /** Hanging monitors that were confirmed down, and when the last of them was, in seconds after the start. */
  readonly down: number;
  readonly lastDownSecs: number;
  readonly mostInFlight: number;
}

const isHanging = (id: string) => id.startsWith('h');

async function runEngine(healthy: string, hanging: string, folder: string): Promise<Measured> {
  const monitors = Array.from({ length: monitorCount }, (_, n) => {
    const [id, origin] = n % 2 === 0 ? [`ok${n}`, healthy] : [`h${n}`, hanging];
    return `[[monitors]]\nid = "${id}"\ntarget = "${origin}/"\ninterval_secs = ${intervalSecs}\nfail_threshold = 1\n`;
  });
  const readFile = () => Promise.reject(new Error('no file is read'));
  const source = { file: join(folder, 'statusd.toml'), env: {}, readFile };
  const loaded = await parseConfig(monitors.join(''), source);
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
  const begun: { id: string; atMs: number }[] = [];
  let uids = 0;
  const startedAt = clock.now();
  const engine = await createEngine({
    loaded,
    store,
    clock,
    log: () => undefined,
    check: (monitor, how) => {
      if (!isHanging(monitor.id)) begun.push({ id: monitor.id, atMs: clock.monotonic() });
      return check(monitor, { ...context, ...how });
    },
    lookUpDomain: null,
    peerClients: null,
    onProgress: () => undefined,
    newUid: () => `uid-${(uids += 1)}`,
  });
  let mostInFlight = 0;
  for (let passed = 0; passed < runSecs; passed += 1) {
    await pause(1000);
    mostInFlight = Math.max(mostInFlight, engine.health().inFlight);
  }
  const open = incidents.listOpen(store.sql);
  await engine.stop();
  await store.close();
  const lastDownAt = open.reduce((last, { confirmedAt }) => Math.max(last, confirmedAt), startedAt);
  return { begun, down: open.length, lastDownSecs: (lastDownAt - startedAt) / 1000, mostInFlight };
}

/** How late each check began in ms: its monitor is due every interval, at a place that its id decides. */
function latenessOf(begun: Begun): number[] {
  const intervalMs = intervalSecs * 1000;
  const places = begun.map(({ id, atMs }) => atMs - fractionOf(id) * intervalMs);
  const originMs = Math.min(...places);
  return places.map((place) => (place - originMs) % intervalMs).toSorted((a, b) => a - b);
}

/** A server that takes every connection and never answers. */
async function startHanging(): Promise<{ readonly origin: string; readonly stop: () => void }> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return { origin: `http://127.0.0.1:${address.port}`, stop: () => server.close() };
}

async function measureAll(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
  const [healthy, hanging] = await Promise.all([startServer(), startHanging()]);
  try {
    const measured = await runEngine(healthy.origin, hanging.origin, folder);
    return judgeMeasured(measured);
  } finally {
    healthy.stop();
    hanging.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function judgeMeasured({ begun, down, lastDownSecs, mostInFlight }: Measured): boolean {
  const late = latenessOf(begun);
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Infinity;
  const healthy = monitorCount / 2;
  const expected = (runSecs / intervalSecs) * healthy;
  console.log(
    `(${begun.length} checks of ${healthy} healthy monitors, lateness p50 ${at(0.5).toFixed(1)} ms, p99 ` +
      `${at(0.99).toFixed(1)} ms; ${down} of ${healthy} hanging ones down, the last after ` +
      `${lastDownSecs.toFixed(1)} s; ${mostInFlight} checks in flight at most)`,
  );
  return judgeAll([
    { what: 'lateness of a healthy check, p99', measured: at(0.99), unit: 'ms', atMost: 1000 },
    {
      what: 'healthy checks missed',
      measured: Math.max(0, expected - begun.length) / expected,
      unit: '',
      atMost: 0.02,
    },
  ]);
}

if (process.argv.includes(bundled)) process.exitCode = (await measureAll()) ? 0 : 1;
else process.exitCode = runBundled(import.meta.url, bundled);
