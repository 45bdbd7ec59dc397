/**
 * Measures what samples cost where nodes share a database: memory of a monitor with and without the table of history,
 * moving an hour, reading a month, and how long the event loop waits meanwhile. Starts a PostgreSQL of its own, whose
 * disk syncs nothing. `bench/history.ts [MONITORS]`: so many over 90 days (200).
 */
import { readFileSync } from 'node:fs';
import { HistoryTable } from '../src/db/shared/history-table.ts';
import { createLink } from '../src/db/shared/link.ts';
import { createSharedDatabase, sharedDatabaseAt } from '../src/db/shared/database.ts';
import { statementsOf } from '../src/db/shared/statements.ts';
import { packSamples } from '../src/db/samples/codec.ts';
import { hourSecs } from '../src/db/samples/slots.ts';
import { readOldHours } from '../src/db/store/history.ts';
import type { Operation } from '../src/db/store/operation.ts';
import { openSql, type SqlMemory } from '../src/db/store/sql.ts';
import { type MovedHour, planMoves } from '../src/db/tables/retention/move.ts';
import { planUpkeep } from '../src/db/tables/retention/plan.ts';
import { retentionOf } from '../src/db/tables/retention/retention.ts';
import { planWeeks } from '../src/db/tables/retention/weeks.ts';
import { addHour, samples } from '../src/db/tables/samples.ts';
import { schema } from '../src/db/tables/schema/schema.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { realClock } from '../tests/support/real-clock.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';

const days = 90;
const hour0 = 490_008;
const nowHour = hour0 + days * 24;
const monitorCount = Number(process.argv[2] ?? 200);
const apply = new Map(schema.operations.map((row) => [row.name, row.apply]));

/** One monitor at 60 s over so many hours, and the others like it. */
async function worldOf(count: number, hours: number): Promise<SqlMemory> {
  const sql = await openSql(null);
  schema.migrate(sql, 0);
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  sql.transaction(() => {
    for (let hour = hour0; hour < hour0 + hours; hour++) {
      const ofHour = Array.from({ length: 60 }, (_, index) => ({
        at: (hour * hourSecs + index * 60) * 1000,
        status: random() < 0.001 ? ('down' as const) : ('up' as const),
        latencyMs: Math.round(80 + 40 * Math.abs(random() + random() + random() - 1.5)),
        holdSecs: 82,
        isHeartbeat: false,
      }));
      const block = Buffer.from(packSamples(ofHour, hour * hourSecs)).toString('base64');
      const [name, ...args] = addHour({ monitor: 'monitor-1', hour, block });
      apply.get(name)?.(sql, args);
    }
    const others = `WITH RECURSIVE other (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM other WHERE n < ${count - 1})`;
    for (const table of ['packed_hours', 'hourly', 'daily']) {
      const names = sql.all('SELECT name FROM pragma_table_info(?) ORDER BY cid', [table], (row) =>
        row.text('name'),
      );
      const rest = names.slice(1).join(', ');
      sql.script(
        `${others} INSERT INTO ${table} (slot, ${rest}) SELECT slot + n, ${rest} FROM ${table}, other ORDER BY 1`,
      );
    }
    sql.script(`${others} INSERT INTO monitors (id, name, first_seen_at, last_seen_at, tail_secs, tail_status,
      tail_hold_secs, oldest_hour, packed_before, samples)
      SELECT 'monitor-' || (n + 1), name, first_seen_at, last_seen_at, tail_secs, tail_status, tail_hold_secs,
        oldest_hour, packed_before, samples FROM monitors, other WHERE key = 1`);
  });
  return sql;
}

/** What a node that starts now has in memory of each monitor. */
function kibOf(sql: SqlMemory, count: number): number {
  sql.script('VACUUM');
  return sql.exportPages().length / count / 1024;
}

/** The longest turn of the event loop, without the time in which others had the processor. */
function watchTurns(): () => number {
  const waitedMs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  let last: readonly [number, number] = [performance.now(), waitedMs()];
  let longest = 0;
  const beat = () => {
    const next = [performance.now(), waitedMs()] as const;
    longest = Math.max(longest, next[0] - last[0] - (next[1] - last[1]) - 1);
    last = next;
  };
  const timer = setInterval(beat, 1);
  return () => {
    beat();
    clearInterval(timer);
    return longest;
  };
}

const postgres = await startPostgres();
const url = await postgres.database();
const place = sharedDatabaseAt({ url, space: 'statusd', schema, clock: realClock, deadlineMs: 60_000 });
await createSharedDatabase(place, 60_000);
const link = createLink(url, realClock);
const table = new HistoryTable({ link, statements: statementsOf('statusd', schema.version), epoch: () => 0 });

interface Moved {
  /** Processor time of this process. */
  readonly ms: number;
  readonly rows: number;
  /** How long each step waited for the server. */
  readonly waitsMs: readonly number[];
}

/** `beside` is done with the rows of each step. */
async function moveAll(
  sql: SqlMemory,
  before: number,
  beside: (hours: readonly MovedHour[]) => Promise<void> = () => Promise.resolve(),
): Promise<Moved> {
  const begun = process.cpuUsage();
  const waitsMs: number[] = [];
  let rows = 0;
  for (;;) {
    const moves = planMoves(sql, { before, hours: 120, monitors: 30, keptHoursOf: () => [] });
    if (moves.length === 0) {
      const { user, system } = process.cpuUsage(begun);
      return { ms: (user + system) / 1000, rows, waitsMs };
    }
    const startedMs = performance.now();
    await table.keeper.put(moves);
    waitsMs.push(performance.now() - startedMs);
    await beside(moves.flatMap(({ hours }) => hours));
    sql.transaction(() => {
      for (const {
        operation: [name, ...args],
      } of moves)
        apply.get(name)?.(sql, args);
    });
    rows += moves.reduce((sum, { hours }) => sum + hours.length, 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** As the leader does it once a day, and upkeep. */
function packWeeks(sql: SqlMemory): void {
  const begun = process.cpuUsage();
  let steps = 0;
  const run = ([name, ...args]: Operation) => {
    sql.transaction(() => apply.get(name)?.(sql, args));
    steps += 1;
  };
  for (const operation of planWeeks(sql, nowHour - 48)) run(operation);
  const { user, system } = process.cpuUsage(begun);
  console.log(
    `(${steps} steps packed the weeks, ${((user + system) / 1000 / steps).toFixed(1)} ms of the processor each)`,
  );
  const now = nowHour * hourSecs * 1000;
  const plan = () => planUpkeep(sql, now, { retention: retentionOf(90, new Map()), limit: 100 });
  for (let operations = plan(); operations.length > 0; operations = plan())
    for (const each of operations) run(each);
}

/** The floor: rows of a table without a fence and without anything to replace. */
const barely = createLink(url, realClock);
await barely.run(
  {
    text: 'CREATE TABLE bare (monitor int, hour int, block bytea, rollup bytea, PRIMARY KEY (monitor, hour))',
  },
  60_000,
);
const bytesOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes));
async function insertBarely(hours: readonly MovedHour[]): Promise<number> {
  const values = [
    hours.map(({ key }) => key),
    hours.map((each) => each.hour),
    hours.map(({ block }) => bytesOf(block)),
    hours.map(({ latencies }) => bytesOf(latencies)),
  ];
  const startedMs = performance.now();
  await barely.run(
    {
      text: 'INSERT INTO bare SELECT * FROM unnest($1::int[], $2::int[], $3::bytea[], $4::bytea[])',
      values,
    },
    60_000,
  );
  return performance.now() - startedMs;
}

const many = await worldOf(10_000, 51);
await moveAll(many, hour0 + 2);
const turns = watchTurns();
const hourOfAll = await moveAll(many, hour0 + 3);
const longestMs = turns();
const bareMs: number[] = [];
const { waitsMs } = await moveAll(many, hour0 + 4, async (hours) => {
  bareMs.push(await insertBarely(hours));
});
many.close();
await barely.close();
await link.run({ text: 'TRUNCATE statusd.history' }, 60_000);

const sql = await worldOf(monitorCount, days * 24);
const without = kibOf(sql, monitorCount);
const all = await moveAll(sql, nowHour - 48);
packWeeks(sql);
const withTable = kibOf(sql, monitorCount);
const nowAt = nowHour * hourSecs * 1000;
const times: number[] = [];
for (let round = 1; round <= 20; round++) {
  const span = { fromAt: nowAt - 30 * 86_400_000, toAt: nowAt };
  const startedAt = performance.now();
  const id = `monitor-${round}`;
  samples.list(sql, id, { ...span, older: await readOldHours({ sql, archive: table }, id, span) });
  times.push(performance.now() - startedAt);
}
await link.run({ text: 'VACUUM FULL statusd.history' }, 600_000);
const [size] = await link.run({ text: "SELECT pg_total_relation_size('statusd.history') AS bytes" }, 60_000);
const bytesPerDay = (Number(size?.['bytes']) / all.rows) * 24;

const isMet = judgeAll([
  { what: 'memory of a monitor over 90 days, all in it', measured: without, unit: 'KiB', atMost: 340 },
  { what: 'the same with the table of history', measured: withTable, unit: 'KiB', atMost: 20 },
  {
    what: 'an hour of 10,000 monitors moved, processor time of the leader',
    measured: hourOfAll.ms,
    unit: 'ms',
    atMost: 10_000,
  },
  { what: 'the longest turn of the event loop meanwhile', measured: longestMs, unit: 'ms', atMost: 20 },
  {
    what: 'a step of it in the server, against a bare insert of the same rows',
    measured: medianOf(waitsMs) / medianOf(bareMs),
    unit: 'x',
    atMost: 3,
  },
  { what: '30 days of a monitor read and taken apart', measured: medianOf(times), unit: 'ms', atMost: 50 },
  { what: 'a monitor-day in the table', measured: bytesPerDay, unit: 'bytes', atMost: 6000 },
  {
    what: 'moving 90 days, processor time of an hour of a monitor',
    measured: (all.ms * 1000) / all.rows,
    unit: 'µs',
    atMost: 500,
  },
]);
sql.close();
await link.close();
await place.link.close();
await postgres.stop();
process.exitCode = isMet ? 0 : 1;
