/** Rollups of an earlier version that are packed by nodes which are killed meanwhile. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { BarReader } from '../../src/db/read/bars.ts';
import { heatmapOf } from '../../src/db/read/heatmap.ts';
import { dailyLatency, hourlyLatency } from '../../src/db/read/latency-rollups.ts';
import { sumDays } from '../../src/db/read/day-sums.ts';
import { tallyWithin } from '../../src/db/read/within.ts';
import { hourOf } from '../../src/db/samples/slots.ts';
import { weekDays } from '../../src/db/samples/weeks.ts';
import { loadSharedDatabase, createSharedDatabase, sharedDatabaseAt } from '../../src/db/shared/database.ts';
import { openReplica } from '../../src/db/store/replica.ts';
import type { SqlReader } from '../../src/db/store/sql.ts';
import { planMoves } from '../../src/db/tables/retention/move.ts';
import { planWeeks } from '../../src/db/tables/retention/weeks.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { schema } from '../../src/db/tables/schema/schema.ts';
import { dumpTable, type Facts, openFacts } from '../support/facts.ts';
import { type Postgres, query, skipWithoutPostgres, startPostgres } from '../support/postgres.ts';
import { programArguments } from '../support/program.ts';
import { randomOf } from '../support/random.ts';
import { realClock } from '../support/real-clock.ts';
import { takeBackToVersion9 } from '../support/as-version9.ts';

const hour = 3_600_000;
const day = 24 * hour;
const days = 90;
/** The beginning of a week. */
const start = 2914 * weekDays * day;
const now = start + days * day;
const firstHeld = hourOf((now - 2 * day) / 1000);
const ids = Array.from({ length: 12 }, (_, n) => `m${n}`);
const weekTables = ['hourly_weeks', 'daily_weeks', 'latency_weeks'];
const rollupTables = ['hourly', 'daily', 'hourly_days', ...weekTables];
const deadlineMs = 10_000;

/** Monitors of 90 days, of which all but the last two were moved. */
async function worldOf(): Promise<Facts> {
  const facts = await openFacts();
  for (const [n, id] of ids.entries()) {
    const history = Array.from({ length: days * 6 }, (_, index) => ({
      at: start + index * 4 * hour + n * 1000,
      status: (index + n) % 50 === 7 ? ('down' as const) : ('up' as const),
      latencyMs: 20 + ((index * 7 + n) % 90),
      holdSecs: 4 * 3600,
      isHeartbeat: false,
    }));
    facts.apply(...samples.addHistory(id, history));
  }
  for (;;) {
    const moves = planMoves(facts.sql, {
      before: firstHeld,
      hours: 500,
      monitors: 10,
      keptHoursOf: () => [],
    });
    if (moves.length === 0) return facts;
    facts.apply(...moves.map(({ operation }) => operation));
  }
}

function answersOf(sql: SqlReader): unknown {
  return {
    bars: [...new BarReader().read(sql, now, days)],
    sums: [...sumDays(sql, { fromAt: start, toAt: now - 2 * day })],
    monitors: ids.map((id) => ({
      heatmap: heatmapOf(sql, id, { now, days: 28 }),
      hourly: hourlyLatency(sql, id, { now, hours: days * 24 }),
      daily: dailyLatency(sql, id, { now, hours: days * 24 }),
      within: tallyWithin(sql, id, { fromAt: start + 3 * day, toAt: now - day, now }).secs,
    })),
  };
}

/** Keeps the world in the database as version 8 did, before there were weeks. */
async function keepAsBefore(url: string, { sql }: Facts): Promise<void> {
  const earlier = { ...schema, version: 8, migrate: () => undefined };
  const replica = await openReplica(sql.exportPages(), { ...schema, migrate: () => undefined }, randomUUID());
  takeBackToVersion9(replica.sql);
  for (const table of weekTables) replica.sql.script(`DROP TABLE ${table}`);
  replica.sql.script('PRAGMA user_version = 8');
  const bytes = Buffer.from(replica.exportPages(null));
  const place = sharedDatabaseAt({ url, space: 'statusd', schema: earlier, clock: realClock, deadlineMs });
  try {
    await createSharedDatabase(place, deadlineMs, replica.databaseId);
    assert.notEqual(await place.snapshots.save({ seq: 0, bytes }, 0), null);
  } finally {
    await place.link.close();
    replica.sql.close();
  }
}

/** What whoever starts now has in memory. */
async function withWorld<T>(url: string, look: (sql: SqlReader) => T): Promise<T> {
  const place = sharedDatabaseAt({ url, space: 'statusd', schema, clock: realClock, deadlineMs });
  try {
    const { replica } = await loadSharedDatabase(place, { schema, deadlineMs });
    try {
      return look(replica.sql);
    } finally {
      replica.sql.close();
    }
  } finally {
    await place.link.close();
  }
}

/** When a node is killed: so long after it began its next step after so many. */
interface Kill {
  readonly steps: number;
  readonly ms: number;
}

/** Lets a node pack, and kills it; answers whether it was done before. */
async function packAndKill(url: string, { steps, ms }: Kill): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [...programArguments('tests/programs/packing-node.ts'), url, `${now}`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  let said = '';
  let isDue = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (isDue || said.split('\n').length - 2 < steps) return;
    isDue = true;
    setTimeout(() => child.kill('SIGKILL'), ms);
  });
  await ended;
  // The next one need not wait until the lease runs out.
  await query(url, 'UPDATE statusd.place SET holder = NULL');
  assert.ok(said.startsWith('leads'), 'the node has not led');
  return said.includes('done');
}

describe('rollups of an earlier version', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  it('are packed by nodes that are killed meanwhile, and answer the same all the while', async (test) => {
    const seed = Date.now() % 1_000_000;
    test.diagnostic(`seed ${seed}`);
    const random = randomOf(seed);
    const url = await postgres.database();
    const facts = await worldOf();
    const wanted = answersOf(facts.sql);
    await keepAsBefore(url, facts);
    let kills = 0;
    const packed: number[] = [];
    while (!(await packAndKill(url, { steps: random.below(8), ms: random.below(40) }))) {
      kills += 1;
      await withWorld(url, (sql) => {
        assert.deepEqual(answersOf(sql), wanted);
        packed.push(sql.get('SELECT count(*) AS n FROM daily_weeks', [], (row) => row.number('n')) ?? 0);
      });
      assert.ok(kills < 60, `nothing comes to an end: ${packed.join(', ')}`);
    }
    assert.ok(kills > 0 && new Set(packed).size > 1, `packed after each kill: ${packed.join(', ')}`);
    test.diagnostic(`weeks that were packed after each kill: ${packed.join(', ')}`);
    for (const operation of planWeeks(facts.sql, firstHeld)) facts.apply(operation);
    await withWorld(url, (sql) => {
      assert.deepEqual(answersOf(sql), wanted);
      for (const table of rollupTables)
        assert.equal(dumpTable(sql as Facts['sql'], table), dumpTable(facts.sql, table), table);
    });
  });
});
