import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { heatmapOf } from '../../../src/db/read/heatmap.ts';
import { readHistory } from '../../../src/db/read/history.ts';
import { sumDays } from '../../../src/db/read/day-sums.ts';
import { dailyLatency, hourlyLatency } from '../../../src/db/read/latency-rollups.ts';
import { latencySeries } from '../../../src/db/read/series.ts';
import { StretchReader } from '../../../src/db/read/stretches.ts';
import { findShown } from '../../../src/db/read/watched.ts';
import { tallyWithin } from '../../../src/db/read/within.ts';
import { BarReader } from '../../../src/db/read/bars.ts';
import { hourOf, hourSecs } from '../../../src/db/samples/slots.ts';
import type { StoredSample } from '../../../src/db/samples/sample.ts';
import { HistoryTable } from '../../../src/db/shared/history-table.ts';
import { createLink, type DatabaseLink } from '../../../src/db/shared/link.ts';
import { createSharedDatabase, sharedDatabaseAt } from '../../../src/db/shared/database.ts';
import { statementsOf } from '../../../src/db/shared/statements.ts';
import { tableDigests } from '../../../src/db/store/compare.ts';
import { nothingArchived, readOldHours, type SampleArchive } from '../../../src/db/store/history.ts';
import { openSql, type SqlMemory } from '../../../src/db/store/sql.ts';
import type { Operation } from '../../../src/db/store/operation.ts';
import { planMoves } from '../../../src/db/tables/retention/move.ts';
import { planWeeks } from '../../../src/db/tables/retention/weeks.ts';
import { restoreHours } from '../../../src/db/tables/retention/restore.ts';
import { packHours, samples } from '../../../src/db/tables/samples.ts';
import { schema } from '../../../src/db/tables/schema/schema.ts';
import { keptHours } from '../../../src/engine/monitoring/history-mover.ts';
import { statuses } from '../../../src/engine/core/status.ts';
import { type Postgres, query, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { checkAsyncProperty } from '../../support/property.ts';
import { casesOf } from '../../support/random.ts';
import { realClock } from '../../support/real-clock.ts';

const apply = new Map(schema.operations.map((row) => [row.name, row.apply]));

function run(sql: SqlMemory, operations: readonly Operation[]): unknown[] {
  return operations.map(([name, ...args]) => apply.get(name)?.(sql, args));
}

const hour0 = 490_008;
/** The first two days end a week, and a whole one follows. */
const hours = 250;
const nowAt = ((hour0 + hours) * hourSecs + 1800) * 1000;
const ids = ['web', 'push'];

interface World {
  readonly sql: SqlMemory;
  readonly archive: SampleArchive;
}

/** As a file has it: every sample that came, packed as far as it is at rest. */
async function worldOf(kept: readonly (readonly StoredSample[])[]): Promise<SqlMemory> {
  const sql = await openSql(null);
  schema.migrate(sql, 0);
  kept.forEach((list, index) => {
    const monitor = ids[index] ?? '';
    for (const [number, sample] of list.toSorted((a, b) => a.at - b.at).entries())
      run(sql, [
        samples.add({
          ...sample,
          monitor,
          category: sample.status === 'up' ? null : 'timeout',
          message: sample.status === 'up' ? null : `no answer 🎃 ${number % 7}`,
        }),
      ]);
    run(sql, [packHours({ monitor, hour: hour0 + hours - 2 })]);
  });
  return sql;
}

const maintenance = [
  {
    title: 'a',
    startAt: (hour0 * hourSecs + 1234) * 1000,
    endAt: ((hour0 + 2) * hourSecs + 77) * 1000,
    monitors: [],
  },
  {
    title: 'b',
    startAt: ((hour0 + 50) * hourSecs + 600) * 1000,
    endAt: ((hour0 + 50) * hourSecs + 1900) * 1000,
    monitors: ['web'],
  },
  {
    title: 'c',
    startAt: ((hour0 + 71) * hourSecs + 3599) * 1000,
    endAt: ((hour0 + 74) * hourSecs + 1) * 1000,
    monitors: ids,
  },
];

/** Everything that samples and rollups of a monitor are read for. */
async function answersOf(world: World): Promise<unknown> {
  const { sql } = world;
  const span = { fromAt: hour0 * hourSecs * 1000 + 500_000, toAt: nowAt };
  const found = [];
  for (const id of ids) {
    const older = await readOldHours(world, id, span);
    const view = { now: nowAt, hours: hours + 1 };
    const monitor = findShown(sql, id);
    found.push({
      list: samples.list(sql, id, { ...span, older }),
      history: [true, false].map((isPush) => readHistory(sql, id, { ...span, isPush, older })),
      series: [50, 2000].map((maxPoints) => latencySeries(sql, id, { ...view, maxPoints, older })),
      hourly: hourlyLatency(sql, id, view),
      daily: dailyLatency(sql, id, view),
      heatmaps: [7, 14].map((days) => heatmapOf(sql, id, { now: nowAt, days })),
      within: [0, 5, 24, 49, 100, 150, 230].map(
        (ago) =>
          tallyWithin(sql, id, {
            fromAt: nowAt - (ago + 20) * 3_600_000,
            toAt: nowAt - ago * 3_600_000,
            now: nowAt,
          }).secs,
      ),
      stretches:
        monitor === null
          ? null
          : new StretchReader().of(sql, monitor, {
              now: nowAt,
              outages: () => [],
              stretches: maintenance
                .filter(({ monitors }) => monitors.length === 0 || monitors.includes(id))
                .map(({ startAt, endAt }) => ({ fromAt: startAt, toAt: endAt })),
            }),
    });
  }
  const ahead = new BarReader();
  while (!ahead.warm(sql, { now: nowAt, days: 14 }));
  const day = Math.floor(nowAt / 86_400_000);
  const sums = [2, 5, 9, 14].map((ago) => [
    ...sumDays(sql, { fromAt: (day - ago) * 86_400_000, toAt: (day - 2) * 86_400_000 }),
  ]);
  const bars = [new BarReader().read(sql, nowAt, 14), ahead.read(sql, nowAt, 14)].map((read) => [...read]);
  return { found, bars, sums };
}

const anySample = (end: number): fc.Arbitrary<StoredSample> =>
  fc.record(
    {
      at: fc.integer({ min: hour0 * hourSecs, max: end * hourSecs }).map((secs) => secs * 1000),
      status: fc.constantFrom(...statuses),
      latencyMs: fc.option(fc.integer({ min: 0, max: 100_000 })),
      holdSecs: fc.constantFrom(0, 60, 120, 7200),
      isHeartbeat: fc.boolean(),
    },
    { noNullPrototype: true },
  );

/** What a monitor of a check a minute leaves, with gaps. */
const steady = (end: number): fc.Arbitrary<StoredSample[]> =>
  fc.integer({ min: 1, max: 50 }).map((gap) =>
    Array.from({ length: (end - hour0) * 12 }, (_, index) => ({
      at: (hour0 * hourSecs + index * 300 + 7) * 1000,
      status: index % 97 < gap / 5 ? ('down' as const) : ('up' as const),
      latencyMs: 20 + ((index * 31) % (gap * 10)),
      holdSecs: 330,
      isHeartbeat: false,
    })).filter((_, index) => index % 61 < 61 - gap / 2),
  );

const anyWorld = fc.tuple(
  fc.oneof(steady(hour0 + hours), fc.array(anySample(hour0 + hours), { maxLength: 200, minLength: 1 })),
  fc.array(anySample(hour0 + hours), { maxLength: 60, minLength: 1 }),
);

describe('samples in the table of history', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let link: DatabaseLink;
  let table: HistoryTable;
  const statements = statementsOf('statusd', schema.version);
  const open: SqlMemory[] = [];
  before(async () => {
    postgres = await startPostgres();
  });
  after(async () => {
    for (const sql of open) sql.close();
    await postgres.stop();
  });
  beforeEach(async () => {
    url = await postgres.database('LATIN1');
    const place = sharedDatabaseAt({ url, space: 'statusd', schema, clock: realClock, deadlineMs: 10_000 });
    await createSharedDatabase(place, 10_000);
    await place.link.run({ text: 'UPDATE statusd.place SET epoch = 1' }, 10_000);
    await place.link.close();
    link = createLink(url, realClock);
    table = new HistoryTable({ link, statements, epoch: () => 1 });
  });
  const closing = async (work: () => Promise<void>) => {
    try {
      await work();
    } finally {
      await link.close();
    }
  };
  const opened = async (kept: readonly (readonly StoredSample[])[]) => {
    const sql = await worldOf(kept);
    open.push(sql);
    return sql;
  };
  const planned = (sql: SqlMemory, before: number, most = 37) =>
    planMoves(sql, {
      before,
      hours: most,
      monitors: 2,
      keptHoursOf: (monitor, key, span) => keptHours(sql, { monitor, key, windows: maintenance, ...span }),
    });
  /** In slices; `isCut`: each is put there once more before it is taken out of memory, as after a crash in between. */
  const move = async (sql: SqlMemory, before: number, isCut = false) => {
    for (;;) {
      const moves = planned(sql, before);
      if (moves.length === 0) return;
      await table.keeper.put(moves);
      if (isCut) await table.keeper.put(planned(sql, before, 11));
      run(
        sql,
        (isCut ? planned(sql, before, 11) : moves).map(({ operation }) => operation),
      );
    }
  };

  /** `most`: as when the node dies after so many steps. */
  const packWeeks = (sql: SqlMemory, before: number, most = Infinity) => {
    let steps = 0;
    for (const operation of planWeeks(sql, before)) {
      if (steps >= most) return;
      run(sql, [operation]);
      steps += 1;
    }
  };
  it('answer every reader as a file does, before they are moved, half-way and afterwards', () =>
    closing(async () => {
      const property = fc.asyncProperty(anyWorld, fc.boolean(), async (kept, isCut) => {
        await link.run({ text: 'TRUNCATE statusd.history' }, 10_000);
        const file = { sql: await worldOf(kept), archive: nothingArchived };
        const shared = { sql: await worldOf(kept), archive: table };
        try {
          const wanted = await answersOf(file);
          assert.deepEqual(await answersOf(shared), wanted);
          for (const before of [hour0 + 30, hour0 + 72, hour0 + hours - 26]) {
            await move(shared.sql, before, isCut);
            assert.deepEqual(await answersOf(shared), wanted, `moved before ${before - hour0}`);
            packWeeks(shared.sql, before, isCut ? 1 : Infinity);
            assert.deepEqual(await answersOf(shared), wanted, `packed before ${before - hour0}`);
          }
          const left =
            shared.sql.get('SELECT count(*) AS n FROM packed_hours', [], (row) => row.number('n')) ?? 0;
          const all =
            file.sql.get('SELECT count(*) AS n FROM packed_hours', [], (row) => row.number('n')) ?? 0;
          assert.ok(left <= Math.min(all, 26 * 2 + 14 + 2), `${left} of ${all} hours are left`);
          packWeeks(shared.sql, hour0 + hours - 26);
          assert.deepEqual(await answersOf(shared), wanted, 'all packed');
          await restoreHours(shared.sql, (span) => table.read(span));
          const uncompared = { monitors: ['pruned_before'], remarks: ['id'] };
          assert.deepEqual(tableDigests(shared.sql, uncompared), tableDigests(file.sql, uncompared));
        } finally {
          file.sql.close();
          shared.sql.close();
        }
      });
      await checkAsyncProperty(property, casesOf(8, 200));
    }));

  const aDay = Array.from({ length: hours * 12 }, (_, index) => ({
    at: (hour0 * hourSecs + index * 300) * 1000,
    status: 'up' as const,
    latencyMs: 20 + (index % 50),
    holdSecs: 330,
    isHeartbeat: false,
  }));

  it('are neither lost nor doubled when the node dies before it takes them out of memory', () =>
    closing(async () => {
      const sql = await opened([aDay]);
      const wanted = samples.list(sql, 'web', { fromAt: 0, toAt: nowAt });
      await table.keeper.put(planned(sql, hour0 + 60, 50));
      const world = { sql, archive: table };
      const read = async () =>
        samples.list(sql, 'web', {
          fromAt: 0,
          toAt: nowAt,
          older: await readOldHours(world, 'web', { fromAt: 0, toAt: nowAt }),
        });
      assert.deepEqual(await read(), wanted);
      // A sample that came late meanwhile is not forgotten.
      const late = { ...aDay[5], at: (hour0 * hourSecs + 1501) * 1000, status: 'down' as const };
      const stale = planned(sql, hour0 + 60, 50).map(({ operation }) => operation);
      run(sql, [
        samples.add({
          latencyMs: 1,
          holdSecs: 9,
          isHeartbeat: false,
          ...late,
          monitor: 'web',
          category: null,
          message: null,
        }),
      ]);
      assert.deepEqual(run(sql, stale), [false]);
      const more = samples.list(sql, 'web', { fromAt: 0, toAt: nowAt });
      assert.equal(more.length, wanted.length + 1);
      await move(sql, hour0 + 60);
      assert.deepEqual(await read(), more);
    }));

  /** Rows as a move leaves them that was not completed; a monitor is its key. */
  const leftBehind = (monitors: number, first: number, past: number) =>
    link.run(
      {
        text: `INSERT INTO statusd.history (monitor, hour, block)
          SELECT monitor, hour, '\\x01' FROM generate_series(1, $1::int) AS monitor, generate_series($2::int, $3::int - 1) AS hour`,
        values: [monitors, first, past],
      },
      10_000,
    );

  it('replace what a move left there that was not completed, also where there is none, and nothing else', () =>
    closing(async () => {
      const isEmpty = (hour: number) => hour >= 10 && hour < 20;
      const sql = await opened([aDay.filter(({ at }) => !isEmpty(hourOf(at / 1000) - hour0))]);
      await leftBehind(2, hour0, hour0 + 60);
      await move(sql, hour0 + 40);
      const left = await link.run(
        {
          text: `SELECT monitor, hour - ${hour0} AS hour FROM statusd.history WHERE block = '\\x01' ORDER BY monitor, hour`,
        },
        10_000,
      );
      const hoursFrom = (from: number) => Array.from({ length: 60 - from }, (_, index) => from + index);
      assert.deepEqual(left, [
        ...hoursFrom(40).map((hour) => ({ monitor: 1, hour })),
        ...hoursFrom(0).map((hour) => ({ monitor: 2, hour })),
      ]);
      const count = await link.run({ text: 'SELECT count(*)::int AS n FROM statusd.history' }, 10_000);
      assert.deepEqual(count, [{ n: 30 + 20 + 60 }]);
    }));

  it('have nothing where there is nothing, also for a user whose arrays have no nulls', () =>
    closing(async () => {
      const own = createLink(`${url}&options=-c%20array_nulls%3Doff`, realClock);
      const bare = new HistoryTable({ link: own, statements, epoch: () => 1 });
      const span = { key: 1, from: hour0, to: hour0 + 2 };
      const hours = [
        { key: 1, hour: hour0, block: null, latencies: Buffer.from('1'), remarks: [] },
        { key: 1, hour: hour0 + 1, block: Buffer.from('2'), latencies: null, remarks: [] },
      ];
      await bare.keeper.put([{ ...span, hours }]);
      await own.close();
      assert.deepEqual(await query(url, 'SELECT block, rollup, remarks FROM statusd.history ORDER BY hour'), [
        { block: null, rollup: Buffer.from('1'), remarks: null },
        { block: Buffer.from('2'), rollup: null, remarks: null },
      ]);
    }));

  it('are moved without a look at all that is there', () =>
    closing(async () => {
      await leftBehind(400, hour0, hour0 + 50);
      const hour = hour0 + 50;
      const ofHour = { hour, block: Buffer.alloc(50), latencies: null, remarks: [] };
      const moves = Array.from({ length: 30 }, (_, index) => ({
        key: index + 1,
        from: hour,
        to: hour + 1,
        hours: index === 0 ? [] : [{ key: index + 1, ...ofHour }],
      }));
      await table.keeper.put(moves);
      await link.close();
      // A connection says what it read when it ends.
      const [read] = await query(
        url,
        "SELECT seq_tup_read::int AS rows FROM pg_stat_user_tables WHERE relname = 'history'",
      );
      assert.deepEqual(read, { rows: 0 });
    }));

  it('are not touched by a node that no longer leads', () =>
    closing(async () => {
      const sql = await opened([aDay]);
      await move(sql, hour0 + 40);
      const rows = () => link.run({ text: 'SELECT * FROM statusd.history ORDER BY monitor, hour' }, 10_000);
      const was = await rows();
      assert.ok(was.length >= 30);
      const deposed = new HistoryTable({ link, statements, epoch: () => 0 });
      await assert.rejects(deposed.keeper.put(planned(sql, hour0 + 80)), { code: 'store_in_use' });
      const over = [{ key: 1, from: hour0, to: hour0 + 40, hours: [] }];
      await assert.rejects(deposed.keeper.put(over), { code: 'store_in_use' });
      await deposed.keeper.prune(new Map([[1, hour0 + 40]]));
      assert.deepEqual(await rows(), was);
      const none = new HistoryTable({ link, statements, epoch: () => null });
      await assert.rejects(none.keeper.put(planned(sql, hour0 + 80)), { code: 'store_in_use' });
    }));

  it('are said to be out of reach, and never left out, while the server is away', async () => {
    const sql = await opened([aDay]);
    await move(sql, hour0 + 60);
    await link.close();
    const away = createLink(url.replace(/host=.*$/, 'host=%2Fnowhere'), realClock);
    const world = { sql, archive: new HistoryTable({ link: away, statements, epoch: () => 1 }) };
    const old = { fromAt: nowAt - (hours - 20) * 3_600_000, toAt: nowAt };
    await assert.rejects(readOldHours(world, 'web', old), {
      code: 'store_unusable',
      message: /^older history cannot be read now: /,
    });
    assert.deepEqual(await readOldHours(world, 'web', { fromAt: nowAt - 26 * 3_600_000, toAt: nowAt }), []);
    await away.close();
  });

  it('are deleted when they are too old, of that monitor alone', () =>
    closing(async () => {
      const sql = await opened([aDay, aDay]);
      await move(sql, hour0 + 90);
      await table.keeper.prune(new Map([[1, hour0 + 10]]));
      const oldest = await link.run(
        { text: 'SELECT monitor, min(hour) AS hour FROM statusd.history GROUP BY monitor ORDER BY monitor' },
        10_000,
      );
      assert.deepEqual(oldest, [
        { monitor: 1, hour: hour0 + 10 },
        { monitor: 2, hour: hour0 },
      ]);
    }));

  it('are found by a table that is made where an earlier version had none', () =>
    closing(async () => {
      await link.run({ text: 'DROP TABLE statusd.history' }, 10_000);
      assert.deepEqual(await table.read({ key: 1, from: hour0, to: hour0 + 5 }), []);
      const place = sharedDatabaseAt({ url, space: 'statusd', schema, clock: realClock, deadlineMs: 10_000 });
      await createSharedDatabase(place, 10_000);
      await place.link.close();
      assert.deepEqual(await link.run({ text: 'SELECT * FROM statusd.history' }, 10_000), []);
    }));

  it('and damaged hours are a gap', () =>
    closing(async () => {
      const sql = await opened([aDay]);
      await move(sql, hour0 + 90);
      await link.run(
        { text: `UPDATE statusd.history SET block = '\\x0102' WHERE hour = ${hour0 + 3}` },
        10_000,
      );
      const span = { fromAt: hour0 * hourSecs * 1000, toAt: (hour0 + 6) * hourSecs * 1000 };
      const older = await readOldHours({ sql, archive: table }, 'web', span);
      const { ats } = readHistory(sql, 'web', { ...span, isPush: false, older });
      assert.deepEqual([...new Set([...ats].map((at) => hourOf(at / 1000) - hour0))], [0, 1, 2, 4, 5]);
    }));
});
