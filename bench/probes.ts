/**
 * Measures what watching costs the daemon as it is shipped: processor time a probe, lateness and memory under http
 * monitors, an idle daemon, the way to being ready, the summary under load, `check` of one URL. What is a ratio is held
 * against a bare node:http loop, or script, of the same run. What a daemon under load costs differs from start to start:
 * its figures are medians of several daemons, one after the other. Build first.
 *
 *   node --import tsx bench/probes.ts [--monitors 1000] [--secs 40] [--starts 3] [--save]
 *
 * With `--save` the figures, the date and the machine go into bench/results.json.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { exchange } from './http-turns.ts';
import { medianTimes, withServer } from './measure.ts';
import {
  authorization,
  finelyUsedMs,
  type LoadedDaemon,
  measureProbes,
  quantile,
  residentMb,
  withProbeLoad,
} from './probe-load.ts';
import { judgeAll, type Measurement, medianOf } from './seeding/verdict.ts';

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000' },
    secs: { type: 'string', default: '40' },
    starts: { type: 'string', default: '3' },
    save: { type: 'boolean', default: false },
  },
});
const monitors = Number(values.monitors);
const secs = Number(values.secs);
const intervalSecs = 20;
/** In the first two minutes V8 compiles what runs often, of the daemon as of the floor. */
const warmUpMs = 120_000;
const resultFile = new URL('results.json', import.meta.url);

async function underLoad(daemon: LoadedDaemon): Promise<Measurement[]> {
  await pause(warmUpMs);
  const { cpuMs, floorMs, late, floorLate, residentMb: resident } = await measureProbes(daemon, secs);
  const summaryMs = await summaryTimes(daemon);
  const of = `, ${monitors} monitors`;
  return [
    { what: `processor time of a probe${of}`, measured: cpuMs, unit: 'ms', atMost: 0.8 },
    { what: `the same against a bare request${of}`, measured: cpuMs / floorMs, unit: 'x', atMost: 1.5 },
    // The timers of the floor tell what the machine adds.
    { what: `lateness p99${of}`, measured: late.p99Ms, unit: 'ms', atMost: 3 + floorLate.p99Ms },
    { what: `lateness, longest${of}`, measured: late.maxMs, unit: 'ms', atMost: 10 + floorLate.maxMs },
    { what: `memory${of}`, measured: resident, unit: 'MB', atMost: 110 },
    { what: `/api/summary p99 of 300${of}`, measured: quantile(summaryMs, 0.99), unit: 'ms', atMost: 10 },
  ];
}

/** The medians of each row, its limits included, of as many daemons as are to be started. */
async function mediansUnderLoad(): Promise<Measurement[]> {
  const runs: Measurement[][] = [];
  for (let start = 0; start < Number(values.starts); start += 1) {
    const run = await withProbeLoad({ monitors, intervalSecs }, underLoad);
    console.log(run.map(({ measured }) => measured.toPrecision(3)).join('  '));
    runs.push(run);
  }
  return (runs[0] ?? []).map((row, index) => {
    const medianBy = (of: (row: Measurement) => number) => medianOf(runs.map((run) => of(run[index] ?? row)));
    return {
      ...row,
      measured: medianBy(({ measured }) => measured),
      atMost: medianBy(({ atMost }) => atMost),
    };
  });
}

/** Until the last byte of each summary, packed: clients take some 20 ms more to unpack 6 MB of JSON. */
async function summaryTimes({ url }: LoadedDaemon): Promise<number[]> {
  const times: number[] = [];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = `Host: localhost\r\nAccept-Encoding: gzip\r\nAuthorization: ${authorization.authorization}`;
  for (let asked = 0; asked < 300; asked += 1) {
    const startedMs = performance.now();
    await exchange(socket, `GET /api/summary HTTP/1.1\r\n${head}\r\n\r\n`);
    times.push(performance.now() - startedMs);
    await pause(100);
  }
  socket.destroy();
  return times;
}

async function idle({ pid }: LoadedDaemon): Promise<Measurement[]> {
  // What it does after its start is over by then, and what it does each second is compiled.
  await pause(60_000);
  const before = finelyUsedMs(pid);
  await pause(secs * 1000);
  return [
    {
      what: 'an idle daemon, a second',
      measured: (finelyUsedMs(pid) - before) / secs,
      unit: 'ms',
      atMost: 1,
    },
    { what: 'memory of an idle daemon', measured: residentMb(pid), unit: 'MB', atMost: 70 },
  ];
}

async function readyTimes(): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const [count, atMost] of [
    [100, 200],
    [1000, 300],
    [5000, 800],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await withProbeLoad({ monitors: count, intervalSecs: 300 }, ({ readyMs }) => {
        times.push(readyMs);
        return Promise.resolve();
      });
    }
    rows.push({ what: `ready with ${count} monitors`, measured: quantile(times, 0.5), unit: 'ms', atMost });
  }
  return rows;
}

/** As whole processes, against a script of node:http that asks the same. */
async function checkOfOne(): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
  const script = join(folder, 'bare.cjs');
  const config = join(folder, 'statusd.toml');
  try {
    let times: ReadonlyMap<string, number> = new Map();
    await withServer((origin) => {
      writeFileSync(script, `require('node:http').get('${origin}/', (answer) => answer.resume());`);
      writeFileSync(config, `[[monitors]]\nid = "one"\ntarget = "${origin}/"\n`);
      const check = { name: 'check', args: ['bin/statusd.js', 'check', '--config', config] };
      times = medianTimes([{ name: 'bare', args: [script] }, check], 15);
    });
    const [ownMs = Number.NaN, bareMs = Number.NaN] = [times.get('check'), times.get('bare')];
    return [
      { what: 'check of one URL', measured: ownMs, unit: 'ms', atMost: 85 },
      {
        what: 'check of one URL against a bare script',
        measured: ownMs / bareMs,
        unit: 'x',
        atMost: 85 / 60,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds a run to the ones that were kept. */
function save(rows: readonly Measurement[]): void {
  const kept = existsSync(resultFile) ? (JSON.parse(readFileSync(resultFile, 'utf8')) as unknown[]) : [];
  const machine = {
    processor: cpus()[0]?.model ?? '',
    processors: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
    load: loadavg()[0],
  };
  const figures = rows.map((row) => ({ ...row, measured: Number(row.measured.toPrecision(3)) }));
  const run = { date: new Date().toISOString().slice(0, 10), machine, rows: figures };
  writeFileSync(resultFile, `${JSON.stringify([...kept, run], null, 2)}\n`);
}

const rows = [
  ...(await mediansUnderLoad()),
  ...(await withProbeLoad({ monitors: 1, intervalSecs: 60 }, idle)),
  ...(await readyTimes()),
  ...(await checkOfOne()),
];
console.log(`(load ${(loadavg()[0] ?? 0).toFixed(1)})`);
if (values.save) save(rows);
process.exitCode = judgeAll(rows) ? 0 : 1;
