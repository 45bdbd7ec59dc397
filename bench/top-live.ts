/**
 * Measures the whole live view on a pseudo-terminal, beside a daemon that records checks: what it takes of a processor
 * while nobody types, and how soon a key is answered. With 25 and with 1,000 monitors.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { samples } from '../src/db/tables/samples.ts';
import type { Store } from '../src/db/store/store.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { type Pty, startPty } from '../tests/support/pty.ts';
import { configText } from './seeding/config-text.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, medianOf, type Measurement } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';

const keys = 50;
const idleMs = 60_000;
const intervalMs = 60_000;
/** The ticks a second in which proc(5) counts the time of processes. */
const ticks = 100;

/** Every monitor once in its interval, evenly. Answers how to stop. */
function record(store: Store, ids: readonly string[]): () => void {
  let turn = 0;
  const timer = setInterval(() => {
    turn += 1;
    const monitor = ids[turn % ids.length] ?? '';
    const sample = { monitor, at: Date.now(), status: 'up', latencyMs: 42, holdSecs: 90 } as const;
    store.record([samples.add({ ...sample, isHeartbeat: false, category: null, message: null })]);
  }, intervalMs / ids.length);
  return () => {
    clearInterval(timer);
  };
}

/** Milliseconds of a processor that a process has taken. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks;
}

const cursorLine = (pty: Pty) =>
  pty.screen
    .text()
    .split('\n')
    .find((line) => line.startsWith('❯'));

/** From the byte written to the terminal to the line of the cursor that came back. */
async function keyMs(pty: Pty, key: string): Promise<number> {
  const before = cursorLine(pty);
  const startedAt = performance.now();
  pty.type(key);
  await pty.until(() => cursorLine(pty) !== before, 'the cursor elsewhere');
  return performance.now() - startedAt;
}

async function measured(count: number): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
  const file = join(folder, 'statusd.db');
  const text = `[server]\ndatabase_path = "statusd.db"\n${configText(count)}`;
  writeFileSync(join(folder, 'statusd.toml'), text);
  const readFile = () => Promise.reject(new Error('no file is read'));
  const { config } = await parseConfig(text, { file: join(folder, 'statusd.toml'), env: {}, readFile });
  const daemon = await openDaemonStore(file);
  const history = { config, now: Date.now(), days: 1, seed: 1, onProgress: () => undefined };
  await writeHistory(daemon, history);
  const stop = record(
    daemon,
    config.monitors.map(({ id }) => id),
  );
  const pty = startPty(['top'], { cwd: folder, columns: 160, rows: 50 });
  try {
    await pty.until(({ text: shown }) => shown().includes('LAST ') && shown().includes('daemon ok'), 'top');
    const { pid } = await pty.place();
    await pause(5000);
    const times: number[] = [];
    const framesBefore = cpuMsOf(pid);
    for (let index = 0; index < keys; index++) {
      times.push(await keyMs(pty, index % 20 < 10 ? 'j' : 'k'));
      await pause(37 * (1 + (index % 5)));
    }
    const keysCpuMs = cpuMsOf(pid) - framesBefore;
    await pause(5000);
    const cpuBefore = cpuMsOf(pid);
    await pause(idleMs);
    const share = ((cpuMsOf(pid) - cpuBefore) / idleMs) * 100;
    const sorted = times.toSorted((a, b) => a - b);
    console.log(
      `${count} monitors: ${(keysCpuMs / keys).toFixed(1)} ms of CPU a key, reading between them included`,
    );
    return [
      { what: `${count} monitors, idle`, measured: share, unit: '% of a processor', atMost: 2 },
      { what: `${count} monitors, a key, median`, measured: medianOf(times), unit: 'ms', atMost: 100 },
      {
        what: `${count} monitors, a key, p99 of ${keys}`,
        measured: sorted[Math.ceil(0.99 * keys) - 1] ?? NaN,
        unit: 'ms',
        atMost: 100,
      },
    ];
  } finally {
    await pty.end();
    stop();
    await daemon.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const all = [...(await measured(25)), ...(await measured(1000))];
process.exitCode = judgeAll(all) ? 0 : 1;
