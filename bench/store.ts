/**
 * Measures what durability costs: an acknowledged write against a bare one, writes that share a sync, and the event
 * loop under a thousand monitors while checkpoints are made. Time is compressed: an hour of samples in half a minute.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  fdatasync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  write,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { checkpointEntry, inThread } from '../src/db/wal/checkpoint/thread.ts';
import type { Files } from '../src/db/store/files/files.ts';
import { nodeFiles } from '../src/db/store/files/node.ts';
import { systemProcesses } from '../src/db/store/lock/processes.ts';
import { schema } from '../src/db/tables/schema/schema.ts';
import type { Store } from '../src/db/store/store.ts';
import { openStore } from '../src/db/store/open-store.ts';
import { meta } from '../src/db/tables/meta.ts';
import { samples } from '../src/db/tables/samples.ts';
import type { Config } from '../src/engine/config/config.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { watchIdleThread } from './idle-thread.ts';
import { configText } from './seeding/config-text.ts';
import { clock, openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, medianOf, type Measurement } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';

const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
/** Counts what is asked of the disk. */
function counted(): { files: Files; counts: { syncs: number; bytes: number } } {
  const counts = { syncs: 0, bytes: 0 };
  const files: Files = {
    ...nodeFiles,
    open: async (path, mode) => {
      const file = await nodeFiles.open(path, mode);
      return {
        ...file,
        write: async (bytes) => {
          const taken = await file.write(bytes);
          if (file.isWriteThrough === true) counts.syncs += 1;
          if (/-log\.\d+$/.test(path)) counts.bytes += taken;
          return taken;
        },
        sync: () => {
          counts.syncs += 1;
          return file.sync();
        },
      };
    },
  };
  return { files, counts };
}

/** Both in turns, so that whatever else the disk does slows both. */
async function singleWrites(): Promise<Measurement[]> {
  const { files, counts } = counted();
  const build = inThread(checkpointEntry);
  const file = join(folder, 'single.db');
  const store = await openStore({
    role: 'daemon',
    file,
    schema,
    files,
    clock,
    processes: systemProcesses,
    build,
  });
  const bare = openSync(join(folder, 'bare'), 'a', 0o600);
  const [append, sync] = [promisify(write), promisify(fdatasync)];
  const bytes = Buffer.alloc(80, 'x');
  const change = () => [meta.set({ name: 'bench', value: performance.now() })];
  const times = { bare: [] as number[], store: [] as number[] };
  for (let round = -50; round < 1000; round += 1) {
    const startedAt = performance.now();
    await append(bare, bytes);
    await sync(bare);
    const bareAt = performance.now();
    await store.write(change(), { mustBeDurable: true });
    if (round < 0) continue;
    times.bare.push(bareAt - startedAt);
    times.store.push(performance.now() - bareAt);
  }
  closeSync(bare);
  const before = counts.syncs;
  const writers = 16;
  const each = 100;
  const writer = async () => {
    for (let index = 0; index < each; index += 1) await store.write(change(), { mustBeDurable: true });
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const syncsPerWrite = (counts.syncs - before) / (writers * each);
  await store.close();
  console.log(
    `(median of a bare append + fdatasync ${medianOf(times.bare).toFixed(3)} ms, of a write ${medianOf(times.store).toFixed(3)} ms)`,
  );
  const ratio = medianOf(times.store) / medianOf(times.bare);
  return [
    { what: 'a durable write against a bare one', measured: ratio, unit: 'x', atMost: 2 },
    { what: `syncs a write, ${writers} writers at once`, measured: syncsPerWrite, unit: '', atMost: 0.25 },
  ];
}

const monitorCount = 1000;
const runMs = 30_000;
const tickMs = 10;
const samplesPerTick = 20;
const checkpointEveryMs = 3000;

async function underLoad(): Promise<Measurement[]> {
  const file = join(folder, 'load.db');
  const config = await manyMonitors();
  const historyEnd = Date.now();
  const seeding = await openDaemonStore(file);
  await writeHistory(seeding, { config, now: historyEnd, days: 1, seed: 1, onProgress: () => undefined });
  await seeding.close();

  const { files, counts } = counted();
  const build = inThread(checkpointEntry);
  const store = await openStore({
    role: 'daemon',
    file,
    schema,
    files,
    clock,
    processes: systemProcesses,
    build,
  });
  const before = counts.bytes;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const idleThread = await watchIdleThread();
  const checkpoints: Promise<void>[] = [];
  let taken = 0;
  let longestMs = 0;
  const ids = config.monitors.map(({ id }) => id);
  const startedAt = performance.now();
  let nextCheckpointMs = checkpointEveryMs;
  delay.enable();
  for (let elapsedMs = 0; elapsedMs < runMs; elapsedMs = performance.now() - startedAt) {
    await pause(tickMs);
    const tickAt = performance.now();
    for (let index = 0; index < samplesPerTick; index += 1) {
      record(store, {
        id: ids[taken % ids.length] ?? '',
        at: historyEnd + Math.floor(taken / monitorCount) * 60_000,
      });
      taken += 1;
    }
    longestMs = Math.max(longestMs, performance.now() - tickAt);
    if (elapsedMs < nextCheckpointMs) continue;
    nextCheckpointMs += checkpointEveryMs;
    checkpoints.push(store.checkpoint());
  }
  delay.disable();
  const idleMs = await idleThread();
  await Promise.all(checkpoints);
  await store.close();
  const ms = (nanoseconds: number) => nanoseconds / 1e6;
  console.log(
    `(${taken} samples of ${monitorCount} monitors in ${runMs / 1000} s, ${checkpoints.length} checkpoints; ` +
      `event loop p50 ${ms(delay.percentile(50)).toFixed(1)} ms, p99.9 ${ms(delay.percentile(99.9)).toFixed(1)} ms, longest ${ms(delay.max).toFixed(1)} ms; ` +
      `${samplesPerTick} samples at worst ${longestMs.toFixed(1)} ms; p99.9 of an idle thread ${idleMs.toFixed(1)} ms)`,
  );
  return [
    {
      what: 'event loop delay, p99.9, beyond that of an idle thread',
      measured: ms(delay.percentile(99.9)) - idleMs,
      unit: 'ms',
      atMost: 15,
    },
    {
      what: 'bytes of the log a sample',
      measured: (counts.bytes - before) / taken,
      unit: 'bytes',
      atMost: 80,
    },
  ];
}

async function manyMonitors(): Promise<Config> {
  const readFile = () => Promise.reject(new Error('no file is read'));
  const text = configText(monitorCount);
  const { config } = await parseConfig(text, { file: join(folder, 'statusd.toml'), env: {}, readFile });
  return config;
}

/** Somewhat less than what makes the daemon write a checkpoint. */
const fullLogBytes = 1.95 * 1024 * 1024;

/** The files as a daemon leaves them that is killed right before a checkpoint, opened by another process. */
async function openingFullLog(): Promise<Measurement[]> {
  const config = await manyMonitors();
  const { files, counts } = counted();
  const build = inThread(checkpointEntry);
  const file = join(folder, 'load.db');
  const processes = systemProcesses;
  const store = await openStore({ role: 'daemon', file, schema, files, clock, processes, build });
  // An earlier checkpoint may have been due; this one begins a log.
  await store.checkpoint();
  const before = counts.bytes;
  const startAt = Date.now() + 7_200_000;
  for (let taken = 0; counts.bytes - before < fullLogBytes; taken += 1) {
    const id = config.monitors[taken % monitorCount]?.id ?? '';
    record(store, { id, at: startAt + Math.floor(taken / monitorCount) * 60_000 });
    if (taken % 17 === 0) await store.write([meta.set({ name: 'bench', value: taken })]);
  }
  const killed = join(folder, 'killed');
  mkdirSync(killed);
  for (const name of readdirSync(folder))
    if (name.startsWith('load.db')) copyFileSync(join(folder, name), join(killed, name));
  await store.close();
  const args = ['--import', 'tsx', 'bench/open.ts', join(killed, 'load.db')];
  const times = Array.from({ length: 3 }, () => {
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return (JSON.parse(stdout) as { openMs: number }).openMs;
  });
  return [{ what: 'opening with a full log', measured: medianOf(times), unit: 'ms', atMost: 1500 }];
}

function record(store: Store, { id, at }: { readonly id: string; readonly at: number }): void {
  const latencyMs = 20 + ((at / 1000) % 97);
  const sample = { monitor: id, at, status: 'up', latencyMs, holdSecs: 90, isHeartbeat: false } as const;
  store.record([samples.add({ ...sample, category: null, message: null })]);
}

try {
  const measured = [...(await singleWrites()), ...(await underLoad()), ...(await openingFullLog())];
  process.exitCode = judgeAll(measured) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
