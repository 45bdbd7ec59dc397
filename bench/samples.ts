/**
 * Measures what samples cost at rest, in the log and in memory: 100 monitors, 90 days, one sample a minute.
 * Seeds a database for it (a minute or two), or takes one that `npm run seed` made: `bench/samples.ts FILE`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { schema } from '../src/db/tables/schema/schema.ts';
import { packSamples, unpackSamples } from '../src/db/samples/codec.ts';
import { hourSecs } from '../src/db/samples/slots.ts';
import { openSql, type SqlMemory } from '../src/db/store/sql.ts';
import { monitors } from '../src/db/tables/monitors.ts';
import { samples } from '../src/db/tables/samples.ts';
import { configText } from './seeding/config-text.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, type Measurement, timed } from './seeding/verdict.ts';

const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));

function seeded(): string {
  const config = join(folder, 'statusd.toml');
  const file = join(folder, 'statusd.db');
  writeFileSync(config, configText(100));
  const args = ['--import', 'tsx', 'bench/seed.ts', '--config', config, '--days', '90', '--database', file];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error('seeding failed');
  return file;
}

/** Opens the database in a process of its own, as a command does. */
function openInChild(file: string): { openMs: number; rssBytes: number } {
  const child = spawnSync(process.execPath, ['--import', 'tsx', 'bench/open.ts', file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(child.stdout) as { openMs: number; rssBytes: number };
}

/** The bytes a sample takes in the table of packed hours, with its rows and pages. */
function bytesAtRest(sql: SqlMemory): number {
  const blocks = sql.all('SELECT slot, block FROM packed_hours', [], (row) => ({
    hour: Math.floor(row.number('slot') / 2 ** 20),
    block: row.bytes('block'),
  }));
  const count = blocks.reduce(
    (sum, { hour, block }) => sum + unpackSamples(block, hour * hourSecs).length,
    0,
  );
  const others = sql.all(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'packed_hours'",
    [],
    (row) => row.text('name'),
  );
  sql.script([...others.map((name) => `DROP TABLE ${name};`), 'VACUUM;'].join('\n'));
  return sql.exportPages().length / count;
}

function codecSpeed(sql: SqlMemory): Measurement[] {
  const key = sql.get('SELECT min(key) AS key FROM monitors', [], (row) => row.number('key')) ?? 0;
  const hours = sql.all(
    `SELECT slot, block FROM packed_hours WHERE slot % 1048576 = ? ORDER BY slot DESC LIMIT 24`,
    [key],
    (row) => ({ origin: Math.floor(row.number('slot') / 2 ** 20) * hourSecs, block: row.bytes('block') }),
  );
  const decode = timed(200, () => hours.map(({ block, origin }) => unpackSamples(block, origin)));
  const hour = hours[0];
  const decoded = hour === undefined ? [] : unpackSamples(hour.block, hour.origin);
  const encode = timed(200, () => packSamples(decoded, hour?.origin ?? 0));
  return [
    { what: 'decoding 24 hours of one monitor', measured: decode.median, unit: 'ms', atMost: 1 },
    { what: 'encoding one hour', measured: encode.median, unit: 'ms', atMost: 0.5 },
  ];
}

/** A thousand monitors at 60 s record 17 samples a second. */
async function logBytes(): Promise<number> {
  const file = join(folder, 'log.db');
  const store = await openDaemonStore(file);
  const ids = Array.from({ length: 1000 }, (_, index) => `monitor-${index}`);
  await store.write(
    monitors.sync(
      store.sql,
      ids.map((id) => ({ id, name: id })),
      Date.now(),
    ),
  );
  const size = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('log.db-log.'))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const before = size();
  const at = Date.now();
  for (let second = 0; second < 60; second++) {
    const due = ids.filter((_, index) => index % 60 === second);
    await store.write(
      due.map((monitor) =>
        samples.add({
          monitor,
          at: at + second * 1000,
          status: 'up',
          latencyMs: 80 + second,
          holdSecs: 82,
          isHeartbeat: false,
          category: null,
          message: null,
        }),
      ),
    );
  }
  const perSample = (size() - before) / ids.length;
  await store.close();
  return perSample;
}

/** The time to apply one sample of a thousand monitors, after the hours before are there. */
async function applying(): Promise<number> {
  const sql = await openSql(null);
  schema.migrate(sql, 0);
  const apply = new Map(schema.operations.map((row) => [row.name, row.apply]));
  const start = 490_000 * hourSecs;
  const minute = (round: number) => {
    sql.transaction(() => {
      for (let index = 0; index < 1000; index++) {
        const [name, ...args] = samples.add({
          monitor: `monitor-${index}`,
          at: (start + round * 60) * 1000,
          status: 'up',
          latencyMs: 80 + ((index * 7 + round * 13) % 20),
          holdSecs: 82,
          isHeartbeat: false,
          category: null,
          message: null,
        });
        apply.get(name)?.(sql, args);
      }
    });
  };
  const { median } = timed(60, minute);
  sql.close();
  return median;
}

try {
  const file = process.argv[2] === undefined ? seeded() : resolve(process.argv[2]);
  const { openMs, rssBytes } = openInChild(file);
  const sql = await openSql(readFileSync(file));
  const speed = codecSpeed(sql);
  const isMet = judgeAll([
    { what: 'file of 100 monitors, 90 days', measured: statSync(file).size / 1e6, unit: 'MB', atMost: 40 },
    { what: 'opening it', measured: openMs, unit: 'ms', atMost: 1500 },
    { what: 'memory of the process that opened it', measured: rssBytes / 1e6, unit: 'MB', atMost: 250 },
    ...speed,
    {
      what: 'a sample at rest, rows and pages included',
      measured: bytesAtRest(sql),
      unit: 'bytes',
      atMost: 3,
    },
    { what: 'a sample in the log, frames included', measured: await logBytes(), unit: 'bytes', atMost: 80 },
    {
      what: 'taking in a sample of each of 1000 monitors',
      measured: await applying(),
      unit: 'ms',
      atMost: 100,
    },
  ]);
  process.exitCode = isMet ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
