/**
 * Measures other monitors beside statusd and a bare node:http loop, in one run on one machine: processor time a probe
 * and memory under http monitors, the way to being ready, an idle process with one monitor. Of Gatus, Hora,
 * Prometheus with its blackbox exporter and Uptime Kuma those are measured that are on the PATH or named by an option;
 * the others are listed as not found. Uptime Kuma keeps its monitors in its database, so it is measured without any.
 * Probes are counted by the server that is asked. Build first.
 *
 *   node --import tsx bench/peers.ts [--monitors 1000] [--secs 40] [--gatus PATH] [--hora PATH] [--prometheus PATH]
 *     [--blackbox PATH] [--kuma PATH of server/server.js]
 *
 * The others are set up as their documentation has it (Gatus 5, Prometheus 2 and 3, blackbox exporter 0.2x, Uptime Kuma
 * 1 and 2); for Hora `hora --config FILE` is assumed. None of these set-ups was tried on a machine that has them. One
 * that does not become ready within a minute is reported as such.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { floorReport, residentMb, startFloor, usedMs } from './probe-load.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    monitors: { ...text, default: '1000' },
    secs: { ...text, default: '40' },
    gatus: text,
    hora: text,
    prometheus: text,
    blackbox: text,
    kuma: text,
  },
});
const monitors = Number(values.monitors);
const secs = Number(values.secs);
const intervalSecs = 20;

interface Load {
  readonly folder: string;
  readonly origin: string;
  readonly monitors: number;
  readonly intervalSecs: number;
  readonly ports: readonly [number, number];
}

interface Peer {
  readonly name: string;
  /** What it is made of, each found on the PATH by its name unless an option says where it is. */
  readonly programs: readonly { readonly command: string; readonly path: string | undefined }[];
  /** The files of a folder by name, the arguments of each program, its environment. */
  readonly setUp: (load: Load) => {
    readonly files: Readonly<Record<string, string>>;
    readonly args: readonly (readonly string[])[];
    readonly env?: Readonly<Record<string, string>>;
  };
  /** Answers 200 on the first port when it is ready. */
  readonly readyPath: string;
  readonly takesMonitors?: false;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

function tomlOf({ origin, monitors: count, intervalSecs: interval, ports }: Load): string {
  const each = (n: number) =>
    `[[monitors]]\nid = "m${n}"\nname = "m${n}"\nkind = "http"\ntarget = "${origin}/${n}"\ninterval_secs = ${interval}\n`;
  return [`[server]\nbind = "127.0.0.1:${ports[0]}"\n`, ...numbers(count).map(each)].join('\n');
}

function gatusYaml({ origin, monitors: count, intervalSecs: interval, ports, folder }: Load): string {
  const each = (n: number) =>
    `  - name: m${n}\n    url: "${origin}/${n}"\n    interval: ${interval}s\n    conditions: ["[STATUS] == 200"]\n`;
  const head = `web:\n  address: 127.0.0.1\n  port: ${ports[0]}\nstorage:\n  type: sqlite\n  path: ${folder}/gatus.db\n`;
  return `${head}concurrency: 0\nendpoints:\n${numbers(count).map(each).join('')}`;
}

function prometheusYaml({ origin, monitors: count, intervalSecs: interval, ports }: Load): string {
  const targets = numbers(count).map((n) => `"${origin}/${n}"`);
  return `global:\n  scrape_interval: ${interval}s
scrape_configs:
  - job_name: probes
    metrics_path: /probe
    params: { module: [http_2xx] }
    static_configs: [{ targets: [${targets.join(', ')}] }]
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }
      - { source_labels: [__param_target], target_label: instance }
      - { target_label: __address__, replacement: "127.0.0.1:${ports[1]}" }\n`;
}

const peers: readonly Peer[] = [
  {
    name: 'statusd',
    programs: [{ command: 'node', path: process.execPath }],
    setUp: (load) => ({
      files: { 'statusd.toml': tomlOf(load) },
      args: [[resolve('bin/statusd.js'), 'serve', '--log-format', 'json']],
    }),
    readyPath: '/healthz',
  },
  {
    name: 'Gatus',
    programs: [{ command: 'gatus', path: values.gatus }],
    setUp: (load) => ({
      files: { 'config.yaml': gatusYaml(load) },
      args: [[]],
      env: { GATUS_CONFIG_PATH: join(load.folder, 'config.yaml') },
    }),
    readyPath: '/health',
  },
  {
    name: 'Hora',
    programs: [{ command: 'hora', path: values.hora }],
    setUp: (load) => ({
      files: { 'hora.toml': tomlOf(load) },
      args: [['--config', join(load.folder, 'hora.toml')]],
    }),
    readyPath: '/healthz',
  },
  {
    name: 'Prometheus with blackbox',
    programs: [
      { command: 'prometheus', path: values.prometheus },
      { command: 'blackbox_exporter', path: values.blackbox },
    ],
    setUp: (load) => ({
      files: {
        'prometheus.yml': prometheusYaml(load),
        'blackbox.yml': 'modules:\n  http_2xx:\n    prober: http\n',
      },
      args: [
        [
          '--config.file=prometheus.yml',
          '--storage.tsdb.path=data',
          `--web.listen-address=127.0.0.1:${load.ports[0]}`,
        ],
        ['--config.file=blackbox.yml', `--web.listen-address=127.0.0.1:${load.ports[1]}`],
      ],
    }),
    readyPath: '/-/ready',
  },
  {
    name: 'Uptime Kuma',
    programs: [{ command: 'uptime-kuma', path: values.kuma && process.execPath }],
    setUp: ({ folder, ports }) => ({
      files: {},
      args: [
        [values.kuma ?? '', `--port=${ports[0]}`, '--host=127.0.0.1', `--data-dir=${folder}/`].filter(
          Boolean,
        ),
      ],
    }),
    readyPath: '/',
    takesMonitors: false,
  },
];

/** Where each program of a peer is; null: one of them is nowhere. */
function pathsOf({ programs }: Peer): readonly string[] | null {
  const found = programs.map(({ command, path }) => {
    const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, command));
    return (path === undefined ? places : [resolve(path)]).find(isExecutable);
  });
  return found.every((path) => path !== undefined) ? found : null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

interface Running {
  readonly pids: readonly number[];
  readonly readyMs: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** Runs `use` once it is ready; ends it afterwards. Rejects when it is not ready within a minute. */
async function withPeer<T>(
  peer: Peer,
  load: Pick<Load, 'origin' | 'monitors' | 'intervalSecs'>,
  use: (running: Running) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-peer-'));
  const ports = [await freePort(), await freePort()] as const;
  const { files, args, env } = peer.setUp({ ...load, folder, ports });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const startedMs = performance.now();
  const children: readonly ChildProcess[] = (pathsOf(peer) ?? []).map((path, index) =>
    spawn(path, args[index] ?? [], { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' }),
  );
  try {
    await readiness(`http://127.0.0.1:${ports[0]}${peer.readyPath}`);
    const readyMs = performance.now() - startedMs;
    return await use({ pids: children.map(({ pid }) => pid ?? 0), readyMs });
  } finally {
    for (const child of children) {
      if (child.exitCode !== null || !child.kill('SIGKILL')) continue;
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readiness(url: string): Promise<void> {
  for (let tries = 0; tries < 6000; tries += 1) {
    const answer = await fetch(url).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    await pause(10);
  }
  throw new Error('not ready within a minute');
}

const sumOf = (pids: readonly number[], of: (pid: number) => number) =>
  pids.reduce((sum, pid) => sum + of(pid), 0);

interface Figures {
  readonly probeMs: number;
  readonly memoryMb: number;
  readonly readyMs: number;
  readonly idleMs: number;
  readonly idleMb: number;
}

/** `probes`: how many requests the server that is asked has had. */
async function measure(peer: Peer, origin: string, probes: () => number): Promise<Figures> {
  const none = peer.takesMonitors === false;
  const under = await withPeer(peer, { origin, monitors, intervalSecs }, async ({ pids, readyMs }) => {
    await pause(intervalSecs * 1000);
    const [before, probesBefore] = [sumOf(pids, usedMs), probes()];
    await pause(secs * 1000);
    const probeMs = none ? Number.NaN : (sumOf(pids, usedMs) - before) / (probes() - probesBefore);
    return { probeMs, readyMs, memoryMb: none ? Number.NaN : sumOf(pids, residentMb) };
  });
  const idle = await withPeer(peer, { origin, monitors: 1, intervalSecs: 60 }, async ({ pids }) => {
    await pause(20_000);
    const before = sumOf(pids, usedMs);
    await pause(secs * 1000);
    return { idleMs: (sumOf(pids, usedMs) - before) / secs, idleMb: sumOf(pids, residentMb) };
  });
  return { ...under, ...idle };
}

/** Of a bare request, as often. */
async function measureFloor(origin: string): Promise<number> {
  const floor = startFloor(origin, (intervalSecs * 1000) / monitors);
  await pause(5000);
  const { sent } = await floorReport(floor);
  const before = usedMs(floor.pid ?? 0);
  await pause(secs * 1000);
  const used = usedMs(floor.pid ?? 0) - before;
  const probeMs = used / ((await floorReport(floor)).sent - sent);
  floor.disconnect();
  return probeMs;
}

let asked = 0;
const server = createServer((_request, response) => {
  asked += 1;
  response.end('ok');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

console.log(`${monitors} http monitors every ${intervalSecs} s; the ratios are to statusd.\n`);
console.log('| | CPU a probe, ms | memory, MB | ready, ms | idle, ms of CPU a second | idle memory, MB |');
console.log('|---|---|---|---|---|---|');
console.log(`| bare node:http | ${(await measureFloor(origin)).toFixed(2)} | | | | |`);
const missing: string[] = [];
let own: Figures | null = null;
for (const peer of peers) {
  if (pathsOf(peer) === null) {
    missing.push(peer.name);
    continue;
  }
  const figures = await measure(peer, origin, () => asked).catch((error: unknown) => String(error));
  if (typeof figures === 'string') {
    console.log(`| ${peer.name} | ${figures} | | | | |`);
    continue;
  }
  own ??= figures;
  const cell = (of: (from: Figures) => number, digits: number) => {
    const ratio = own === null || own === figures ? '' : ` (${(of(figures) / of(own)).toFixed(2)}x)`;
    return Number.isNaN(of(figures)) ? '–' : `${of(figures).toFixed(digits)}${ratio}`;
  };
  const cells = [
    cell(({ probeMs }) => probeMs, 2),
    cell(({ memoryMb }) => memoryMb, 0),
    cell(({ readyMs }) => readyMs, 0),
    cell(({ idleMs }) => idleMs, 1),
    cell(({ idleMb }) => idleMb, 0),
  ];
  console.log(`| ${peer.name} | ${cells.join(' | ')} |`);
}
console.log(`\nNot found: ${missing.join(', ') || 'none'}. Load ${(loadavg()[0] ?? 0).toFixed(1)}.`);
server.close();
