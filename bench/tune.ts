/** Measures `statusd tune` over 100 monitors at 60 s with a month of history: 4.3 million samples. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatherTunings } from '../src/commands/tune/gather.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { configText } from './seeding/config-text.ts';
import { openDaemonStore, openReaderStore } from './seeding/open-store.ts';
import { judgeAll, type Measurement, medianOf } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';

const monitorCount = 100;
const days = 30;
const rounds = 5;
const limitSecs = 3;

/** User and system time of this process, in seconds. */
function cpuSecs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-tune-'));
try {
  const file = join(folder, 'statusd.db');
  const { config } = await parseConfig(configText(monitorCount), {
    file: join(folder, 'statusd.toml'),
    env: {},
    readFile: () => Promise.reject(new Error('nothing is read')),
  });
  const now = Date.now();
  const seeded = await openDaemonStore(file);
  const written = await writeHistory(seeded, { config, now, days, seed: 1, onProgress: () => undefined });
  await seeded.close();
  console.log(`${written.samples} samples of ${monitorCount} monitors`);

  const spent: number[] = [];
  let most = 0;
  for (let round = 0; round < rounds; round++) {
    const startedSecs = cpuSecs();
    const store = await openReaderStore(file);
    const tunings = await gatherTunings(
      config.monitors,
      { config, store },
      {
        span: { fromAt: now - days * 86_400_000, toAt: now },
        interrupt: new AbortController().signal,
        onMonitor: () => undefined,
      },
    );
    await store.close();
    spent.push(cpuSecs() - startedSecs);
    most = Math.max(most, process.memoryUsage().rss / 2 ** 20);
    console.log(
      `round ${round + 1}: ${tunings.length} monitors, ${(spent.at(-1) ?? 0).toFixed(2)} s of CPU time`,
    );
  }
  const measurements: Measurement[] = [
    { what: 'the first run, nothing compiled yet', measured: spent[0] ?? NaN, unit: 's', atMost: limitSecs },
    { what: 'the median run', measured: medianOf(spent), unit: 's', atMost: limitSecs },
    { what: 'memory', measured: most, unit: 'MB', atMost: 500 },
  ];
  process.exitCode = judgeAll(measurements) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
