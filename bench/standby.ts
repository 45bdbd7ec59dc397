/**
 * Measures nodes that share a database with 1,000 monitors and 90 days of history: how soon a standby that was just started
 * is ready, how much memory it takes then, and how much of the snapshots in the database is written anew in an hour of
 * checks. Build first.
 *
 *   node --import tsx bench/standby.ts [--monitors N] [--days N] [--interval SECS] [--rounds N] [--minutes M]
 *
 * The history is made up, and `statusd migrate` copies it into a PostgreSQL of the bench's own, which syncs nothing.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createLink } from '../src/db/shared/link.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { realClock } from '../tests/support/real-clock.ts';
import { startServer } from './measure.ts';
import { residentOf, type RunningDaemon, startDaemon } from './running-daemon.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, type Measurement, medianOf } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000' },
    days: { type: 'string', default: '90' },
    interval: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '60' },
  },
});
const chunkBytes = 4096;
/** What a snapshot has for each of its chunks: which one it is. */
const hashBytes = 32;
const bin = fileURLToPath(new URL('../bin/statusd.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-standby-'));
const postgres = await startPostgres();
const server = await startServer();
const database = await postgres.database();
const link = createLink(database, realClock);
const daemons: RunningDaemon[] = [];

/** A folder of its own for each node, with the configuration that all of them have. */
function nodeFolder(id: string): string {
  const own = mkdtempSync(join(folder, `${id}-`));
  const monitors = Array.from(
    { length: Number(values.monitors) },
    (_, n) =>
      `[[monitors]]\nid = "m${n}"\ngroup = "Group ${n % 100}"\ntarget = "${server.origin}/${n}"\n` +
      `interval_secs = ${values.interval}\n`,
  );
  writeFileSync(
    join(own, 'statusd.toml'),
    `[server]\nbind = "127.0.0.1:0"\n[storage]\nurl = "${database}"\n` +
      `[node]\nid = "${id}"\ntoken = "of-the-benchmark"\n${monitors.join('')}`,
  );
  return own;
}

/** Fills the database with what a file database would have after so many days. */
async function fill(): Promise<void> {
  const own = nodeFolder('filler');
  const file = join(own, 'statusd.toml');
  const readFile = () => Promise.reject(new Error('no file is read'));
  const { config } = await parseConfig(readFileSync(file, 'utf8'), { file, env: {}, readFile });
  const store = await openDaemonStore(join(own, 'statusd.db'));
  const written = await writeHistory(store, {
    config,
    now: Date.now(),
    days: Number(values.days),
    seed: 1,
    onProgress: () => undefined,
  });
  await store.close();
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [bin, 'migrate', '--quiet'], {
    cwd: own,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`statusd migrate exited with ${String(status)}: ${stderr}`);
  const secs = (performance.now() - startedMs) / 1000;
  console.log(`(${written.samples} samples; they were copied and compared in ${secs.toFixed(1)} s)`);
}

async function start(id: string): Promise<RunningDaemon> {
  const daemon = await startDaemon(nodeFolder(id));
  daemons.push(daemon);
  return daemon;
}

async function end(daemon: RunningDaemon): Promise<void> {
  daemons.splice(daemons.indexOf(daemon), 1);
  const ended = once(daemon.child, 'exit');
  daemon.child.kill('SIGTERM');
  await ended;
}

/** How long standbys took to be ready, in seconds, and what each had in memory then, in MB. */
async function standbys(): Promise<{ readonly secs: readonly number[]; readonly mb: readonly number[] }> {
  const secs: number[] = [];
  const mb: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const startedMs = performance.now();
    const standby = await start(`standby-${round}`);
    secs.push((performance.now() - startedMs) / 1000);
    mb.push(residentOf(standby).now);
    await end(standby);
  }
  return { secs, mb };
}

interface Snapshots {
  /** How many chunks and snapshots were ever written. */
  readonly chunks: number;
  readonly snapshots: number;
  /** Bytes of the newest snapshot. */
  readonly bytes: number;
  readonly seq: number;
}

async function snapshots(): Promise<Snapshots> {
  // What a connection has done is counted a second later at most.
  await pause(2000);
  const [row] = await link.run(
    {
      text: `SELECT (SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'chunk') AS chunks,
        (SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'snapshot') AS snapshots,
        cardinality(hashes) AS pages, seq FROM statusd.snapshot ORDER BY seq DESC LIMIT 1`,
    },
    10_000,
  );
  return {
    chunks: Number(row?.['chunks']),
    snapshots: Number(row?.['snapshots']),
    bytes: Number(row?.['pages']) * chunkBytes,
    seq: Number(row?.['seq']),
  };
}

/** Which share of a snapshot the leader writes in an hour. */
async function hourOfSnapshots(minutes: number): Promise<Measurement> {
  // The first one of a leader has the configuration, which stays until it changes.
  const first = await snapshots();
  for (let waited = 0; waited < 90; waited += 1) {
    if ((await snapshots()).snapshots > first.snapshots) break;
    await pause(60_000);
  }
  const before = await snapshots();
  await pause(minutes * 60_000);
  const after = await snapshots();
  const lists = ((after.snapshots - before.snapshots) * after.bytes * hashBytes) / chunkBytes;
  const written = (after.chunks - before.chunks) * chunkBytes + lists;
  const mb = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  console.log(
    `(${minutes} minutes: ${mb(written)} MB written of snapshots that have ${mb(after.bytes)} MB; ` +
      `${after.snapshots - before.snapshots} of them, ${after.seq - before.seq} records)`,
  );
  const measured = ((written / after.bytes) * 100 * 60) / minutes;
  return { what: 'snapshots written in an hour, of one', measured, unit: '%', atMost: 5 };
}

try {
  await fill();
  const leader = await start('leader');
  const { secs, mb } = await standbys();
  const list = (figures: readonly number[], digits: number) =>
    figures.map((each) => each.toFixed(digits)).join(', ');
  console.log(
    `(load ${loadavg()[0]?.toFixed(1) ?? ''}; standbys were ready after ${list(secs, 2)} s ` +
      `with ${list(mb, 0)} MB)`,
  );
  const measured: Measurement[] = [
    { what: 'a standby is ready', measured: medianOf(secs), unit: 's', atMost: 5 },
  ];
  const minutes = Number(values.minutes);
  if (minutes > 0) measured.push(await hourOfSnapshots(minutes));
  process.exitCode = judgeAll(measured) ? 0 : 1;
  await end(leader);
} finally {
  for (const { child } of daemons) child.kill('SIGKILL');
  server.stop();
  await link.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
