/** Measures `statusd tune`, whole processes of the built program, over 100 monitors at 60 s with a month of history. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../src/engine/config/load.ts';
import { configText } from './seeding/config-text.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';

const monitorCount = 100;
const days = 30;
const rounds = 5;

/** What a process took from its start to its end: all of its threads, so that waiting for a core does not count. */
interface Usage {
  readonly cpuSecs: number;
  readonly peakMb: number;
}

/** Imported into the process; it tells on the descriptor behind stderr. */
const meter = `import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpuSecs: (userCPUTime + systemCPUTime) / 1e6, peakMb: maxRSS / 1024 }));
});`;

function tuneIn(config: string): Usage {
  const { status, output } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(meter)}`,
      'bin/statusd.js',
      'tune',
      '--config',
      config,
    ],
    { encoding: 'utf8', stdio: ['ignore', 'ignore', 'inherit', 'pipe'] },
  );
  if (status !== 0) throw new Error(`tune exited with ${String(status)}`);
  return JSON.parse(output[3] ?? '') as Usage;
}

const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-tune-'));
try {
  const database = join(folder, 'statusd.db');
  const file = join(folder, 'statusd.toml');
  const text = `[server]\ndatabase_path = "${database}"\n\n${configText(monitorCount)}`;
  writeFileSync(file, text);
  const { config } = await parseConfig(text, {
    file,
    env: {},
    readFile: () => Promise.reject(new Error('nothing is read')),
  });
  const store = await openDaemonStore(database);
  const written = await writeHistory(store, {
    config,
    now: Date.now(),
    days,
    seed: 1,
    onProgress: () => undefined,
  });
  await store.close();
  console.log(`${written.samples} samples of ${monitorCount} monitors`);

  const runs = Array.from({ length: rounds }, (_, round) => {
    const usage = tuneIn(file);
    console.log(`round ${round + 1}: ${usage.cpuSecs.toFixed(2)} s of CPU time`);
    return usage;
  });
  const cpuSecs = runs.map((run) => run.cpuSecs);
  const isMet = judgeAll([
    { what: 'the median run', measured: medianOf(cpuSecs), unit: 's', atMost: 3 },
    { what: 'the longest run', measured: Math.max(...cpuSecs), unit: 's', atMost: 3 },
    { what: 'memory', measured: Math.max(...runs.map((run) => run.peakMb)), unit: 'MB', atMost: 500 },
  ]);
  process.exitCode = isMet ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
