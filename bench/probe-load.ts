/** A daemon that probes a local server, beside a bare node:http loop that asks the same server as often. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from './measure.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';

/** Each request over a connection of its own, spread evenly; what a script without a product around it would do. */
const floorSource = `
  const { Agent, get } = require('node:http');
  const [origin, everyText] = process.argv.slice(1);
  const every = Number(everyText);
  const agent = new Agent({ keepAlive: false });
  const startedMs = performance.now();
  let sent = 0;
  let late = [];
  const tick = () => {
    late.push(performance.now() - startedMs - sent * every);
    sent += 1;
    get(origin, { agent }, (response) => response.resume());
    setTimeout(tick, Math.max(0, startedMs + sent * every - performance.now()));
  };
  process.on('message', () => { process.send({ sent, late }); late = []; });
  process.on('disconnect', () => process.exit());
  tick();
`;

export interface ProbeLoad {
  readonly monitors: number;
  readonly intervalSecs: number;
  readonly nodeArguments?: readonly string[];
  /** The program to start; default: what was built. */
  readonly program?: string;
  /** TOML that goes in front of the monitors. */
  readonly settings?: string;
}

export interface LoadedDaemon extends RunningDaemon {
  readonly pid: number;
  readonly origin: string;
  readonly floor: ChildProcess;
  /** From the start of the process to its being ready. */
  readonly readyMs: number;
}

/** Runs `use` with a daemon and a floor at work; both end when it has. */
export async function withProbeLoad<T>(
  { monitors, intervalSecs, nodeArguments = [], program, settings = '' }: ProbeLoad,
  use: (daemon: LoadedDaemon) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
  const server = await startServer();
  const lines = Array.from(
    { length: monitors },
    (_, n) => `[[monitors]]\nid = "m${n}"\ntarget = "${server.origin}/"\ninterval_secs = ${intervalSecs}\n`,
  );
  const head = `[server]\nbind = "127.0.0.1:0"\nauth_token = "${authToken}"\nrate_limit_burst = 100000\n`;
  writeFileSync(join(folder, 'statusd.toml'), [head, settings, ...lines].join('\n'));
  const everyMs = (intervalSecs * 1000) / monitors;
  const floor = startFloor(`${server.origin}/`, everyMs);
  const startedMs = performance.now();
  const daemon = await startDaemon(folder, nodeArguments, program);
  const readyMs = performance.now() - startedMs;
  try {
    return await use({ ...daemon, pid: daemon.child.pid ?? 0, origin: server.origin, floor, readyMs });
  } finally {
    floor.disconnect();
    daemon.child.kill('SIGKILL');
    await once(daemon.child, 'exit');
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Asks `url` every so often until the channel to it is closed. */
export function startFloor(url: string, everyMs: number): ChildProcess {
  return spawn(process.execPath, ['-e', floorSource, url, String(everyMs)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

const authToken = 'a-token-of-the-benchmark';

export const authorization = { authorization: `Bearer ${authToken}` };

/** What a process has used of the processors so far in ms, all its threads, those that ended too. */
export function usedMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime and stime, in ticks of which there are a hundred a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same to the nanosecond, for a process that does little: of the threads that are there, not of those that ended. */
export function finelyUsedMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return threads.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6;
}

export interface ProbeCosts {
  readonly probes: number;
  /** Of the processors, a probe. */
  readonly cpuMs: number;
  /** The same of a bare request. */
  readonly floorMs: number;
  readonly residentMb: number;
  readonly floorResidentMb: number;
  /** How late checks began, at the worst end of a window. */
  readonly late: { readonly p99Ms: number; readonly maxMs: number };
  /** How late the timers of the floor were. */
  readonly floorLate: { readonly p99Ms: number; readonly maxMs: number };
}

/** Watches both for `secs`. */
export async function measureProbes({ pid, url, floor }: LoadedDaemon, secs: number): Promise<ProbeCosts> {
  const floorPid = floor.pid ?? 0;
  const metrics = async () => (await fetch(`${url}metrics`, { headers: authorization })).text();
  const probesBefore = checksIn(await metrics());
  await pause(500);
  const { sent: sentBefore } = await floorReport(floor);
  const before = { own: usedMs(pid), floor: usedMs(floorPid) };
  let most = 0;
  for (let passed = 0; passed < secs; passed += 1) {
    await pause(1000);
    most = Math.max(most, residentMb(pid));
  }
  const used = { own: usedMs(pid) - before.own, floor: usedMs(floorPid) - before.floor };
  const { sent, late: floorLate } = await floorReport(floor);
  const text = await metrics();
  const probes = checksIn(text) - probesBefore;
  return {
    probes,
    cpuMs: used.own / probes,
    floorMs: used.floor / (sent - sentBefore),
    residentMb: most,
    floorResidentMb: residentMb(floorPid),
    late: { p99Ms: latenessMs(text, '0.99'), maxMs: latenessMs(text, '1.0') },
    floorLate: { p99Ms: quantile(floorLate, 0.99), maxMs: Math.max(...floorLate) },
  };
}

interface FloorReport {
  readonly sent: number;
  readonly late: readonly number[];
}

/** What it has done so far, and how late its timers were since it was last asked. */
export async function floorReport(floor: ChildProcess): Promise<FloorReport> {
  floor.send('report');
  const [report] = (await once(floor, 'message')) as [FloorReport];
  return report;
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

function latenessMs(metrics: string, share: string): number {
  const line = new RegExp(`^statusd_scheduler_lateness_seconds\\{quantile="${share}"\\} (\\S+)$`, 'm');
  return Number(line.exec(metrics)?.[1]) * 1000;
}

function checksIn(metrics: string): number {
  const counts = metrics.matchAll(/^statusd_probes_total\{[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
