/**
 * Measures two nodes on one PostgreSQL that check 10,000 monitors every 60 s, as daemons of their own with a real server to
 * ask: resident memory of each, how late checks begin, and how long the page and the summary take meanwhile. With `--days`
 * they have rollups of so many days. Build first.
 *
 *   node --import tsx bench/fleet.ts [--monitors N] [--minutes M] [--days N]
 *
 * PostgreSQL runs without syncing its disk, and everything shares the processors of this machine.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseConfig } from '../src/engine/config/load.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { startServer } from './measure.ts';
import { residentOf, type RunningDaemon, startDaemon } from './running-daemon.ts';
import { fillRollups } from './seeding/filled-world.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '4' },
    days: { type: 'string', default: '0' },
  },
});
const count = Number(values.monitors);
const minutes = Number(values.minutes);
const days = Number(values.days);
const rounds = 20;

const postgres = await startPostgres();
const server = await startServer();
const database = await postgres.database();
const folders = ['a', 'b'].map((id) => {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-fleet-'));
  const monitors = Array.from(
    { length: count },
    (_, n) => `[[monitors]]\nid = "m${n}"\ngroup = "Group ${n % 100}"\ntarget = "${server.origin}/${n}"\n`,
  );
  writeFileSync(
    join(folder, 'statusd.toml'),
    `[server]\nbind = "127.0.0.1:0"\nrate_limit_burst = 100000\n[storage]\nurl = "${database}"\n` +
      `[node]\nid = "${id}"\ntoken = "of-the-benchmark"\n${monitors.join('')}`,
  );
  return folder;
});
const daemons: RunningDaemon[] = [];

async function text(url: string): Promise<string> {
  return (await fetch(url, { headers: { accept: 'text/html,*/*' } })).text();
}

interface Times {
  /** Of each node, to somebody who comes after minutes without a reader. */
  readonly first: readonly number[];
  readonly later: readonly number[];
}

async function timesOf(path: string): Promise<Times> {
  const first: number[] = [];
  const later: number[] = [];
  for (const { url } of daemons)
    for (let round = 0; round < rounds; round += 1) {
      const startedMs = performance.now();
      await text(`${url}${path}`);
      (round === 0 ? first : later).push(performance.now() - startedMs);
      await pause(200);
    }
  return { first, later };
}

async function fill(folder: string): Promise<void> {
  const file = join(folder, 'statusd.toml');
  const readFile = () => Promise.reject(new Error('no file is read'));
  const { config } = await parseConfig(readFileSync(file, 'utf8'), { file, env: {}, readFile });
  const bytes = await fillRollups({ url: database, config, days, now: Date.now() });
  console.log(`(${days} days: ${(bytes / 1024).toFixed(1)} KiB of the database a monitor)`);
}

try {
  if (days > 0) await fill(folders[0] ?? '');
  const startedMs = performance.now();
  for (const folder of folders) daemons.push(await startDaemon(folder));
  console.log(`ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s, both`);
  await pause(minutes * 60_000);
  const metrics = await text(`${daemons[0]?.url ?? ''}metrics`);
  const lateness = (quantile: string) =>
    Number(
      new RegExp(`statusd_scheduler_lateness_seconds\\{quantile="${quantile}"\\} (\\S+)`).exec(metrics)?.[1],
    ) * 1000;
  const page = await timesOf('');
  const summary = await timesOf('api/summary');
  const resident = daemons.map(residentOf);
  const unknown = (
    JSON.parse(await text(`${daemons[1]?.url ?? ''}api/summary`)) as {
      readonly monitors: readonly { readonly status: string }[];
    }
  ).monitors.filter(({ status }) => status !== 'up').length;
  console.log(
    `(load ${loadavg()[0]?.toFixed(1) ?? ''}; ${count} monitors, ${minutes} minutes; resident now ` +
      `${resident.map(({ now }) => now.toFixed(0)).join(' and ')} MB; lateness p50 ${lateness('0.5').toFixed(1)}, ` +
      `most ${lateness('1.0').toFixed(0)} ms; page p50 ${medianOf(page.later).toFixed(1)} ms, summary ` +
      `p50 ${medianOf(summary.later).toFixed(0)}, first ${Math.max(...summary.first).toFixed(0)} ms)`,
  );
  const isMet = judgeAll([
    {
      what: 'resident memory of a node, at most',
      measured: Math.max(...resident.map(({ peak }) => peak)),
      unit: 'MB',
      atMost: 700,
    },
    { what: 'lateness of checks, p99', measured: lateness('0.99'), unit: 'ms', atMost: 250 },
    { what: 'the page, while it is read', measured: Math.max(...page.later), unit: 'ms', atMost: 100 },
    {
      what: 'the first page after minutes without a reader',
      measured: Math.max(...page.first),
      unit: 'ms',
      atMost: 100,
    },
    { what: 'monitors that the standby does not show as up', measured: unknown, unit: '', atMost: 0 },
  ]);
  process.exitCode = isMet ? 0 : 1;
} finally {
  for (const { child } of daemons) child.kill('SIGKILL');
  server.stop();
  await postgres.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
