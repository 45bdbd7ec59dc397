/**
 * Measures what a check by another node costs more than the same check made here: processor time of both nodes together,
 * with a real probe of a local server and real HTTP between the nodes. Rounds of both kinds and of bare requests take
 * turns, at the same rate.
 *
 * It measures itself bundled, as the program is shipped: tsx would put its own cost into every import and every error.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type LoadedConfig, parseConfig } from '../src/engine/config/load.ts';
import { createResolver } from '../src/engine/net/resolve.ts';
import { createTrust } from '../src/engine/net/tls-trust.ts';
import { CheckCounts } from '../src/engine/nodes/check-counts.ts';
import { Dispatcher } from '../src/engine/nodes/dispatcher.ts';
import { createNodeLine } from '../src/engine/nodes/post.ts';
import { RateMeter } from '../src/engine/nodes/rate-meter.ts';
import { monitorsOf } from '../src/engine/nodes/watched-hosts.ts';
import { NodeWorker } from '../src/engine/nodes/worker.ts';
import { check } from '../src/engine/probes/check.ts';
import { startHttp } from '../src/serve/http.ts';
import { cpuMsOf, printCpu } from './http-turns.ts';
import { startServer } from './measure.ts';
import { runBundled } from './run-bundled.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';
import { buildHere, clock, openDaemonStore } from './seeding/open-store.ts';

const monitorCount = 1000;
const perSec = 200;
const rounds = 9;
const roundSecs = 4;
const mostUs = 200;
/** A bare request takes some 400 us of a processor that is not shared. */
const mostShare = 0.5;

const identity = { config: 'same', version: '0.0.0' };
const tools = {
  clock,
  resolver: createResolver({ clock }),
  trust: createTrust({ env: process.env }),
  nameServers: null,
  execDir: null,
  searchPath: '/usr/bin:/bin',
  version: identity.version,
};

function configured(origin: string): Promise<LoadedConfig> {
  const monitors = Array.from(
    { length: monitorCount },
    (_, n) => `[[monitors]]\nid = "m${n}"\ntarget = "${origin}/${n}"\n`,
  );
  return parseConfig(
    `[server]\nbind = "127.0.0.1:0"\n[node]\ntoken = "of-the-benchmark"\n${monitors.join('')}`,
    { file: 'bench.toml', env: {}, readFile: () => Promise.reject(new Error('no file is read')) },
  );
}

/** The node that checks for the other one, as a process of its own. */
async function serveNode(origin: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-nodes-'));
  const loaded = await configured(origin);
  const worker = new NodeWorker({
    clock,
    rate: new RateMeter(clock),
    self: () => ({ ...identity, id: 'b' }),
    find: (id) => monitorsOf(loaded.config).get(id) ?? null,
    probe: async (monitor, signal) =>
      (await check(monitor, { ...tools, signal, redact: loaded.redact })).result,
  });
  const store = await openDaemonStore(join(folder, 'statusd.db'), buildHere);
  let named = 0;
  const spread = { p50Ms: 0, p99Ms: 0, maxMs: 0 };
  const http = await startHttp({
    loaded: () => loaded,
    store,
    clock,
    log: () => undefined,
    version: identity.version,
    engine: {
      heartbeat: () => Promise.resolve(),
      peerHeartbeat: () => Promise.resolve(),
      checkNow: () => Promise.resolve(),
      stateOf: () => null,
      health: () => ({
        isSchedulerOk: true,
        lastTickAgeMs: 0,
        lateness: spread,
        network: { state: 'ok', sinceAt: null },
      }),
    },
    probe: () => Promise.reject(new Error('no peer asks')),
    answerNode: worker.answer,
    newRequestId: () => `request-${(named += 1)}`,
  });
  printCpu();
  process.on('disconnect', () => {
    worker.stop();
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  });
  process.send?.(`http://127.0.0.1:${http.address.port}`);
}

/** Begins `work` so many times a second for a round; answers how often, when all of it has ended. */
async function paced(work: (n: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  const count = perSec * roundSecs;
  const under: Promise<unknown>[] = [];
  while (under.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - startedMs) * perSec) / 1000));
    while (under.length < due) under.push(work(under.length));
    await pause(5);
  }
  await Promise.all(under);
  return count;
}

function bareRequest(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function compare(): Promise<boolean> {
  const server = await startServer();
  const node = fork(fileURLToPath(import.meta.url), ['--node', server.origin]);
  const [url] = (await once(node, 'message')) as [string];
  const line = createNodeLine(tools);
  try {
    return await measure({ node, url, origin: server.origin, line });
  } finally {
    line.close();
    node.disconnect();
    server.stop();
  }
}

interface Pair {
  readonly node: ChildProcess;
  readonly url: string;
  readonly origin: string;
  readonly line: ReturnType<typeof createNodeLine>;
}

async function measure({ node, url, origin, line }: Pair): Promise<boolean> {
  const { config, redact } = await configured(origin);
  let isOther = false;
  let [asked, bad] = [0, 0];
  const dispatcher = new Dispatcher({
    clock,
    log: ({ message }) => {
      console.log(message);
    },
    config: () => config,
    session: 'bench',
    liveMs: 1e12,
    rate: new RateMeter(clock),
    counts: new CheckCounts(),
    self: () => ({ ...identity, id: 'a', isProbing: !isOther }),
    seen: () => (isOther ? [{ ...identity, id: 'b', url, isProbing: true, ageMs: 0 }] : []),
    line: {
      post: (what) => {
        asked += 1;
        return line.post(what);
      },
    },
    check: (monitor, how) => {
      if (isOther) bad += 1;
      return check(monitor, { ...tools, ...how });
    },
    onIsolated: () => {
      bad += 1;
    },
  });
  const monitors = [...monitorsOf(config).values()];
  const { signal } = new AbortController();
  const agent = new Agent({ keepAlive: false });
  const checkOne = async (n: number) => {
    const monitor = monitors[n % monitors.length];
    if (monitor === undefined) throw new Error('there are no monitors');
    const { result } = await dispatcher.check(monitor, { signal, redact });
    if (result.outcome !== 'healthy') bad += 1;
  };
  /** Of both nodes together, a check. */
  const round = async (work: (n: number) => Promise<unknown>) => {
    // The dispatcher looks for nodes twice a second.
    await pause(700);
    const before = ownCpuMs() + (await cpuMsOf(node));
    const count = await paced(work);
    return ((ownCpuMs() + (await cpuMsOf(node)) - before) * 1000) / count;
  };
  const measured: { readonly here: number; readonly there: number; readonly bare: number }[] = [];
  for (let turn = -2; turn < rounds; turn += 1) {
    isOther = false;
    const here = await round(checkOne);
    isOther = true;
    asked = 0;
    const there = await round(checkOne);
    isOther = false;
    const bare = await round(() => bareRequest(`${origin}/`, agent));
    // In the first turns code is compiled.
    if (turn >= 0) measured.push({ here, there, bare });
  }
  dispatcher.stop();
  const median = (of: (one: (typeof measured)[number]) => number) => medianOf(measured.map(of));
  console.log(
    `(load ${loadavg()[0]?.toFixed(1) ?? ''}; ${perSec} checks a second, ${((perSec * roundSecs) / asked).toFixed(1)} a ` +
      `question; made here ${median(({ here }) => here).toFixed(0)} us, by another node ` +
      `${median(({ there }) => there).toFixed(0)} us, a bare request ${median(({ bare }) => bare).toFixed(0)} us)`,
  );
  return judgeAll([
    {
      what: 'processor time of a check by another node, beyond that of one made here',
      measured: median(({ here, there }) => there - here),
      unit: 'us',
      atMost: mostUs,
    },
    {
      what: 'the same, of a bare request',
      measured: median(({ here, there, bare }) => (there - here) / bare),
      unit: 'x',
      atMost: mostShare,
    },
    { what: 'checks that failed, or that the other node did not make', measured: bad, unit: '', atMost: 0 },
  ]);
}

const bundled = '--bundled';
const at = process.argv.indexOf('--node');
if (at !== -1) await serveNode(process.argv[at + 1] ?? '');
else if (process.argv.includes(bundled)) process.exitCode = (await compare()) ? 0 : 1;
else process.exitCode = runBundled(import.meta.url, bundled);
