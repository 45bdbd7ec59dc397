/** Measures what pages read, and the steps of upkeep, for 1000 monitors at 60 s with two days of history. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operation } from '../src/db/store/operation.ts';
import { BarReader } from '../src/db/read/bars.ts';
import { DayReader } from '../src/db/read/day.ts';
import { heatmapOf } from '../src/db/read/heatmap.ts';
import { latencySeries } from '../src/db/read/series.ts';
import { tallyWithin } from '../src/db/read/within.ts';
import { schema } from '../src/db/tables/schema/schema.ts';
import { openSql } from '../src/db/store/sql.ts';
import type { Store } from '../src/db/store/store.ts';
import { incidents } from '../src/db/tables/incidents.ts';
import { samples } from '../src/db/tables/samples.ts';
import { planUpkeep } from '../src/db/tables/retention/plan.ts';
import { retentionOf } from '../src/db/tables/retention/retention.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { configText } from './seeding/config-text.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, type Measurement, medianOf, timed } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';

const monitorCount = 1000;
const historyDays = 2;
const pageLimitMs = 50;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** One more sample for each of the first `count` monitors. */
async function sampleSome(store: Store, now: number, count: number): Promise<void> {
  const operations = Array.from({ length: count }, (_, index) =>
    samples.add({
      monitor: `monitor-${index}`,
      at: now,
      status: 'up',
      latencyMs: 50 + (index % 40),
      holdSecs: 82,
      isHeartbeat: false,
      category: null,
      message: null,
    }),
  );
  await store.write(operations);
}

async function readings(store: Store, startAt: number): Promise<Measurement[]> {
  const day = new DayReader();
  const bars = new BarReader();
  const { sql } = store;
  const first = timed(1, () => [day.read(sql, startAt), bars.read(sql, startAt, 90)]).max;
  const dayMs: number[] = [];
  const barMs: number[] = [];
  let now = startAt;
  // Over an hour, so that the window moves on.
  for (let minute = 1; minute <= 75; minute += 5) {
    now = startAt + minute * minuteMs;
    await sampleSome(store, now, monitorCount);
    dayMs.push(timed(1, () => day.read(sql, now)).max);
    barMs.push(timed(1, () => bars.read(sql, now, 90)).max);
  }
  const secondMs: number[] = [];
  for (let second = 1; second <= 20; second++) {
    now += 1000;
    await sampleSome(store, now, monitorCount / 60);
    secondMs.push(timed(1, () => [day.read(sql, now), bars.read(sql, now, 90)]).max);
  }
  const id = 'monitor-7';
  const view = { now, hours: 24, maxPoints: 2000 };
  const month = { fromAt: now - 30 * 86_400_000, toAt: now, now };
  return [
    { what: 'first reading of everything', measured: first, unit: 'ms', atMost: 1000 },
    {
      what: '24 h figures, every monitor changed',
      measured: medianOf(dayMs),
      unit: 'ms',
      atMost: pageLimitMs,
    },
    { what: '24 h figures, at worst', measured: Math.max(...dayMs), unit: 'ms', atMost: 2 * pageLimitMs },
    { what: '90 bars, every monitor changed', measured: medianOf(barMs), unit: 'ms', atMost: pageLimitMs },
    { what: 'both, a second later', measured: medianOf(secondMs), unit: 'ms', atMost: 20 },
    {
      what: 'heatmap of a monitor',
      measured: timed(20, () => heatmapOf(sql, id, { now, days: 28 })).median,
      unit: 'ms',
      atMost: 10,
    },
    {
      what: '24 h of latencies',
      measured: timed(20, () => latencySeries(sql, id, view)).median,
      unit: 'ms',
      atMost: 5,
    },
    {
      what: '48 h of latencies in 2000 points',
      measured: timed(20, () => latencySeries(sql, id, { ...view, hours: 48 })).median,
      unit: 'ms',
      atMost: 10,
    },
    {
      what: 'a month of a monitor',
      measured: timed(20, () => tallyWithin(sql, id, month)).median,
      unit: 'ms',
      atMost: 5,
    },
    {
      what: 'a page of incidents',
      measured: timed(20, () => incidents.list(sql, { limit: 50 })).median,
      unit: 'ms',
      atMost: 5,
    },
  ];
}

/** Runs upkeep half a day later, with limits so short that much is due, and keeps the longest step. */
async function upkeep(file: string, now: number): Promise<Measurement[]> {
  const sql = await openSql(readFileSync(file));
  const apply = new Map(schema.operations.map((row) => [row.name, row.apply]));
  const longest = { plan: 0, step: 0 };
  let steps = 0;
  const retention = { ...retentionOf(1, new Map()), hourlyDays: 1, dailyDays: 1, incidentDays: 1 };
  for (;;) {
    let plan: readonly Operation[] = [];
    const planning = timed(1, () => {
      plan = planUpkeep(sql, now + 12 * hourMs, { retention, limit: 50 });
    });
    longest.plan = Math.max(longest.plan, planning.max);
    if (plan.length === 0) break;
    for (const [name, ...args] of plan) {
      const step = timed(1, () => sql.transaction(() => apply.get(name)?.(sql, args)));
      longest.step = Math.max(longest.step, step.max);
    }
    steps += plan.length;
  }
  sql.close();
  console.log(`(${steps} steps of upkeep)`);
  return [
    { what: 'planning upkeep, at worst', measured: longest.plan, unit: 'ms', atMost: 20 },
    { what: 'a step of upkeep, at worst', measured: longest.step, unit: 'ms', atMost: 20 },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
try {
  const file = join(folder, 'statusd.db');
  const store = await openDaemonStore(file);
  const text = configText(monitorCount);
  const readFile = () => Promise.reject(new Error('no file is read'));
  const { config } = await parseConfig(text, { file: join(folder, 'statusd.toml'), env: {}, readFile });
  const now = Date.now();
  await writeHistory(store, { config, now, days: historyDays, seed: 1, onProgress: () => undefined });
  const measured = await readings(store, now);
  await store.close();
  process.exitCode = judgeAll([...measured, ...(await upkeep(file, now))]) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
