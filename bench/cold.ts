/**
 * Measures the first answer of every kind of a daemon that was just started, with 1,000 monitors and 90 days of
 * history: each is asked of a process of its own that has rendered nothing for that reader. Build first.
 *
 *   node --import tsx bench/cold.ts [--folder FOLDER] [--interval SECS] [--days N] [--rounds N] [--only TEXT] [--at-once] [--idle SECS]
 *
 * A folder that is named keeps the history, and one that has it is used again. With `--at-once` nobody waits until
 * the daemon has come to rest after its start; with `--idle` it is left alone for longer, in which every monitor may
 * have been checked again.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseConfig } from '../src/engine/config/load.ts';
import { accessToken, type Ask, asksOf, groupName, groupToken } from './cold-asks.ts';
import { startServer } from './measure.ts';
import { startDaemon } from './running-daemon.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';
import { meterArguments, readMeter, waitedMs } from './stall-meter.ts';

const monitorCount = 1000;
const groupSize = 50;
const answerMs = 150;
const stallMs = 20;

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    interval: { type: 'string', default: '300' },
    days: { type: 'string', default: '90' },
    rounds: { type: 'string', default: '1' },
    'at-once': { type: 'boolean', default: false },
    idle: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
  },
});

/** Every fifth monitor is private, every fourth has a promise to keep, every tenth has two that depend on it. */
function configText(origin: string): string {
  const monitors = Array.from({ length: monitorCount }, (_, index) => {
    const place = index % 10;
    return [
      `[[monitors]]\nid = "monitor-${index}"\nname = "Monitor ${index}"`,
      `group = "Group ${Math.floor(index / groupSize)}"`,
      `target = "${origin}/"\ninterval_secs = ${values.interval}`,
      ...(index % 3 === 0 ? ['degraded_over_ms = 600'] : []),
      ...(index % 4 === 0 ? ['slo_uptime = 99.9'] : []),
      ...(index % 5 === 4 ? ['public = false'] : []),
      ...(place === 1 || place === 2 ? [`depends_on = ["monitor-${index - place}"]`] : []),
      '',
    ].join('\n');
  });
  return [
    `[server]\nbind = "127.0.0.1:0"\nauth_token = "${accessToken}"\nrate_limit_burst = 100000\n`,
    `[server.group_tokens]\n"${groupName}" = "${groupToken}"\n`,
    ...monitors,
  ].join('\n');
}

const databaseName = 'statusd.db';

async function seed(folder: string): Promise<void> {
  const file = join(folder, databaseName);
  if (existsSync(file)) return;
  mkdirSync(folder, { recursive: true });
  const readFile = () => Promise.reject(new Error('no file is read'));
  const text = configText('http://127.0.0.1:9');
  const { config } = await parseConfig(text, { file: join(folder, 'statusd.toml'), env: {}, readFile });
  const store = await openDaemonStore(file);
  const days = Number(values.days);
  const options = { config, now: Date.now(), days, seed: 1, onProgress: () => undefined };
  const written = await writeHistory(store, options);
  await store.close();
  console.log(`(${written.samples} samples, ${written.incidents} incidents)`);
}

interface Answered {
  readonly wallMs: number;
  readonly bytes: number;
}

function answerTo({ target, headers }: Ask, url: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const asking = request(new URL(target, url), { headers, agent: false }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve({ wallMs: performance.now() - startedAt, bytes });
        else reject(new Error(`${target} answered ${answer.statusCode ?? 0}`));
      });
    });
    asking.on('error', reject);
    asking.end();
  });
}

interface Cost {
  /** Without the time in which other processes had the processor. */
  readonly ownMs: number;
  readonly wallMs: number;
  readonly stallMs: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

/** Resolves when the daemon has done what it does after a start. */
async function settled(child: ChildProcess): Promise<void> {
  const lookMs = 250;
  for (let quiet = 0; quiet < 4; ) {
    await readMeter(child);
    await pause(lookMs);
    const { cpuMs } = await readMeter(child);
    quiet = cpuMs < lookMs / 10 ? quiet + 1 : 0;
  }
}

/** On a copy of the history, so that every start is like the one before. */
async function coldly(folder: string, origin: string, ask: Ask): Promise<Cost> {
  const own = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
  try {
    copyFileSync(join(folder, databaseName), join(own, databaseName));
    writeFileSync(join(own, 'statusd.toml'), configText(origin));
    const { child, url } = await startDaemon(own, meterArguments);
    try {
      if (!values['at-once']) await settled(child);
      await pause(Number(values.idle) * 1000);
      await readMeter(child);
      const before = waitedMs(child);
      const { wallMs, bytes } = await answerTo(ask, url);
      const ownMs = wallMs - (waitedMs(child) - before);
      return { ...(await readMeter(child)), wallMs, ownMs, bytes };
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function show({ what }: Ask, cost: Cost): void {
  const figures = [cost.ownMs, cost.wallMs, cost.stallMs, cost.cpuMs, cost.bytes / 1024];
  console.log(`${figures.map((figure) => figure.toFixed(0).padStart(6)).join(' ')}  ${what}`);
}

/** The months that the history lies in, the latest first. */
function months(): readonly string[] {
  const begunAt = Date.now() - Number(values.days) * 86_400_000;
  const found: string[] = [];
  for (const day = new Date(); day.getTime() >= begunAt; day.setUTCDate(0)) {
    found.push(day.toISOString().slice(0, 7));
  }
  return found;
}

async function measure(folder: string): Promise<boolean> {
  await seed(folder);
  const server = await startServer();
  console.log('   own   wall  stall    cpu    KiB  (ms; own: without what other processes took)');
  const costs: { readonly what: string; readonly ownMs: number; readonly stallMs: number }[] = [];
  try {
    for (const ask of asksOf(months())) {
      if (!ask.what.includes(values.only)) continue;
      const rounds: Cost[] = [];
      for (let round = 0; round < Number(values.rounds); round += 1) {
        rounds.push(await coldly(folder, server.origin, ask));
      }
      const middle = (of: (cost: Cost) => number) => medianOf(rounds.map(of));
      const cost: Cost = {
        ownMs: middle(({ ownMs }) => ownMs),
        wallMs: middle(({ wallMs }) => wallMs),
        stallMs: middle((one) => one.stallMs),
        cpuMs: middle(({ cpuMs }) => cpuMs),
        bytes: middle(({ bytes }) => bytes),
      };
      show(ask, cost);
      costs.push({ what: ask.what, ...cost });
    }
  } finally {
    server.stop();
  }
  return judgeAll([
    ...worst(costs, 'ownMs', { what: 'slowest first answer', atMost: answerMs }),
    ...worst(costs, 'stallMs', { what: 'longest turn of the event loop', atMost: stallMs }),
  ]);
}

function worst<Name extends string>(
  costs: readonly (Readonly<Record<Name, number>> & { readonly what: string })[],
  name: Name,
  { what, atMost }: { readonly what: string; readonly atMost: number },
) {
  const [first] = costs.toSorted((a, b) => b[name] - a[name]);
  if (first === undefined) return [];
  return [{ what: `${what} (${first.what})`, measured: first[name], unit: 'ms', atMost }];
}

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'statusd-bench-'));
try {
  process.exitCode = (await measure(folder)) ? 0 : 1;
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
